"""Spelling by dictionaries of the system: found, read, asked over the API; without any, that is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dragoman.editor import hunspell
from tests.server.editor import API
from tests.server.support import Running

pytest.importorskip("spylls", reason="the extra `spelling` is not installed")
RULES = "SET UTF-8\nTRY aeiotpr\nSFX S Y 1\nSFX S 0 s .\n"
WORDS = "5\ntapa/S\nbotón\nrojo/S\nla\nCierre\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of dictionaries, and no others."""
    monkeypatch.setattr(hunspell, "FOLDERS", ())
    monkeypatch.setenv("DICPATH", str(tmp_path))
    hunspell._read.cache_clear()
    yield tmp_path
    hunspell._read.cache_clear()


def add(folder: Path, name: str) -> None:
    (folder / f"{name}.aff").write_text(RULES, encoding="utf-8")
    (folder / f"{name}.dic").write_text(WORDS, encoding="utf-8")


def test_the_dictionary_of_the_country_comes_first_then_the_usual_one(folder: Path) -> None:
    for name in ("es_AR", "es_ES", "en_GB", "en_US", "ca"):
        add(folder, name)
    languages = ("es", "es-AR", "es_MX", "en", "en-GB", "ca", "de", "../etc")
    found = [path.name if (path := hunspell.find_dictionary(each)) else None for each in languages]
    assert found == ["es_ES", "es_AR", "es_ES", "en_US", "en_GB", "ca", None, None]


def test_words_are_looked_up_with_their_endings(folder: Path) -> None:
    add(folder, "es_ES")
    found = hunspell.open_dictionary("es")
    assert found is not None
    assert found.find_wrong(["tapas", "botón", "tappa", "rojos", "a" * 60]) == ["tappa"]
    assert "tapa" in found.suggest("tappa")
    assert found.suggest("a" * 60) == []


def test_a_dictionary_that_cannot_be_read_is_none(folder: Path) -> None:
    add(folder, "es_ES")
    (folder / "es_ES.aff").write_bytes(b"SET no-such-encoding\n")
    assert hunspell.open_dictionary("es") is None


def test_over_the_api(server: Running, folder: Path) -> None:
    with server.client() as client:
        asked = {"words": ["Cierre", "la", "tappa"]}
        assert client.post(f"{API}/spelling", json=asked).json() == {"dictionary": None, "wrong": []}
        assert client.post(f"{API}/spelling/suggestions", json={"word": "tappa"}).json() == {"suggestions": []}
        add(folder, "es_ES")
        assert client.post(f"{API}/spelling", json=asked).json() == {"dictionary": "es_ES", "wrong": ["tappa"]}
        assert "tapa" in client.post(f"{API}/spelling/suggestions", json={"word": "tappa"}).json()["suggestions"]
