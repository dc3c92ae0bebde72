"""Engines that one can get: the index of Argos packages, from its usual place, a mirror or a file.

The index is a JSON list with one entry for each package: `from_code` and `to_code`, `from_name` and `to_name`,
`package_version`, and `links` to its file. Argos Translate publishes it (github.com/argosopentech/argospm-index).

>>> index = b'[{"from_code": "en", "to_code": "pb", "package_version": "1.9", "links": ["http://127.0.0.1/en_pb.argosmodel"]}]'
>>> [(each.name, each.target, each.version) for each in offers(index)]
[('en-pt-BR', 'pt-BR', '1.9')]
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from dragoman.errors import BadInputError

INDEX = "https://raw.githubusercontent.com/argosopentech/argospm-index/main/index.json"
CODES = {"pb": "pt-BR", "zt": "zh-Hant"}  # of Argos, and what everybody else writes
LICENCE = "see the package's own README; most are trained on OPUS and are under MIT or CC0"


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """A package that can be fetched."""

    name: str
    source: str
    target: str
    version: str
    links: tuple[str, ...]
    about: str = ""
    licence: str = LICENCE


def offers(index: bytes, where: str = INDEX) -> list[EngineOffer]:
    """The packages of an index that have a link, the newest of each pair, by name."""
    try:
        found = [_offer(entry) for entry in json.loads(index) if entry.get("type", "translate") == "translate"]
    except (ValueError, AttributeError, KeyError, TypeError):
        remedy = "give the address of an index of Argos packages"
        raise BadInputError("this is not an index of engines", where=where, remedy=remedy) from None
    newest: dict[str, EngineOffer] = {}
    for each in found:
        if each.links and (each.name not in newest or _order(newest[each.name].version) < _order(each.version)):
            newest[each.name] = each
    return [newest[name] for name in sorted(newest)]


def _offer(entry: dict[str, object]) -> EngineOffer:
    source, target = (CODES.get(code, code) for code in (str(entry["from_code"]), str(entry["to_code"])))
    links = entry.get("links", [])
    about = f"{entry.get('from_name', source)} to {entry.get('to_name', target)}, Argos Translate"
    usable = tuple(str(each) for each in links if "://" in str(each)) if isinstance(links, list) else ()
    return EngineOffer(f"{source}-{target}", source, target, str(entry.get("package_version", "")), usable, about)


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))
