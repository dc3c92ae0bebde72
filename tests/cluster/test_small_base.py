"""A small base lacks only what nobody needs, and what it keeps is unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman import Engine
from dragoman.arrays import ArrayTree
from dragoman.cluster import small_base, sorted_tables
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.small_base_kernels import PruningRule
from dragoman.cluster.trainer import SMALL, train
from dragoman.errors import BadInputError
from dragoman.files import MANIFEST, open_arrays
from dragoman.models.alignment import AlignmentModel
from dragoman.models.alignment_kernels import UNIT
from dragoman.models.contribution import MAX_PHRASE_WORDS
from dragoman.models.knowledge import Knowledge
from dragoman.models.language import LanguageModel
from dragoman.models.phrases import PhraseModel
from dragoman.sample import pairs
from dragoman.tables.table_kernels import WORD_BITS
from tests.oracles.small_base import can_be_made, kept_grams, kept_links, kept_pairs

pytestmark = pytest.mark.kernels

PAIRS = pairs()[:200]


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[int], list[int], list[tuple[int, int]]]:
    """A sentence pair with links."""
    source = draw(st.lists(st.integers(4, 7), min_size=1, max_size=6))
    target = draw(st.lists(st.integers(4, 7), min_size=1, max_size=6))
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(link, unique=True, max_size=8))


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchDirectory:
    return ScratchDirectory(tmp_path)


RULES = st.builds(
    PruningRule,
    longest=st.just(MAX_PHRASE_WORDS),
    options=st.sampled_from([1, 2, 99]),
    longest_alone=st.sampled_from([0, 2, 99]),
    likely=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
)


@settings(max_examples=80, deadline=None)
@given(sentences=st.lists(samples(), min_size=1, max_size=5), rule=RULES)
def test_phrase_pairs_that_nobody_needs_are_left_out(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: list[tuple[list[int], list[int], list[tuple[int, int]]]],
    rule: PruningRule,
) -> None:
    full = PhraseModel()
    full.train([(f, e, np.array(links, np.int32).reshape(-1, 2)) for f, e, links in sentences])
    full.compact()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_base, "RULE", rule)
        patch.setattr(sorted_tables, "CHUNK", 7)
        arrays = small_base.small_phrases(full.arrays(), ScratchDirectory(tmp_path_factory.mktemp("small")))
    small = PhraseModel.from_arrays(arrays)
    counted = {(f, e): counts[0] for f, e, counts in full.contents()}
    kept = kept_pairs(counted, *rule[1:])
    assert small.contents() == [row for row in full.contents() if row[:2] in kept]
    if rule.options == rule.longest_alone == 99:
        assert all(can_be_made(pair, kept) for pair in counted)
    assert small.statistics()["dropped"] == sum(counted.values()) - sum(counted[pair] for pair in kept)
    for source in {source for source, _ in kept}:
        wanted = [option for option in full.options(source, 99) if (source, option.target) in kept]
        assert small.options(source, 99) == wanted  # with the totals of the full table, and in the same order


def test_a_search_is_offered_what_it_would_have_looked_at(scratch: ScratchDirectory) -> None:
    full = PhraseModel()
    for target in (4, 4, 5, 5, 6, 7):
        full.add([1], [target], [[0, 0]])
    full.compact()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_base, "RULE", small_base.RULE._replace(options=3))
        small = PhraseModel.from_arrays(small_base.small_phrases(full.arrays(), scratch))
    assert small.options([1], 3) == full.options([1], 3)
    assert len(small.pairs) == 3


@settings(max_examples=40, deadline=None)
@given(amounts=st.dictionaries(st.tuples(st.integers(4, 6), st.integers(4, 8)), st.integers(1, 10**7), min_size=1))
def test_links_of_which_next_to_nothing_was_expected_are_left_out(
    tmp_path_factory: pytest.TempPathFactory, amounts: dict[tuple[int, int], int]
) -> None:
    full = AlignmentModel()
    totals = {e: sum(amount for (word, _), amount in amounts.items() if word == e) for e, _ in amounts}
    full.tables["links"].add([e << WORD_BITS | f for e, f in amounts], amount=list(amounts.values()))
    full.tables["targets"].add(list(totals), amount=list(totals.values()))
    full.compact()
    arrays = small_base.small_alignment(full.arrays(), ScratchDirectory(tmp_path_factory.mktemp("small")))
    small = AlignmentModel.from_arrays(arrays)
    kept = kept_links(amounts, totals, small_base.FAINT[0] * UNIT, small_base.FAINT[1])
    found = small.tables["links"].contents()
    assert dict(zip(found["key"].tolist(), found["amount"].tolist(), strict=True)) == {
        e << WORD_BITS | f: amounts[e, f] for e, f in kept
    }
    assert small.dropped == len(amounts) - len(kept)
    assert small.tables["targets"].contents()["amount"].tolist() == [totals[e] for e in sorted(totals)]


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=7)


@settings(max_examples=60, deadline=None)
@given(
    sentences=st.lists(WORDS, min_size=1, max_size=6),
    order=st.integers(1, 5),
    smoothing=st.sampled_from(["kneser-ney", "modified"]),
)
def test_n_grams_counted_once_are_left_out_unless_others_need_them(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]], order: int, smoothing: str
) -> None:
    full = LanguageModel(order, smoothing=smoothing)
    for sentence in sentences:
        full.add(sentence)
    full.compact()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_tables, "CHUNK", 7)
        arrays = small_base.small_language(full.arrays(), ScratchDirectory(tmp_path_factory.mktemp("small")))
    small = LanguageModel.from_arrays(arrays, full.vocabulary)
    counts = full.counts()
    kept = kept_grams({gram: row[0] for gram, row in counts.items() if gram})
    assert small.counts() == {gram: row for gram, row in counts.items() if not gram or gram in kept}
    for gram in kept:  # whatever is kept is as probable as before, if all that it backs off to is kept too: it is
        assert small.prob(gram[-1], gram[:-1]) == full.prob(gram[-1], gram[:-1])


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full base and a small one, both trained on the same pairs."""
    directory = tmp_path_factory.mktemp("bases")
    train(PAIRS, directory / "full")
    train(PAIRS, directory / "small", size=SMALL, shards=3)
    return directory


