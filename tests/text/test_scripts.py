"""Letters are counted as one by one, whatever the script."""

from __future__ import annotations

import unicodedata
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from dragoman.text.identification import count_letters, count_scripts, script_of


@given(st.lists(st.text(max_size=8), max_size=8))
def test_counts_are_those_of_the_characters_one_by_one(words: list[str]) -> None:
    letters = [c for word in words for c in word if c.isalnum()]
    assert count_letters(words) == sum(3 if unicodedata.east_asian_width(c) in "WF" else 1 for c in letters)
    text = "".join(words)
    scripts = Counter(script_of(c) for c in text if c.isalpha())
    assert list(count_scripts(text).items()) == list(scripts.items())
