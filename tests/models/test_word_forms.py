"""Related words: the index against comparing with every word, and what it takes for a relative."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.models.modelset import ModelSet
from dragoman.models.word_forms import MAX_RELATED, WordForms, is_plain
from tests.oracles import word_forms as oracle

pytestmark = pytest.mark.kernels

VERBS = ("climb", "paint", "shout", "clean", "march")
STEMS = ("abab", "abba", "ababa", "bababa", "bbbab", "babab", "aabab")
ENDINGS = ("", "a", "b", "ab", "aba", "baa")

some_words = st.sets(st.tuples(st.sampled_from(STEMS), st.sampled_from(ENDINGS)).map("".join), min_size=10, max_size=35)


def known(*words: str, base: ModelSet | None = None) -> ModelSet:
    """Models that know a translation of each word."""
    models = ModelSet(base)
    for word in words:
        models.add([word], [word.upper()])
    return models


def verbs(*endings: str) -> list[str]:
    return [verb + ending for verb in VERBS for ending in endings]


@given(some_words, some_words, st.sampled_from(STEMS), st.sampled_from(ENDINGS))
@settings(max_examples=60, deadline=None)
def test_inflections_are_those_that_comparing_with_every_word_finds(
    below: set[str], above: set[str], stem: str, ending: str
) -> None:
    word = stem + ending
    base, layer = below - {word}, above - below - {word}
    models = known(*sorted(layer), base=known(*sorted(base)))
    found = [form for form in models.forms.related(word) if form != word.capitalize()]
    assert found == oracle.inflections(word, base, layer)[:MAX_RELATED]


@given(st.dictionaries(st.text("abs", min_size=4, max_size=5), st.integers(1, 3), max_size=5), st.data())
@settings(max_examples=60, deadline=None)
def test_compounds_are_cut_where_trying_all_ways_cuts_them(counts: dict[str, int], data: st.DataObject) -> None:
    models = known(*(word for word, n in counts.items() for _ in range(n)))
    parts = data.draw(st.lists(st.sampled_from(sorted(counts) or ["abab"]), min_size=2, max_size=3))
    word = data.draw(st.sampled_from(["", "s", "es"])).join(parts)
    assert models.forms.parts(word) == oracle.parts(word, counts)


def test_endings_must_alternate_in_five_other_words() -> None:
    assert known(*verbs("s", "ed"), "laughs").forms.related("laughed") == ["laughs"]
    assert known(*verbs("s", "ed")[:-1], "laughs").forms.related("laughed") == []


def test_endings_that_alternate_in_the_base_are_believed_at_once() -> None:
    base = known(*verbs("s", "ed"))
    assert known("laughs", base=base).forms.related("laughed") == ["laughs"]


def test_a_word_learned_later_is_found() -> None:
    models = known(*verbs("s", "ed"))
    assert models.forms.related("laughed") == []
    models.add(["laughs"], ["ríe"])
    assert models.forms.related("laughed") == ["laughs"]


def test_what_was_forgotten_has_no_influence() -> None:
    models = known(*verbs("s", "ed")[:-1], "laughs")
    last = models.add(["marched"], ["marchó"])
    assert models.forms.related("laughed") == ["laughs"]
    models.remove(last)
    assert models.forms.related("laughed") == []


def test_restored_models_find_the_same() -> None:
    models = known(*verbs("s", "ed"), "laughs")
    assert models.forms.related("laughed")
    again = ModelSet.from_arrays(models.arrays())
    assert again.forms.related("laughed") == models.forms.related("laughed")
    models.restore(known("other").arrays())
    assert models.forms.related("laughed") == []


def test_the_same_word_with_or_without_a_capital_comes_first() -> None:
    models = known(*verbs("s", "ed"), "laughs", "Laughed")
    assert models.forms.related("laughed") == ["Laughed", "laughs"]
    assert models.forms.related("Laughing") == []
    assert known("press").forms.related("Press") == ["press"]


@pytest.mark.parametrize("word", ["x86_64", "mp3s", "HTTPS", "fooBar", "sys.path", "v2", "12th", "a_b", "don’t"])
def test_numbers_acronyms_and_identifiers_have_no_relatives(word: str) -> None:
    assert not is_plain(word)
    forms = known(word.lower(), word[:-1], word[0].swapcase() + word[1:]).forms
    assert (forms.related(word), forms.parts(word)) == ([], ())


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("Handschuhfach", ("Handschuh", "Fach")),
        ("Arbeitszimmer", ("Arbeit", "Zimmer")),
        ("Straßenlampe", ("Straße", "Lampe")),
        ("Kinderzimmerlampe", ("Kind", "Zimmer", "Lampe")),
        ("Handschuh-Fach", ("Handschuh", "Fach")),
        ("Arbeitshose", ()),
    ],
)
def test_german_compounds(word: str, parts: tuple[str, ...]) -> None:
    forms = known("Handschuh", "Fach", "Arbeit", "Zimmer", "Straße", "Lampe", "Kind").forms
    assert forms.parts(word) == parts


def test_the_more_frequent_parts_win() -> None:
    words = ("Staub", "Ecken", "Stau", "Becken")
    assert known(*words, "Staub", "Ecken").forms.parts("Staubecken") == ("Staub", "Ecken")
    assert known(*words, "Stau", "Becken").forms.parts("Staubecken") == ("Stau", "Becken")


def test_empty_models_know_no_relatives() -> None:
    forms = ModelSet().forms
    assert isinstance(forms, WordForms)
    assert (forms.related("laughed"), forms.parts("laughed"), forms.related(""), forms.parts("-")) == ([], (), [], ())