def test_a_small_base_is_the_same_for_any_number_of_shards(bases: Path, tmp_path: Path) -> None:
    train(PAIRS, tmp_path / "one", size=SMALL, shards=1)
    assert (tmp_path / "one" / MANIFEST).read_bytes() == (bases / "small" / MANIFEST).read_bytes()


def test_a_small_base_says_so_and_takes_less_room(bases: Path) -> None:
    (full, about_full), (small, about_small) = (open_arrays(bases / name) for name in ("full", "small"))
    assert about_small == {**about_full, "size": "small"}
    assert sum(array.nbytes for array in small.values()) < 0.6 * sum(array.nbytes for array in full.values())
    changed = "models.phrases", "models.language", "models.classes", "models.inverse", "models.direct"
    unchanged = [name for name in full if not name.startswith(changed)]
    assert all(np.array_equal(full[name], small[name]) for name in unchanged)
    assert ArrayTree(small).keys() == full.keys()


def test_learning_over_a_small_base_can_be_taken_back(bases: Path) -> None:
    base = Knowledge.open(bases / "small")
    knowledge = Knowledge(base)
    pair = knowledge.read_pair(*pairs()[300])
    contribution = knowledge.learn(pair)
    assert knowledge.models.phrases.phrase_count > base.models.phrases.phrase_count
    assert knowledge.models.language.counts() != base.models.language.counts()
    knowledge.forget(pair, contribution)
    assert knowledge.models.phrases.contents() == []
    assert knowledge.models.language.counts() == base.models.language.counts()
    assert len(knowledge.models.language) == len(knowledge.models.classes.language) == 0  # no empty entries stay


def test_a_project_translates_over_a_small_base(bases: Path, tmp_path: Path) -> None:
    with Engine.create(tmp_path / "project", source="en", target="es", base=bases / "small") as engine:
        source, target = PAIRS[3]
        assert engine.translate(source).text
        engine.learn(source, target)
        assert engine.translate(source).text == target


@pytest.mark.parametrize(
    ("options", "message"), [({"size": "tiny"}, "small or full"), ({"size": SMALL, "least": 2}, "both")]
)
def test_sizes_that_make_no_sense_are_refused(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        train(PAIRS, tmp_path / "base", **options)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
