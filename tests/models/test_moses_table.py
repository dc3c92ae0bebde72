"""A Moses phrase table becomes a base with the same probabilities; malformed ones are refused line by line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dragoman.errors import BadInputError
from dragoman.models.imported import import_base
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.models.moses_table import read_phrase_table
from dragoman.models.phrases import PhraseModel
from dragoman.search.decoder import Decoder
from dragoman.text.vocabulary import Vocabulary

pytestmark = pytest.mark.kernels

TABLE = """\
green ||| verde ||| 0.75 0.6 0.6 0.5 ||| 0-0 ||| 4 5 3 ||| |||
green ||| verdes ||| 1 0.6 0.4 0.5 ||| 0-0 ||| 2 5 2
the green button ||| el botón verde ||| 0.5 0.1 1 0.1 ||| 0-0 1-2 2-1 ||| 2 1 1 ||| |||
&lt; &#124; &amp;amp; ||| &quot;&apos; &#91; &#93; &gt; ||| 1 1 1 1 ||| ||| 1 1 1
"""


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path, reordering: Path | None = None) -> tuple[PhraseModel, Vocabulary, Vocabulary]:
    source, target = Vocabulary(), Vocabulary()
    return read_phrase_table(path, source, target, reordering), source, target


def test_counts_and_probabilities_are_those_of_the_table(tmp_path: Path) -> None:
    model, source, target = read(written(tmp_path / "table", TABLE))
    assert model.phrase_count == 4
    assert model.probabilities(source.ids(["green"]), target.ids(["verde"])) == (0.75, 0.6)
    assert model.probabilities(source.ids(["green"]), target.ids(["verdes"])) == (1.0, 0.4)
    phrase = source.ids(["the", "green", "button"])
    assert model.probabilities(phrase, target.ids(["el", "botón", "verde"])) == (0.5, 1.0)
    best = model.options(source.ids(["green"]))
    assert [(target.words(o.target), o.count, o.source_total, o.target_total) for o in best] == [
        (["verde"], 3, 5, 4),
        (["verdes"], 2, 5, 2),
    ]
    assert best[0].previous == best[0].next == (3, 0, 0)  # monotone unless a reordering table says otherwise


def test_entities_are_turned_back_into_characters(tmp_path: Path) -> None:
    _, source, target = read(written(tmp_path / "table", TABLE))
    assert all(word in source for word in ("<", "|", "&amp;"))
    assert all(word in target for word in ("\"'", "[", "]", ">"))


def test_phrases_too_long_to_be_searched_are_left_out(tmp_path: Path) -> None:
    sizes = [(1, 8), (9, 1), (7, 7), (1, 40)]
    long = "".join(f"{'green ' * f}||| {'verde ' * e}||| 1 1 1 1\n" for f, e in sizes)
    base = import_base(written(tmp_path / "table", TABLE + long))
    assert base.phrases.phrase_count == 5
    found = Decoder(ModelSet(base), Weights("moses")).search(["green"] * 9, prefix=["verde"])
    assert set(found.best.words) <= {"verde", "verdes"}


def test_a_layer_learns_on_top_of_the_table(tmp_path: Path) -> None:
    base, source, target = read(written(tmp_path / "table", TABLE))
    layer = PhraseModel(base)
    layer.add(source.ids(["green"]), target.ids(["verde"]), [[0, 0]])
    assert layer.probabilities(source.ids(["green"]), target.ids(["verde"])) == (4 / 5, 4 / 6)


def test_gzip_reads_the_same(tmp_path: Path) -> None:
    plain = read(written(tmp_path / "table", TABLE))[0]
    (tmp_path / "table.gz").write_bytes(gzip.compress(TABLE.encode()))
    assert read(tmp_path / "table.gz")[0].contents() == plain.contents()


def test_without_counts_probabilities_are_kept_as_near_as_integers_can(tmp_path: Path) -> None:
    table = "a ||| x ||| 0.5 1 0.25 1\na ||| y ||| 1 1 0.75 1\nb ||| x ||| 0.5 1 1.0 1 ||| 0-0\n"
    model, source, target = read(written(tmp_path / "table", table))
    a, b, x, y = source.ids(["a"]), source.ids(["b"]), target.ids(["x"]), target.ids(["y"])
    assert [model.probabilities(*pair)[1] for pair in ((a, x), (a, y), (b, x))] == [0.25, 0.75, 1.0]
    assert model.probabilities(a, y)[0] == 1.0
    assert model.probabilities(a, x)[0] + model.probabilities(b, x)[0] == pytest.approx(1.0)


def test_a_reordering_table_gives_the_orientations(tmp_path: Path) -> None:
    reordering = "green ||| verde ||| 0.4 0.3 0.3 0.2 0.8 0\nnot ||| there ||| 1 0 0 1 0 0\n"
    model, source, _ = read(written(tmp_path / "table", TABLE), written(tmp_path / "reordering", reordering))
    best = model.options(source.ids(["green"]))
    assert best[0].previous == (1, 1, 1)
    assert best[0].next == (1, 2, 0)
    assert best[1].previous == (2, 0, 0)
    assert model.orientations.tolist() == [[5, 1, 1], [5, 2, 0]]


def test_an_empty_table_is_an_empty_model(tmp_path: Path) -> None:
    assert read(written(tmp_path / "table", ""))[0].phrase_count == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("only words", "expected source"),
        ("a ||| b", "expected source"),
        (" ||| b ||| 1 1 1 1", "expected source"),
        ("a |||  ||| 1 1 1 1", "expected source"),
        ("a ||| b ||| 1 1 1", "4 numbers"),
        ("a ||| b ||| 1 1 one 1", "should be numbers"),
        ("a ||| b ||| 1 1 -1 1", "none negative"),
        ("a ||| b ||| 1 1 nan 1", "none negative"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 x 1", "should be numbers"),
    ],
)
def test_malformed_lines_are_refused_with_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "table", TABLE + line + "\n")
    with pytest.raises(BadInputError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:5: ")


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read: No such file"):
        read(tmp_path / "missing")
    (tmp_path / "latin").write_bytes("a ||| ñ ||| 1 1 1 1\n".encode("latin-1"))
    with pytest.raises(BadInputError, match="not UTF-8"):
        read(tmp_path / "latin")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TABLE.encode() * 50)[:-20])
    with pytest.raises(BadInputError, match="damaged or incomplete"):
        read(tmp_path / "cut.gz")
