"""Which of the named glossaries, shared by the interfaces of DeepL and ModernMT, a caller may use and change."""

from __future__ import annotations

from collections.abc import Sequence

from dragoman.project.glossary import Glossary
from dragoman.server.api_errors import ApiError
from dragoman.server.auth import lacks_role
from dragoman.server.compatible.call import Call
from dragoman.server.glossary_store import NamedGlossary, joined


def may_use(call: Call, glossary: NamedGlossary) -> bool:
    """Whether a glossary belongs to the caller; whoever administrates the server sees all of them."""
    return glossary.owner == call.identity.client or call.identity.has_role("admin")


def usable(call: Call) -> list[NamedGlossary]:
    """The glossaries that the caller may use."""
    return [each for each in call.server.glossaries.all() if may_use(call, each)]


def look_up(call: Call, wanted: str) -> NamedGlossary | None:
    """The glossary with this id, if there is one that the caller may use."""
    found = call.server.glossaries.find(wanted)
    return found if found and may_use(call, found) else None


def find_glossary(call: Call, wanted: str) -> NamedGlossary:
    """The same; refused if there is none."""
    if found := look_up(call, wanted):
        return found
    raise ApiError(404, "no such glossary", "see /v2/glossaries")


def find_glossaries(call: Call, wanted: str) -> list[NamedGlossary]:
    """The glossaries of a group, or the one with this id."""
    group = [each for each in usable(call) if wanted == (each.group or each.id)]
    return group or [find_glossary(call, wanted)]


def find_terms(call: Call, source: str, target: str) -> Glossary | None:
    """The terms of the glossary that a call names, if it names one."""
    wanted = call.given.get("glossary_id")
    return joined(find_glossaries(call, str(wanted)), source, target) if wanted else None


def listed_terms(call: Call, source: str, target: str) -> Glossary | None:
    """The terms of all the glossaries that a call names."""
    found: Sequence[NamedGlossary | None] = [look_up(call, each) for each in call.names("glossaries")]
    return joined([each for each in found if each], source, target)


def check_may_change(call: Call, source: str, target: str) -> None:
    """Glossaries are changed by those who may learn between their languages."""
    if not call.fitting(source, target, "learn") and not call.identity.has_role("learn"):
        raise lacks_role("learn", f"in a project from {source} to {target}")
