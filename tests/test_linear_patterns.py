"""No pattern of the package takes more than linear time, whatever text it is given.

Every call of `re` in the source is found, and its pattern tried in the way in which it is used, on texts made from the
pattern itself: what stands before a repetition, what is repeated, many times, and something that makes it fail.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import dragoman

CALLS = frozenset({"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"})
parser: Any = importlib.import_module("re._parser")  # which `re` itself uses
sre: Any = importlib.import_module("re._constants")
REPEATED = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
CLASSES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
CHARACTERS = " \n\tab0Z_-.,:;!?'\"<>/(){}[]\\|=&%$#@*~^+`\rxé。？»\u00a0\x80\xff"
LARGE, LARGER = 4_000, 16_000  # characters
MOST = 120  # texts for a pattern
SMALL_QUICK = 0.05  # seconds: what takes longer for a text of at most 400 characters is slow
QUICK = 0.003  # seconds: what is done in this time for a large text is not looked at any more
SLOPE = 8.5  # times that a text four times as long may take; a quadratic pattern takes 16 times as long
PATIENCE = 0.7  # seconds of processor time for a pattern
# What the local names stand for in the patterns that are built of them when they are needed.
LOCALS = dict.fromkeys(
    ["code", "name", "prefix", "letter", "inside", "pattern", "first", "types", "version", "separator"], "x"
)
OBJECTS: dict[str, Any] = {
    "separator": ",",
    "names": ["b", "i"],
    "tags": ["<b>"],
    "rest": ["b"],
    "path": Path("a"),
    "module": SimpleNamespace(NAME="x", VERSION="/v1"),
    "self": SimpleNamespace(run="r"),
    "cues": [SimpleNamespace(shown="<x/>")],
}
GIVEN = ("text/patterns.py", "server/entities.py")  # which are given patterns that are elsewhere


def modules() -> Iterator[ModuleType]:
    """All modules of the package that can be imported here."""
    for found in pkgutil.walk_packages(dragoman.__path__, "dragoman."):
        if not found.name.endswith("__main__"):
            try:
                yield importlib.import_module(found.name)
            except ImportError:  # an optional library is not there
                continue


@cache
def patterns() -> dict[re.Pattern[Any], tuple[str, set[str]]]:
    """Each pattern, where it is, and the methods by which it is used."""
    places: dict[re.Pattern[Any], str] = {}
    used: dict[re.Pattern[Any], set[str]] = defaultdict(set)
    for module in modules():
        file = Path(str(module.__file__))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            where, what = f"{file.name}:{node.lineno}", node.func.attr
            if ast.unparse(node.func.value) == "re" and what in CALLS | {"compile"}:
                if not str(file).endswith(GIVEN):
                    places.setdefault(pattern := compiled(node, module), where)
                    used[pattern] |= {what} & CALLS
            elif what in CALLS:
                with suppress(Exception):  # it is something else than a pattern, and its name is not known here
                    found = value(node.func.value, module)
                    if isinstance(found, re.Pattern):
                        places.setdefault(found, where)
                        used[found].add(what)
    return {pattern: (where, used[pattern] or {"search"}) for pattern, where in places.items()}


def compiled(call: ast.Call, module: ModuleType) -> re.Pattern[Any]:
    """The pattern of a call of `re`."""
    others = [*call.args[1:], *(word.value for word in call.keywords)]
    flags = [value(each, module) for each in others if ast.unparse(each).startswith("re.")]
    try:
        return re.compile(value(call.args[0], module), sum(flags))
    except NameError as error:
        pytest.fail(f"{module.__name__}, line {call.lineno}: {error}; add an example of it to LOCALS or OBJECTS")


def value(node: ast.expr, module: ModuleType) -> Any:
    """What an expression of a module is, with examples for its local names."""
    code = compile(ast.Expression(node), str(module.__file__), "eval")
    return eval(code, {**LOCALS, **OBJECTS, **vars(module)})  # noqa: S307 (our own source)


def texts(pattern: re.Pattern[Any]) -> list[tuple[str, str, str]]:
    """What a text may be made of that takes this pattern long: a beginning, what is repeated, and an end."""
    raw = pattern.pattern
    flags = pattern.flags & ~(re.UNICODE if isinstance(raw, bytes) else 0)
    tree = list(parser.parse(raw.decode("latin-1") if isinstance(raw, bytes) else raw, flags))
    found = {("", example(tree, choice)) for choice in range(7)}
    for choice in range(7):
        for before, again in repetitions(tree, "", choice):
            found |= {(before, again), ("", before), ("", before + again), (before, again + again[:1] + before)}
    made = sorted((end, before, again) for before, again in found if again for end in ("\x00", ""))
    return [(before, again, end) for end, before, again in Random(0).sample(made, min(MOST, len(made)))]


def repetitions(tree: list[Any], before: str, choice: int) -> Iterator[tuple[str, str]]:
    """For each repetition without a bound, a text that leads to it and one that it matches once."""
    for number, (kind, what) in enumerate(tree):
        here = before + example(tree[:number], choice)
        if kind in REPEATED:
            if what[1] is sre.MAXREPEAT or what[1] > LARGE:
                yield here, example(what[2], choice)
            yield from repetitions(list(what[2]), here, choice)
        elif kind is sre.SUBPATTERN:
            yield from repetitions(list(what[3]), here, choice)
        elif kind is sre.ATOMIC_GROUP:
            yield from repetitions(list(what), here, choice)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from repetitions(list(what[1]), here, choice)
        elif kind is sre.BRANCH:
            for each in what[1]:
                yield from repetitions(list(each), here, choice)


def example(tree: Any, choice: int) -> str:
    """A text that a pattern matches, roughly; there are several to choose from."""
    return "".join(_example(kind, what, choice) for kind, what in tree)


def _example(kind: Any, what: Any, choice: int) -> str:
    if kind is sre.LITERAL:
        return chr(what)
    if kind in (sre.ANY, sre.NOT_LITERAL, sre.IN):
        members = (
            what if kind is sre.IN else [(sre.NEGATE, None), (sre.LITERAL, what if kind is sre.NOT_LITERAL else 10)]
        )
        known = [each for each in CHARACTERS if is_member(each, members)] or [_first(members)]
        return str(known[choice * len(known) // 7])
    if kind is sre.BRANCH:
        return example(what[1][choice % len(what[1])], choice)
    if kind is sre.SUBPATTERN:
        return example(what[3], choice)
    if kind is sre.ATOMIC_GROUP:
        return example(what, choice)
    if kind in REPEATED:
        return example(what[2], choice) * int(max(what[0], min(1, what[1])))
    return ""


def is_member(character: str, members: list[Any]) -> bool:
    """Whether a class of characters, as it was parsed, has one of them."""
    negated = any(kind is sre.NEGATE for kind, _ in members)
    for kind, what in members:
        if (
            (kind is sre.LITERAL and ord(character) == what)
            or (kind is sre.RANGE and what[0] <= ord(character) <= what[1])
            or (kind is sre.CATEGORY and re.match(CLASSES[what], character))
        ):
            return not negated
    return negated


def _first(members: list[Any]) -> str:
    kind, what = members[0]
    return "a" if kind is sre.NEGATE else chr(what[0] if kind is sre.RANGE else what)


def seconds(pattern: re.Pattern[Any], method: str, parts: tuple[str, str, str], size: int) -> float:
    """The processor time that a pattern takes for a text of some size."""
    before, again, end = parts
    text: Any = before + again * (size // len(again)) + end
    text = text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text
    began = time.thread_time()
    if method in ("sub", "subn"):
        pattern.sub(text[:0], text)
    elif method == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)
    return time.thread_time() - began


def is_slow(pattern: re.Pattern[Any], method: str, parts: tuple[str, str, str]) -> bool:
    """Whether the time that a pattern takes grows faster than its text."""
    for size in (16, 24, LARGE // 40, LARGE // 10):
        if seconds(pattern, method, parts, size) > SMALL_QUICK:  # far more than quadratic
            return True
    if (small := seconds(pattern, method, parts, LARGE)) < QUICK:
        return False
    small = min(small, seconds(pattern, method, parts, LARGE))
    return small > QUICK and seconds(pattern, method, parts, LARGER) > SLOPE * small


def slow(pattern: re.Pattern[Any], methods: set[str]) -> str:
    """How a pattern can be made to take long; empty if it cannot."""
    end = time.thread_time() + PATIENCE
    for method in sorted(methods):
        for parts in texts(pattern):
            if is_slow(pattern, method, parts):
                return f"{method} {parts}"
            if time.thread_time() > end:
                return ""
    return ""


@pytest.mark.parametrize("share", range(4))
def test_patterns_take_time_in_proportion_to_the_text(share: int) -> None:
    found = {f"{where} {pattern.pattern!r:.60}": slow(pattern, methods)
             for pattern, (where, methods) in list(patterns().items())[share::4]}  # fmt: skip
    assert {where: how for where, how in found.items() if how} == {}


@pytest.mark.parametrize("pattern", [r"\s+\Z", "<[^>]*>", r"(?:a|a)*b", r"[!?]+\d", r"x\s*=?\s*\d"])
def test_patterns_that_are_slow_are_found(pattern: str) -> None:
    assert slow(re.compile(pattern), {"search"})
