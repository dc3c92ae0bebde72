r"""Rules for sentences from a file of the user's, in SRX 2.0.

Where a text may be divided, the first rule that fits decides: what it says about the text before the place and about
the text after it must both match. Rules are tried in the order of the file, those of the first language pattern that
fits (with `cascade="yes"`, those of all that fit, one after the other).

>>> rules = read_srx(rb'''<srx xmlns="http://www.lisa.org/srx20" version="2.0">
... <header cascade="no"/><body><languagerules><languagerule languagerulename="any">
... <rule break="no"><beforebreak>\bfig\.</beforebreak><afterbreak>\s</afterbreak></rule>
... <rule break="yes"><beforebreak>[.;]</beforebreak><afterbreak>\s</afterbreak></rule></languagerule></languagerules>
... <maprules><languagemap languagepattern=".*" languagerulename="any"/></maprules></body></srx>''', "rules.srx")
>>> text = "See fig. 2; then stop. Go."
>>> [text[begin:end] for begin, end in zip([0, 12, 23], [*rules(text, "en"), len(text)])]
['See fig. 2; ', 'then stop. ', 'Go.']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.formats.contents import DECLARED, check_size, decode
from dragoman.formats.elements import Element, Scanner

SECONDS = 5.0  # that a rule may take for one paragraph
MOST_RULES = 20_000


class BreakRule(NamedTuple):
    """Whether a text is divided where `before` ends and `after` begins."""

    breaks: bool
    before: str
    after: str


@dataclass(frozen=True)
class SentenceRules:
    """Called with a text and its language, finds where sentences begin, except the first."""

    name: str
    cascade: bool
    maps: tuple[tuple[str, str], ...]  # pattern of a language code, name of its rules
    rules: dict[str, tuple[BreakRule, ...]]

    def __hash__(self) -> int:
        return id(self)

    def __call__(self, text: str, language: str | None) -> list[int]:
        """The positions where a sentence begins; the white space between two belongs to the first."""
        decided: dict[int, bool] = {}
        for breaks, pattern in self._patterns(language or ""):
            try:
                for match in pattern.finditer(text, timeout=SECONDS):
                    decided.setdefault(match.start(), breaks)
            except TimeoutError:
                what = f"a rule takes more than {SECONDS:g} seconds for a paragraph of {len(text):,} characters"
                raise BadInputError(what, where=self.name, remedy="simplify the rule") from None
        places = {_after_space(text, place) for place, breaks in decided.items() if breaks}
        return sorted(places - {0, len(text)})

    @lru_cache  # noqa: B019 (rules live as long as the program)
    def _patterns(self, language: str) -> list[tuple[bool, Any]]:
        found: list[BreakRule] = []
        for pattern, name in self.maps:
            if _compile(pattern, self.name).fullmatch(language):
                found += self.rules.get(name, ())
                if not self.cascade:
                    break
        return [(rule.breaks, _place(rule, self.name)) for rule in found]


def read_srx(data: bytes, name: str) -> SentenceRules:
    """Read a file of rules; every expression in it is compiled before anything is divided."""
    check_size(data, name)
    contents = decode(data, name, hint=DECLARED)
    rules: dict[str, tuple[BreakRule, ...]] = {}
    maps: list[tuple[str, str]] = []

    def visit(element: Element, _: list[Element]) -> None:
        if element.name == "languagerule":
            rules[element.attributes.get("languagerulename", "")] = tuple(map(_rule, _children(element, "rule")))
        else:
            pattern = element.attributes.get("languagepattern", "")
            maps.append((pattern, element.attributes.get("languagerulename", "")))

    scanner = Scanner(contents.text.encode(), contents, frozenset({"languagerule", "languagemap"}), visit)
    scanner.scan()
    if sum(map(len, rules.values())) > MOST_RULES:
        raise BadInputError(f"has more than {MOST_RULES:,} rules", where=name, remedy="leave out other languages")
    if not rules or not maps:
        raise BadInputError("has no rules for sentences", where=name, remedy="use an SRX 2.0 file")
    header = scanner.outside.get("header")
    found = SentenceRules(name, header is not None and header.attributes.get("cascade") == "yes", tuple(maps), rules)
    for some in rules.values():
        for rule in some:
            _compile(rule.before, name)
            _compile(rule.after, name)
    return found


def _rule(element: Element) -> BreakRule:
    before, after = ("".join(map(_text, _children(element, part))) for part in ("beforebreak", "afterbreak"))
    return BreakRule(element.attributes.get("break", "yes") != "no", before, after)


def _children(element: Element, name: str) -> list[Element]:
    return [each for each in element.elements if each.name == name]


def _text(element: Element) -> str:
    return "".join(each for each in element.content if isinstance(each, str))


def _place(rule: BreakRule, where: str) -> Any:
    """An expression that matches, with no length, where the rule fits."""
    before = f"(?<={rule.before})" if rule.before else ""
    after = f"(?={rule.after})" if rule.after else ""
    return _compile(f"{before}{after}" or "(?!)", where)


def _compile(pattern: str, where: str) -> Any:
    """SRX has the expressions of ICU, which `regex` reads but for a few spellings."""
    library = load("regex", "files")
    try:
        return library.compile(_without_icu_spellings(pattern), library.V1 | library.MULTILINE)
    except library.error as error:
        what = f"has the expression {pattern[:60]!r}, which cannot be used ({error})"
        raise BadInputError(what, where=where, remedy="change or remove that rule") from None


def _without_icu_spellings(pattern: str) -> str:
    r"""Quoted text as escaped characters, and horizontal space, as `regex` has them.

    >>> print(_without_icu_spellings(r"\Qa.b\E\h"))
    a\.b[ \t]
    """
    pattern = re.sub(r"\\Q(.*?)(?:\\E|\Z)", lambda quoted: re.escape(quoted[1]), pattern)
    return pattern.replace(r"\h", r"[ \t]")


def _after_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place
