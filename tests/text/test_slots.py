"""Tags and places that a program fills in are known by their look, in a layer as in its base, whenever they came."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.language_side import SIGNS, Slots
from dragoman.text.tokens import is_slot, split
from dragoman.text.vocabulary import Vocabulary

SLOTS = ["{0}", "{name}", "{{x}}", "%s", "%(name)s", "%1$s", "%PATH%", "${x}", "$key", "<b>", "</b>", "<br/>"]
OTHERS = ["archivo", "%", "$", "<", "{", "[", "&nbsp;", "`x`", "https://x.org/%20", "\\n", "a<b", "$5", "[1]_", "ñ"]

words = st.sampled_from(SLOTS + OTHERS) | st.text(min_size=1)


def test_slots_are_told_from_other_words() -> None:
    assert [is_slot(word) for word in SLOTS] == [True] * len(SLOTS)
    assert not any(map(is_slot, OTHERS))


@given(words)
def test_a_slot_is_a_placeable_with_one_of_the_signs(word: str) -> None:
    if is_slot(word):
        assert split(word).words == (word,)
        assert split(word).placeable == (True,)
        assert set(word.encode()) & set(SIGNS)


@given(st.lists(words), st.lists(words), st.lists(st.lists(words), max_size=5))
def test_marks_are_what_each_word_looks_like(below: list[str], before: list[str], added: list[list[str]]) -> None:
    base = Vocabulary()
    base.ids(below, add=True)
    base_slots = Slots(base)
    layer = Vocabulary(base)
    layer.ids(before, add=True)
    slots = Slots(layer, base_slots)
    for more in [*added, []]:
        for each, vocabulary in ((slots, layer), (base_slots, base)):
            known = vocabulary.words(range(4, len(vocabulary)))  # the first are special, and no slots however written
            assert each.marks().tolist() == [False] * 4 + [is_slot(word) for word in known]
        layer.ids(more, add=True)


@given(st.lists(words), st.integers(0, 12))
def test_words_with_any_of_some_signs(given_words: list[str], first: int) -> None:
    vocabulary = Vocabulary()
    vocabulary.ids(given_words, add=True)
    expected = [n for n in range(max(first, 4), len(vocabulary)) if set(vocabulary.word(n).encode()) & set(b"%<")]
    assert vocabulary.with_any(b"%<", first).tolist() == expected
