"""CTranslate2's files are read as they are, written as they were, and not believed."""

import struct
from pathlib import Path

import numpy as np
import pytest

from dragoman.neural.model_file import CannotLearnError, ModelFile
from tests.oracles.small_transformers import KINDS, small_model


@pytest.mark.parametrize("kind", KINDS)
def test_reading_what_was_written_gives_the_same_bytes(kind: str, tmp_path: Path) -> None:
    made = small_model(kind)
    made.write(tmp_path)
    read = ModelFile.read(tmp_path)
    assert read.files() == made.files()
    assert (read.config, read.aliases) == (made.config, made.aliases)
    assert all(np.array_equal(read.variables[name], value) for name, value in made.variables.items())


def test_every_cut_and_every_length_is_refused_without_being_believed(tmp_path: Path) -> None:
    model = small_model("one head, int8 and float16")
    model.write(tmp_path)
    content = model.content()
    path = tmp_path / "model.bin"
    for end in [*range(400), *range(400, len(content), 97), len(content) - 1]:
        path.write_bytes(content[:end])
        with pytest.raises(CannotLearnError):
            ModelFile.read(tmp_path)
    huge = struct.pack("<I", 0xFFFFFFFF)
    for place in range(300):  # the header and the first variables
        path.write_bytes(content[:place] + huge + content[place + 4 :])
        try:
            read = ModelFile.read(tmp_path)
        except CannotLearnError:
            continue
        assert sum(value.nbytes for value in read.variables.values()) <= len(content)
    path.write_bytes(content + b"\0")
    with pytest.raises(CannotLearnError, match="more in its file"):
        ModelFile.read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("config.json", b"[]"),
        ("config.json", b"[" * 100_000),
        ("config.json", b"\xff"),
        ("shared_vocabulary.json", b"{}"),
        ("shared_vocabulary.json", b"[1]"),
        ("shared_vocabulary.json", b"[" * 100_000),
    ],
)
def test_other_files_are_refused_too(name: str, content: bytes, tmp_path: Path) -> None:
    small_model().write(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CannotLearnError, match="cannot learn"):
        ModelFile.read(tmp_path).vocabulary("source")


def test_a_missing_model_says_where() -> None:
    with pytest.raises(CannotLearnError, match="nowhere: this model cannot learn"):
        ModelFile.read(Path("nowhere"))


def test_vocabularies_of_older_conversions_keep_carriage_returns_that_are_pieces(tmp_path: Path) -> None:
    model = small_model()
    del model.beside["shared_vocabulary.json"]
    model.beside["shared_vocabulary.txt"] = b"a\nb\r\n\xe2\x80\xa8\n"
    model.write(tmp_path)
    assert ModelFile.read(tmp_path).vocabulary("target") == ["a", "b\r", "\u2028"]
    (tmp_path / "shared_vocabulary.txt").write_bytes(b"a\r\nb\r\n")
    assert ModelFile.read(tmp_path).vocabulary("source") == ["a", "b"]
