"""The strings of a JSON file with their paths and places, from the whole file as a tree."""

from __future__ import annotations

from collections.abc import Iterator

from dragoman.formats.contents import Contents
from dragoman.formats.json_tree import Value, read_json


def strings(contents: Contents) -> list[tuple[tuple[str, ...], int, int, str]]:
    """Path, start, end and text of every string."""
    return list(_strings(read_json(contents), ()))


def _strings(value: Value, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int, int, str]]:
    if value.text is not None:
        yield path, value.start, value.end, value.text
    for name, member in (value.members or {}).items():
        yield from _strings(member, (*path, name))
    for number, item in enumerate(value.items or []):
        yield from _strings(item, (*path, str(number)))
