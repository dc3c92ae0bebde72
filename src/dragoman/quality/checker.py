"""All checks of one pair of texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from dragoman.project.glossary import Glossary
from dragoman.quality.finding import Finding
from dragoman.quality.numerals import find_numbers
from dragoman.quality.placeholders import find_signs, find_slots
from dragoman.quality.punctuation import find_end, find_spaces
from dragoman.quality.terminology import Find, FindRules, find_forbidden, find_terms
from dragoman.quality.untranslated import Known, find_untranslated
from dragoman.text.tokens import split


def _knows_all(_: str) -> bool:
    return True


class Checker:
    """Checks translations from one language into another; it changes nothing and may be shared by threads.

    `glossary` has the terms, or finds them in a sentence; `rules` finds what else holds for terms. `known` tells which
    words the target language has: without it, copied words are not looked at.
    """

    def __init__(
        self,
        source: str,
        target: str,
        glossary: Mapping[str, str] | Find | None = None,
        known: Known = _knows_all,
        off: Collection[str] = (),
        rules: FindRules = lambda *_: [],
    ) -> None:
        self.source, self.target, self.off = source, target, frozenset(off)
        self.find_terms = glossary if callable(glossary) else Glossary(glossary or {}).find
        self.find_rules = rules
        self.known = known

    def check(
        self, source: str, target: str, *, limit: int | None = None, inline: Collection[str] = ()
    ) -> list[Finding]:
        """What may be wrong with a translation, in the order of the list of checks.

        `limit` is the number of characters that the file allows; `inline` are tags that the file itself has, which are
        not looked at here: whether they fit, only the file can say.
        """
        if not target.strip():
            return []
        found = self._find(source, target, limit, inline)
        return [finding for finding in found if finding.check not in self.off]

    def _find(self, source: str, target: str, limit: int | None, inline: Collection[str]) -> Iterator[Finding]:
        one, other = split(_without(source, inline)), split(_without(target, inline))
        yield from find_slots(one, other)
        yield from find_signs(one, other)
        yield from find_untranslated(one, other, self.known)
        if limit is not None and len(target) > limit:
            what = f"has {len(target)} characters, {len(target) - limit} more than the file allows"
            yield Finding("length", what, limit, len(target))
        yield from find_numbers(one, other)
        yield from find_forbidden(one, other, self.find_terms, self.find_rules)
        yield from find_terms(one, other, self.find_terms, self.find_rules)
        yield from find_end(source, target, self.target)
        yield from find_spaces(source, target)


def _without(text: str, inline: Collection[str]) -> str:
    """A text with spaces in the place of some tags, so that all positions stay."""
    for tag in inline:
        text = text.replace(tag, " " * len(tag))
    return text
