"""What a check has found, and the list of checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["error", "question", "warning"]


@dataclass(frozen=True)
class Finding:
    """Something that may be wrong with a translation; positions are characters, from `start` to before `end`."""

    check: str
    what: str
    start: int | None = None  # in the target
    end: int | None = None
    source_start: int | None = None
    source_end: int | None = None

    @property
    def severity(self) -> Severity:
        """An error cannot be delivered, a question is asked before confirming, a warning is only shown."""
        return CHECKS[self.check].severity


class CheckKind(NamedTuple):
    """What a check looks for, and how serious that is."""

    severity: Severity
    about: str


CHECKS: dict[str, CheckKind] = {
    "file": CheckKind("error", "Text that the file cannot hold: broken inline tags, characters that its format lacks."),
    "tags": CheckKind("question", "Tags that are missing, added or badly nested."),
    "placeholders": CheckKind("question", "Placeholders, such as {count} or %s, that are missing or added."),
    "untranslated": CheckKind("question", "Words copied from the source that the project does not know in its target."),
    "length": CheckKind("question", "Translations longer than the file allows."),
    "forbidden": CheckKind("question", "Translations that the glossary forbids."),
    "numbers": CheckKind("warning", "Numbers that are missing or added."),
    "glossary": CheckKind("warning", "Terms of the glossary that are not translated as it says."),
    "punctuation": CheckKind(
        "warning", "Punctuation at the end that differs from the source, and emoji that are missing."
    ),
    "spaces": CheckKind(
        "warning", "Double spaces, and spaces at the beginning or the end that differ from the source."
    ),
    "same-source": CheckKind("warning", "The same source with different translations."),
    "same-target": CheckKind("warning", "The same translation for different sources."),
}
