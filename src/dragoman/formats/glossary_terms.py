"""The terms of a glossary file as settings of a project, and back: translations, and rules for terms.

1. `plan_import` compares the terms of a file with those of a project; `Engine.change_terms` puts the plan into force.
2. `from_settings` makes the terms of a project into those of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from dragoman.errors import BadInputError
from dragoman.formats.glossaries import GlossaryTerm, Status
from dragoman.project.glossary import Glossary, TermRule, TermRules

if TYPE_CHECKING:
    from dragoman.engine import Engine


def as_settings(terms: Iterable[GlossaryTerm]) -> tuple[dict[str, str], dict[str, TermRule]]:
    """The translations of terms, and what else holds for them; a second translation to be used is admitted.

    >>> as_settings([GlossaryTerm("lid", "tapa"), GlossaryTerm("lid", "tapadera", status="forbidden")])
    ({'lid': 'tapa'}, {'lid': TermRule(note='', case='', admitted=(), forbidden=('tapadera',))})
    """
    translations: dict[str, str] = {}
    rules: dict[str, TermRule] = {}
    for term in terms:
        rule = rules.get(term.source, TermRule())
        rule = replace(rule, note=rule.note or term.note, case=rule.case or term.case)
        if term.status == "forbidden":
            rule = replace(rule, forbidden=_with(rule.forbidden, term.target))
        elif term.status == "admitted" or translations.get(term.source, term.target) != term.target:
            rule = replace(rule, admitted=_with(rule.admitted, term.target))
        else:
            translations[term.source] = term.target
        if rule != TermRule():
            rules[term.source] = rule
    return translations, rules


def from_settings(translations: Mapping[str, str], rules: Mapping[str, TermRule]) -> list[GlossaryTerm]:
    """The terms of a project, in alphabetical order: first the translation to be used, then those admitted."""
    found = []
    for source in sorted({*translations, *rules}):
        rule = rules.get(source, TermRule())
        about = rule.note, rule.case
        said: list[tuple[str, Status]] = [(text, "preferred") for text in [translations.get(source)] if text]
        said += [(text, "admitted") for text in rule.admitted] + [(text, "forbidden") for text in rule.forbidden]
        found += [GlossaryTerm(source, text, about[0], status, about[1]) for text, status in said]
    return found


class Imported(NamedTuple):
    """What became of the terms of a file."""

    terms: dict[str, str]  # new or changed translations
    rules: dict[str, TermRule]  # new or changed rules
    known: int  # terms that were so already
    left_out: dict[str, str]  # terms that a glossary cannot have, and why


def plan_import(engine: Engine, terms: Iterable[GlossaryTerm]) -> Imported:
    """What importing terms would change in a project; what it says of a term is added to what is said already."""
    old_terms, old_rules = engine.glossary, engine.term_rules
    new_terms, new_rules = as_settings(terms)
    left_out = dict(_invalid(new_terms, new_rules))
    kept = {source: text for source, text in new_terms.items() if source not in left_out}
    changed = {source: text for source, text in kept.items() if old_terms.get(source) != text}
    merged = {
        source: _merged(old_rules.get(source, TermRule()), rule, kept.get(source))
        for source, rule in new_rules.items()
        if source not in left_out
    }
    rules = {source: rule for source, rule in merged.items() if old_rules.get(source) != rule}
    known = {source for source in {*kept, *merged} if source not in changed and source not in rules}
    return Imported(changed, rules, len(known), left_out)


def _merged(old: TermRule, new: TermRule, used: str | None) -> TermRule:
    """What an old and a new rule say; the new one holds where they contradict each other."""
    admitted = [text for text in (*new.admitted, *old.admitted) if text not in new.forbidden and text != used]
    forbidden = [text for text in (*new.forbidden, *old.forbidden) if text not in new.admitted and text != used]
    note, case = new.note or old.note, new.case or old.case
    return TermRule(note, case, tuple(dict.fromkeys(admitted)), tuple(dict.fromkeys(forbidden)))


def _invalid(terms: Mapping[str, str], rules: Mapping[str, TermRule]) -> Iterator[tuple[str, str]]:
    """Terms that a glossary cannot have, and why."""
    checked, ruled = Glossary(), TermRules()
    for source in {**terms, **rules}:
        try:
            checked.check({source: terms[source]} if source in terms else {})
            ruled.check({source: rules[source]} if source in rules else {})
        except BadInputError as error:
            yield source, error.what


def _with(texts: tuple[str, ...], text: str) -> tuple[str, ...]:
    return texts if text in texts else (*texts, text)
