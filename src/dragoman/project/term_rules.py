"""What people say of terms besides their translation: notes, capitals, other translations that may or must not be used.

>>> rules = TermRules()
>>> rules.change({"lid": {"forbidden": ["tapadera"], "note": "of the kettle"}})
>>> [(found.source, found.rule.forbidden) for found in rules.find(("open", "the", "lid"))]
[('lid', ('tapadera',))]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

from dragoman.errors import BadInputError
from dragoman.project.glossary import Glossary
from dragoman.text.tokens import Mode, split

Case = Literal["", "any", "same"]
MOST_TRANSLATIONS = 50  # admitted or forbidden, of one term
MAX_NOTE = 4_000  # characters


@dataclass(frozen=True)
class TermRule:
    """What holds for a term.

    `case` "same" finds the term only as it is written, and writes its translation as it is, also at the beginning of a
    sentence; "any" finds it in any capitals. Without, a term in lower case is found in any capitals, and one with
    capitals only as it is written.
    """

    note: str = ""
    case: Case = ""
    admitted: tuple[str, ...] = ()  # other translations that may be used
    forbidden: tuple[str, ...] = ()  # translations that must not be used

    def dump(self) -> dict[str, Any]:
        """The rule in the form of the journal: only what is said."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items() if value}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> TermRule:
        """A rule from the journal; what is not known is left out."""
        known = {each.name for each in fields(cls)}
        values: dict[str, Any] = {name: value for name, value in said.items() if name in known}
        lists: dict[str, Any] = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return cls(**{**values, **lists})


class FoundRule(NamedTuple):
    """A term in a sentence for which there is a rule."""

    start: int  # first word
    end: int  # one past the last
    source: str
    rule: TermRule


class TermRules:
    """The rules of a project by term."""

    def __init__(self, mode: Mode = "text") -> None:
        self.mode: Mode = mode
        self._rules: dict[str, TermRule] = {}
        self._index = Glossary(mode=mode)  # finds the terms; their translations are not used

    @property
    def rules(self) -> dict[str, TermRule]:
        """All rules, in alphabetical order of their terms."""
        return dict(sorted(self._rules.items()))

    @property
    def cases(self) -> dict[str, Case]:
        """The terms with a rule about capitals."""
        return {source: rule.case for source, rule in self._rules.items() if rule.case}

    def check(self, changes: Mapping[str, Any]) -> dict[str, dict[str, Any] | None]:
        """The changes in the form of the journal; invalid ones are refused. None removes a rule."""
        return {source: None if said is None else self._checked(source, said) for source, said in changes.items()}

    def _checked(self, source: str, said: Any) -> dict[str, Any] | None:
        remedy = f"pass note, case ({', '.join(filter(None, get_args(Case)))}), admitted and forbidden"
        if isinstance(said, TermRule):
            said = said.dump()
        if not isinstance(said, Mapping) or not {*said} <= {each.name for each in fields(TermRule)}:
            raise BadInputError(f"the rule for the term {source!r} is not valid", remedy=remedy)
        rule = TermRule.read(said)
        texts = [rule.note, *rule.admitted, *rule.forbidden]
        if rule.case not in get_args(Case) or not all(isinstance(text, str) for text in texts):
            raise BadInputError(f"the rule for the term {source!r} is not valid", remedy=remedy)
        if len(rule.note) > MAX_NOTE or len(rule.admitted) + len(rule.forbidden) > MOST_TRANSLATIONS:
            what = f"the rule for the term {source!r} is too long"
            raise BadInputError(what, remedy=f"at most {MOST_TRANSLATIONS} translations, {MAX_NOTE:,} characters")
        self._index.check(dict.fromkeys([source], "x"))
        for text in (*rule.admitted, *rule.forbidden):
            self._index.check({source: text})
        return rule.dump() or None

    def change(self, changes: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Set rules from the journal, or remove those that are None."""
        for source, said in changes.items():
            self._rules.pop(source, None)
            if said:
                self._rules[source] = TermRule.read(said)
        self._index.change({source: "x" if said else None for source, said in changes.items()})
        self._index.cases = self.cases

    def find(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[FoundRule]:
        """The rules for the terms in a sentence."""
        spans = self._index.spans(words, placeable) if self._rules else []
        return [FoundRule(start, end, source, self._rules[source]) for start, end, source in spans]

    def banned(self, words: Sequence[str], placeable: Sequence[bool] | None = None) -> list[tuple[str, ...]]:
        """The words that the translation of a sentence must not have, as the models may know them."""
        found: dict[tuple[str, ...], None] = {}
        for each in self.find(words, placeable):
            for text in each.rule.forbidden:
                written = split(text, self.mode, normalise=True).words
                found[written] = found[tuple(word.lower() for word in written)] = None
        return list(found)
