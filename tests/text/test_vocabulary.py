"""Words keep their ids for ever, over a base and through a save."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.files import open_arrays, write_arrays
from dragoman.text import vocabulary as module
from dragoman.text.vocabulary import END, NULL, SPECIAL, START, UNKNOWN, Vocabulary

pytestmark = pytest.mark.kernels

words = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6), max_size=40)


@settings(deadline=None)
@given(words, words)
def test_ids_are_given_in_order_and_never_change(below: list[str], above: list[str]) -> None:
    base = Vocabulary()
    for word in below:
        base.add(word)
    layer = Vocabulary(base)
    expected = {word: len(SPECIAL) + i for i, word in enumerate(dict.fromkeys(below + above))}
    assert [layer.add(word) for word in above] == [expected[word] for word in above]
    assert len(layer) == len(SPECIAL) + len(expected)
    assert layer.words(expected.values()) == list(expected)
    assert layer.ids(expected).tolist() == list(expected.values())
    assert len(base) == len(SPECIAL) + len(set(below))


def test_special_words_cannot_be_reached_by_text() -> None:
    vocabulary = Vocabulary()
    assert [vocabulary.word(i) for i in (UNKNOWN, START, END, NULL)] == list(SPECIAL)
    written = vocabulary.add("<s>")
    assert written not in (UNKNOWN, START, END, NULL)
    assert vocabulary.word(written) == "<s>"


@settings(deadline=None, max_examples=25)
@given(words, words)
def test_a_saved_vocabulary_opens_equal_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str]
) -> None:
    directory = tmp_path_factory.mktemp("vocabulary")
    vocabulary = Vocabulary()
    for word in before:
        vocabulary.add(word)
    write_arrays(directory, vocabulary.arrays(), {})
    opened = Vocabulary.from_arrays(open_arrays(directory)[0])
    assert opened.words(range(len(opened))) == vocabulary.words(range(len(vocabulary)))
    assert [opened.add(word) for word in after] == [vocabulary.add(word) for word in after]


def test_more_words_than_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 10)
    vocabulary = Vocabulary()
    many = [f"w{i}" for i in range(300)]
    ids = [vocabulary.add(word) for word in many]
    assert [vocabulary.id(word) for word in many] == ids
    assert vocabulary.words(ids) == many


def test_words_with_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    class OneHash:
        def __init__(self, *_: object, **__: object) -> None: ...

        def digest(self) -> bytes:
            return bytes(8)

    monkeypatch.setattr(module, "blake2b", OneHash)
    base = Vocabulary()
    base.add("a")
    layer = Vocabulary(base)
    assert layer.ids(["a", "b", "c", "b"], add=True).tolist() == [4, 5, 6, 5]
    assert layer.id("d") == UNKNOWN


def test_an_id_that_was_never_given_is_refused() -> None:
    with pytest.raises(IndexError, match="99"):
        Vocabulary().word(99)
