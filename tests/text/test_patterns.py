"""Patterns with possessive groups, also where `re` gets them wrong."""

from __future__ import annotations

import re

import pytest

from dragoman.text import patterns, tokens

TEXTS = (
    'Press <b>ж</b>, {name} or `code` — l\'eau, צה"ל, 50%off, "don\'t" (USB\u200e).',
    "緑のボタンをOK。 https://x.org/a_(b). ./setup.py, e.g. %(name)s and $HOME/lib",
    "กดปุ่มสีเขียว ចុចប៊ូតុង ho‘omaka п'ять ב-2024 5분 👩‍🔧!!",
)


@pytest.mark.parametrize("text", TEXTS)
def test_where_re_is_wrong_another_library_finds_the_same_tokens(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "is_right", lambda: False)
    other = patterns.compile_pattern(tokens.token_pattern().pattern)
    assert type(other) is not re.Pattern
    ours = tokens.token_pattern().finditer(text)
    assert [found.span() for found in other.finditer(text)] == [found.span() for found in ours]


def test_an_assertion_that_fails_in_a_possessive_group_takes_nothing() -> None:
    found = patterns.compile_pattern("(?:a++|b(?=c))++").match("aab")
    assert found is not None
    assert found.group() == "aa"
