"""Searching corrections with wildcards."""

from __future__ import annotations

import time

import pytest

from dragoman.errors import BadInputError
from dragoman.server.concordance import compile_search, search


@pytest.mark.parametrize(
    ("wanted", "text", "places"),
    [
        ("boton", "El BOTÓN.", [(3, 8)]),
        ("BOTÓN", "el boton", [(3, 8)]),
        ("bot*", "botones, bote", [(0, 7), (9, 13)]),
        ("*ones", "botones", [(0, 7)]),
        ("b*n b?n", "balón, bien bon", [(7, 15)]),
        ("a*b*c", "axbxbxc", [(0, 7)]),
        ("a*c", "a c", []),
        ("strasse", "Straße", [(0, 6)]),
        ("(x)", "f(x)", [(1, 4)]),
    ],
)
def test_case_and_accents_do_not_matter_and_wildcards_stay_in_a_word(
    wanted: str, text: str, places: list[tuple[int, int]]
) -> None:
    found, total = search([(1, text, "")], wanted, 10)
    assert [each.in_source for each in found] == ([places] if places else [])
    assert total == bool(places)


def test_a_text_made_to_be_slow_is_not() -> None:
    began = time.monotonic()
    assert search([(1, "a" * 20_000, "a" * 20_000)], "a*" * 9 + "b", 10) == ([], 0)
    assert time.monotonic() - began < 10  # exponential time would be years


def test_too_many_wildcards_are_refused() -> None:
    with pytest.raises(BadInputError, match="10 wildcards"):
        compile_search("a*" * 20)
