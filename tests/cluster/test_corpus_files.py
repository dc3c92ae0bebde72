"""A corpus is read the same however it is packed and laid out; what is wrong with it is said by name."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

from dragoman.cluster.corpus_files import read_corpus
from dragoman.errors import BadInputError

PAIRS = [("green button", "botón verde"), ("\ufeffo\rdd", "raro\u2028"), ("", "nada"), ("stop", "alto")]
LANGUAGES = "en", "es"


def write(path: Path, lines: list[str]) -> str:
    data = "".join(f"{line}\n" for line in lines).encode()
    packed = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}.get(path.suffix, bytes)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(packed(data))
    return str(path)


SOURCE, TARGET = [source for source, _ in PAIRS], [target for _, target in PAIRS]
TABBED = [f"{source}\t{target}" for source, target in PAIRS]


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_two_files_or_one_with_tabs(tmp_path: Path, packed: str) -> None:
    files = [write(tmp_path / f"a.en{packed}", SOURCE), write(tmp_path / f"a.es{packed}", TARGET)]
    assert list(read_corpus(files, LANGUAGES)) == PAIRS
    assert list(read_corpus([write(tmp_path / f"a.tsv{packed}", TABBED)], LANGUAGES)) == PAIRS


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
def test_lines_of_windows_are_the_same_lines(tmp_path: Path, packed: str) -> None:
    files = [
        write(tmp_path / f"a.{language}{packed}", [f"{line}\r" for line in lines])
        for language, lines in zip(LANGUAGES, (SOURCE, TARGET), strict=True)
    ]
    assert list(read_corpus(files, LANGUAGES)) == PAIRS
    tabbed = write(tmp_path / f"a.tsv{packed}", [f"{line}\r" for line in TABBED])
    assert list(read_corpus([tabbed], LANGUAGES)) == PAIRS


def test_directories(tmp_path: Path) -> None:
    for name in ("1.en.zst", "2.en"):
        write(tmp_path / "both" / name, SOURCE)
        write(tmp_path / "sources" / name, SOURCE)
    for name in ("1.es.gz", "2.es"):
        write(tmp_path / "both" / name, TARGET)
        write(tmp_path / "targets" / name, TARGET)
    write(tmp_path / "both" / "3.tsv.gz", TABBED)
    write(tmp_path / "both" / "README", ["a corpus"])
    assert list(read_corpus([str(tmp_path / "both")], LANGUAGES)) == PAIRS * 3
    assert list(read_corpus([str(tmp_path / "sources"), str(tmp_path / "targets")], LANGUAGES)) == PAIRS * 2


def test_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    data = "".join(f"{line}\n" for line in TABBED).encode()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert list(read_corpus(["-"], LANGUAGES)) == PAIRS


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([], "one or two paths, not 0"),
        (["missing.en", "a.es"], "missing.en: no such file"),
        (["a.en", "short.es"], "a.en has 4 lines, .*short.es has 1; line n"),
        (["bad.zst", "a.es"], "bad.zst: damaged or incomplete zstd file"),
        (["latin.zst", "a.es"], "latin.zst: line 1, byte 1 is not valid UTF-8"),
        (["a.en"], "a.en: line 1 has 1 fields; put one tab"),
        (["empty"], "empty: no corpus in this directory; files must end in .en and .es"),
        (["alone"], "x.en: has no translation: x.es is missing"),
        (["alone", "a.es"], "a.es: is a file, but the other path is a directory"),
        (["alone", "empty"], "alone has 1 files, .*empty has 0"),
    ],
)
def test_what_is_wrong_is_said_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("a.en"), SOURCE)
    write(Path("a.es"), TARGET)
    write(Path("short.es"), TARGET[:1])
    write(Path("alone/x.en"), SOURCE)
    Path("empty").mkdir()
    Path("bad.zst").write_bytes(b"no such thing")
    Path("latin.zst").write_bytes(zstandard.ZstdCompressor().compress("ñé".encode("latin-1")))
    with pytest.raises(BadInputError, match=message):
        list(read_corpus(places, LANGUAGES))
