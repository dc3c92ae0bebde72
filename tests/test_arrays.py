"""The tree of arrays, and the names and bytes that older versions wrote."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from dragoman.arrays import ArrayTree, Restorable
from dragoman.errors import BadInputError
from dragoman.models.knowledge import Knowledge

NAMES = st.lists(st.sampled_from(["models", "source", "own", "factors' own", "x"]), min_size=1, max_size=3)
ARRAYS = arrays_of.arrays(
    st.sampled_from([np.int64, np.int32, np.float64, np.bool_, np.uint8]),
    arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4),
)
TREES = st.dictionaries(NAMES.map(".".join), ARRAYS, max_size=6)


def assert_same(found: ArrayTree, wanted: dict[str, np.ndarray]) -> None:
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype, name
        np.testing.assert_array_equal(found[name], array, err_msg=name)


@given(TREES, NAMES.map(".".join))
def test_what_was_put_under_a_prefix_is_found_under_it(part: dict[str, np.ndarray], prefix: str) -> None:
    tree = ArrayTree(elsewhere=np.zeros(1))
    tree.put(prefix, part)
    assert {name: id(array) for name, array in tree.under(prefix).items()} == {n: id(a) for n, a in part.items()}


def test_a_longer_name_is_not_under_a_prefix() -> None:
    tree = ArrayTree({"source.a": np.zeros(1), "source_ends": np.zeros(1), "source": np.zeros(1)})
    assert list(tree.under("source")) == ["a"]


@given(TREES)
def test_a_block_gives_back_what_was_packed(tree: dict[str, np.ndarray]) -> None:
    assert_same(ArrayTree.unpack(*ArrayTree(tree).pack()), tree)


@given(TREES)
def test_a_journal_row_gives_back_the_tree_and_its_label(tree: dict[str, np.ndarray]) -> None:
    found, label = ArrayTree.from_bytes(ArrayTree(tree).to_bytes("Ridge"))
    assert_same(found, tree)
    assert label == "Ridge"


def test_arrays_of_a_block_can_be_written_to() -> None:
    block, places = ArrayTree(counts=np.zeros(2)).pack()
    ArrayTree.unpack(block, places)["counts"][0] = 5
    assert ArrayTree.unpack(block, places)["counts"].tolist() == [5, 0]


def test_only_numbers_go_into_a_journal_row() -> None:
    with pytest.raises(BadInputError, match="array 'names' has the type <U1"):
        ArrayTree(names=np.array(["a"])).to_bytes("Ridge")


def test_a_model_is_saved_and_restored_by_the_names_of_its_parts() -> None:
    class Counts(Restorable):
        own_arrays = ("sums",)

        def __init__(self) -> None:
            self.sums = np.zeros(2)

    class Model(Restorable):
        parts = ("source", "target")

        def __init__(self) -> None:
            self.source, self.target = Counts(), Counts()

    model, other = Model(), Model()
    model.target.sums = np.array([3.0, 4.0])
    source = other.source
    other.restore(model.arrays())
    assert other.target.sums is model.target.sums
    assert other.source is source  # whoever else refers to a part goes on doing so


# ── What older versions wrote ────────────────────────────────────────────────────────────────────────────────────────


def test_a_block_of_an_older_version_is_read() -> None:
    """Each array in the .npy format at a multiple of 64, in whatever order."""
    wanted = {"memory.ids": np.array([4, 2]), "weights": np.array([0.5]), "empty": np.zeros((0, 3), np.int32)}
    file, places = io.BytesIO(), {}
    for name, array in reversed(wanted.items()):
        file.write(bytes(-file.tell() % 64))
        places[name] = file.tell()
        np.save(file, array)
    block = np.frombuffer(file.getvalue(), np.uint8)
    assert_same(ArrayTree.unpack(block, {name: places[name] for name in wanted}), wanted)


def test_a_journal_row_of_an_older_version_is_read_and_would_be_written_the_same() -> None:
    row = b'["Ridge",[["weights","<f8",[1]],["own.n","<i4",[2,1]],["on","|b1",[1]]]]\n'
    row += np.array([0.5]).tobytes() + np.array([1, 2], "<i4").tobytes() + b"\x01"
    tree, label = ArrayTree.from_bytes(row)
    assert_same(tree, {"weights": np.array([0.5]), "own.n": np.array([[1], [2]], np.int32), "on": np.array([True])})
    assert tree.to_bytes(label) == row


TABLE = ("keys", "slots", "state")
SIDE = {
    "casing.forms": (*TABLE, "column.inside", "column.start"),
    "casing.mixed": (*TABLE, "column.count", "column.sum"),
    "casing.habits": (*TABLE, "column.yes", "column.no"),
    "spacing": (*TABLE, "column.count"),
}
WORDS = {"": ("bytes", "ends"), "index": TABLE}
ALIGNMENT = {
    "": ("size", "lost"),
    **dict.fromkeys(("links", "targets", "jumps", "origins", "sources"), (*TABLE, "column.amount")),
}
PHRASES = {
    "": ("orientations", "state"),
    "sources": (*TABLE, "column.uses", "column.total", "column.head"),
    "targets": (*TABLE, "column.uses", "column.total"),
    "pairs": (
        *TABLE,
        *(f"column.{name}" for name in ("counts", "previous_monotone", "previous_swap", "next_monotone", "next_swap")),
        *("column.after", "column.before"),
    ),
}
LANGUAGE = {"": ("scalars",), "inner": (*TABLE, "column.grams"), "outer": (*TABLE, "column.longest")}
OWN = {"own": (*TABLE, "column.grams", "scalars")}
# What came later: the counts that three discounts need
LATER = {"models.language.few_scalars", "models.language.inner.column.few"}
LATER_OWN = {"models.language.own.few_scalars", "models.language.own.column.few"}
LENGTHS = {"": ("pooled",), "table": (*TABLE, "column.samples", "column.sums", "column.squares")}


def saved_names(*, layer: bool) -> set[str]:
    """The names of a saved base, or of a layer over one, as version 0.1 has them."""
    parts = {"source": SIDE, "target": SIDE, "models.source": WORDS, "models.target": WORDS}
    parts |= {"models.inverse": ALIGNMENT, "models.direct": ALIGNMENT, "models.phrases": PHRASES}
    parts |= {"models.language": LANGUAGE | (OWN if layer else {}), "models.lengths": LENGTHS}
    return {
        ".".join(filter(None, (part, branch, name)))
        for part, branches in parts.items()
        for branch, names in branches.items()
        for name in names
    }


@pytest.mark.parametrize("layer", [False, True])
def test_names_of_what_is_saved_stay_what_they_were(layer: bool) -> None:
    knowledge = Knowledge(Knowledge() if layer else None)
    knowledge.learn(knowledge.read_pair("Press the green button.", "Pulse el botón verde."))
    assert set(knowledge.arrays()) == saved_names(layer=layer) | LATER | (LATER_OWN if layer else set())
