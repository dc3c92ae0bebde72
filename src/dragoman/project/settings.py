"""The settings of a project, each defined in one place: its name, how values are checked, and what it changes.

A setting is also a property of the engine (`engine.share = 0.7`): reading it returns the current value; assigning to it
writes a row to the journal and applies the value. Commands and server show and change settings through SETTINGS, and
the table in docs/understand/settings.md is generated from it.

1. `check(state, value)` takes a value from a user, in Python or JSON, refuses invalid ones, and returns it in the form
   used in the journal.
2. `apply(state, value)` applies a value from the journal.
3. `read(state)` is the current value for Python, `dump(state)` for the journal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from dragoman.adapt.adaptation import Adaptation
from dragoman.adapt.protocol import Adapter, Unknown
from dragoman.errors import BadInputError
from dragoman.models.language import Share
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet, checked_language_share, checked_limit, checked_share
from dragoman.project.glossary import TermRule
from dragoman.project.guard import Guard
from dragoman.project.memory import LEAST_SIMILARITY, SAME
from dragoman.search.decoder import Estimates
from dragoman.search.upstream_options import Trust
from dragoman.upstream.changes import folded
from dragoman.upstream.names import parse as parse_engine_name

if TYPE_CHECKING:
    from dragoman.engine import Engine
    from dragoman.project.open_project import OpenProject
    from dragoman.project.state import State

MAX_WEIGHT = 1_000_000  # beyond, scores lose their digits
LEAST_TRUST = 0.001  # of counts and probabilities, which are divided by

R = TypeVar("R")  # what is read
G = TypeVar("G", contravariant=True)  # what may be given


@dataclass(frozen=True)
class Setting(Generic[R, G]):
    """One setting of a project."""

    name: str
    about: str  # one line for people
    check: Callable[[State, Any], Any]
    apply: Callable[[State, Any], None]
    read: Callable[[State], R]
    dump: Callable[[State], Any]

    @overload
    def __get__(self, engine: None, owner: type[Any]) -> Self: ...

    @overload
    def __get__(self, engine: Engine, owner: type[Any]) -> R: ...

    def __get__(self, engine: Engine | None, owner: type[Any]) -> Self | R:
        if engine is None:
            return self
        with engine.opened.reading() as state:
            return self.read(state)

    def __set__(self, engine: Engine, value: G) -> None:
        engine.change_settings({self.name: value})


def _models(state: State) -> ModelSet:
    return state.knowledge.models


def _attribute(
    name: str, about: str, check: Callable[[State, Any], Any], of: Callable[[State], Any] = lambda state: state
) -> Setting[Any, Any]:
    """A setting that is the attribute of this name, of the state or of a part of it."""

    def read(state: State) -> Any:
        return getattr(of(state), name)

    return Setting(name, about, check, lambda state, value: setattr(of(state), name, value), read=read, dump=read)


def _record(kind: type[Any], name: str, about: str, check: Callable[[State, Any], Any]) -> Setting[Any, Any]:
    """A setting of several fields, which is the attribute of this name."""

    def read(state: State) -> Any:
        return getattr(state, name)

    def apply(state: State, value: Mapping[str, Any]) -> None:
        setattr(state, name, kind(**value))

    return Setting(name, about, check, apply, read=read, dump=lambda state: asdict(read(state)))


# ── Weights, and what adapts them ────────────────────────────────────────────────────────────────────────────────────


def _check_weights(state: State, values: Mapping[str, float]) -> dict[str, float]:
    given = _mapping("weights", values)
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not abs(float(value)) <= MAX_WEIGHT:
            what = f"the weight of {name!r} must be a number from {-MAX_WEIGHT:,} to {MAX_WEIGHT:,}, not {value!r}"
            raise BadInputError(what, remedy="the usual ones are between -2 and 2")
    return dict(Weights(state.weights.preset, {**state.weights_in_use, **given}))


def _apply_weights(state: State, values: Mapping[str, float]) -> None:
    state.weights = Weights(state.weights.preset, values)
    if state.adaptation:  # which starts again from them
        _apply_adapter(state, state.adaptation.adapter.settings())


def _check_adapter(_: State, value: Adapter | Mapping[str, Any] | None) -> dict[str, Any] | None:
    if isinstance(value, Mapping):
        try:
            value = Adapter.from_settings({"name": "", **value})
        except TypeError:
            what = "an option of the adapter has a value of the wrong type"
            raise BadInputError(what, remedy="see docs/understand/adapt.md") from None
        if isinstance(value, Unknown):
            known = ", ".join(name for name in Adapter.known if name != "Unknown")
            raise BadInputError("unknown adapter, or unknown option of it", remedy=f"choose one of {known}")
    if not isinstance(value, Adapter | None):
        raise BadInputError(
            f"{value!r} is not an adapter", remedy='use one from dragoman.adapt, such as {"name": "Ridge"}, or None'
        )
    return value.settings() if value else None


def _apply_adapter(state: State, value: Mapping[str, Any] | None) -> None:
    state.adaptation = Adaptation(value, state.weights) if value else None
    fused = Weights(state.weights.preset, upstream=True)
    state.fused_adaptation = Adaptation(value, fused) if value else None


WEIGHTS = Setting[dict[str, float], Mapping[str, float]](
    "weights",
    "weights of the log-linear model by name; assign all or some of them",
    _check_weights,
    _apply_weights,
    read=lambda state: dict(state.weights_in_use),
    dump=lambda state: dict(state.weights),
)
ADAPTER = Setting[Adapter | None, Adapter | None](
    "adapter",
    "how weights adapt to corrections (see dragoman.adapt); null for fixed weights",
    _check_adapter,
    _apply_adapter,
    read=lambda state: state.adaptation.adapter if state.adaptation else None,
    dump=lambda state: state.adaptation.adapter.settings() if state.adaptation else None,
)

# ── What the models make of their counts ─────────────────────────────────────────────────────────────────────────────


def _check_estimates(_: State, value: Estimates | Mapping[str, float]) -> dict[str, float]:
    return asdict(value if isinstance(value, Estimates) else _made(Estimates, "estimates", value))


ESTIMATES: Setting[Estimates, Estimates] = _record(
    Estimates,
    "estimates",
    "parameters β and δ of the phrase pair features",
    _check_estimates,
)
SHARE: Setting[float | None, float | None] = _attribute(
    "share",
    "weight of this project's corrections against its base in the translation models, 0 to 1; null sums the counts",
    lambda _, value: checked_share(value),
    of=_models,
)
LANGUAGE_SHARE: Setting[Share, Share] = _attribute(
    "language_share",
    'the same for the language model; "auto" sums the counts unless the base is from another domain',
    lambda _, value: checked_language_share(value),
    of=_models,
)
LIMIT: Setting[int | None, int | None] = _attribute(
    "limit",
    "maximum number of n-grams, of phrase pairs and of links to keep; the least useful are dropped; null for no limit",
    lambda _, value: checked_limit(value),
    of=_models,
)

# ── What people decide ───────────────────────────────────────────────────────────────────────────────────────────────


def _check_glossary(state: State, terms: Mapping[str, str]) -> dict[str, str | None]:
    """The changes that lead from the terms in force to these."""
    wanted = _mapping("glossary", terms)
    terms = state.glossary.terms
    gone = dict.fromkeys(term for term in terms if term not in wanted)
    changes = {**gone, **{term: said for term, said in wanted.items() if terms.get(term) != said}}
    state.glossary.check(changes)
    return changes


def _apply_glossary(state: State, changes: Mapping[str, str | None]) -> None:
    state.glossary.change(changes)


def _check_term_rules(state: State, rules: Mapping[str, TermRule | Mapping[str, Any]]) -> dict[str, Any]:
    """The changes that lead from the rules in force to these."""
    wanted = state.term_rules.check(_mapping("term_rules", rules))
    there = {source: rule.dump() for source, rule in state.term_rules.rules.items()}
    gone = dict.fromkeys(source for source in there if source not in wanted)
    return {**gone, **{source: said for source, said in wanted.items() if there.get(source) != said}}


def _apply_term_rules(state: State, changes: Mapping[str, Any]) -> None:
    state.term_rules.change(changes)
    state.glossary.cases = state.term_rules.cases


def _check_guard(_: State, value: Guard | Mapping[str, float | None]) -> dict[str, float | None]:
    guard = value if isinstance(value, Guard) else _made(Guard, "guard", _with_infinity(_mapping("guard", value)))
    return _without_infinity(asdict(guard))


def _apply_guard(state: State, value: Mapping[str, float | None]) -> None:
    state.guard = Guard(**_with_infinity(value))


GLOSSARY = Setting[dict[str, str], Mapping[str, str]](
    "glossary",
    "terms and their translations, which every translation uses",
    _check_glossary,
    _apply_glossary,
    read=lambda state: dict(state.glossary.terms),
    dump=lambda state: dict(state.glossary.terms),
)
TERM_RULES = Setting[dict[str, TermRule], Mapping[str, TermRule | Mapping[str, Any]]](
    "term_rules",
    "what holds for terms besides their translation: note, case, admitted and forbidden translations",
    _check_term_rules,
    _apply_term_rules,
    read=lambda state: state.term_rules.rules,
    dump=lambda state: {source: rule.dump() for source, rule in state.term_rules.rules.items()},
)
GUARD = Setting[Guard, Guard](
    "guard",
    "what makes a correction suspicious",
    _check_guard,
    _apply_guard,
    read=lambda state: state.guard,
    dump=lambda state: _without_infinity(asdict(state.guard)),
)

# ── The memory ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _check_memory_threshold(_: State, value: float) -> float:
    remedy = "the default, 100, takes corrections of the same text only"
    return _number("memory_threshold", value, LEAST_SIMILARITY, SAME, remedy)


MEMORY_THRESHOLD: Setting[float, float] = _attribute(
    "memory_threshold",
    "percent similarity from which a correction of a similar text is suggested as it is; 100: of the same text only",
    _check_memory_threshold,
)

# ── Unknown words ────────────────────────────────────────────────────────────────────────────────────────────────────


def _switch(name: str, about: str) -> Setting[bool, bool]:
    """A setting that is on or off."""

    def check(_: State, value: bool) -> bool:
        if not isinstance(value, bool):
            raise BadInputError(f"{name} must be true or false, not {value!r}")
        return value

    return _attribute(name, about, check)


GUESS_UNKNOWN = _switch(
    "guess_unknown",
    "whether an unknown word may be translated like other forms of it, or like the parts of a compound, "
    "instead of being copied",
)
NEWEST_FIRST = _switch(
    "newest_first",
    "whether the newest correction of the same text always comes first over another engine, even where people often "
    "correct it differently",
)
WEIGH_CHANGES = _switch(
    "weigh_changes",
    "whether each change of another engine's answer is made on its own evidence; otherwise trust in the engine as a "
    "whole decides",
)


RefusedChanges = Sequence[Sequence[str]]  # pairs of texts


def _check_refused_changes(
    state: State, values: RefusedChanges | Mapping[str, RefusedChanges]
) -> list[list[str]] | dict[str, list[list[str]]]:
    """All of them, or {"add": some}, which is what a journal of many single refusals holds."""
    remedy = 'for example [["archivo", "fichero"]]'
    if isinstance(values, Mapping):
        if set(values) != {"add"} or isinstance(values["add"], Mapping):
            raise BadInputError('refused_changes are a list of pairs of texts, or {"add": such a list}', remedy=remedy)
        return {"add": _check_refused_changes(state, values["add"])}  # type: ignore[dict-item]  # a list gives a list
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise BadInputError("refused_changes must be a list of pairs of texts", remedy=remedy)
    for pair in values:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            what = f"a refused change is what the engine says and what must not replace it, not {pair!r}"
            raise BadInputError(what, remedy=remedy)
    return [list(each) for each in dict.fromkeys((said, instead) for said, instead in values)]


def _apply_refused_changes(state: State, values: RefusedChanges | Mapping[str, RefusedChanges]) -> None:
    known, new = (state.refused_changes, values["add"]) if isinstance(values, Mapping) else ({}, values)
    read = state.knowledge.target.read
    state.refused_changes = known | {
        (folded(read(said).words), folded(read(instead).words)): (said, instead) for said, instead in new
    }


REFUSED_CHANGES = Setting[tuple[tuple[str, str], ...], RefusedChanges | Mapping[str, RefusedChanges]](
    "refused_changes",
    "changes of another engine's answer that are never made: pairs of what it says, and what must not stand instead",
    _check_refused_changes,
    _apply_refused_changes,
    read=lambda state: tuple(state.refused_changes.values()),
    dump=lambda state: [list(pair) for pair in state.refused_changes.values()],
)

# ── What other programs are given ────────────────────────────────────────────────────────────────────────────────────


def _check_least_confidence(_: State, value: float) -> float:
    return _number("least_confidence", value, 0, 1, "the default, 0, withholds nothing")


LEAST_CONFIDENCE: Setting[float, float] = _attribute(
    "least_confidence",
    "mean confidence of its words, 0 to 1, below which a translation is withheld from other programs, in the "
    "compatible interfaces that can; 0: none is",
    _check_least_confidence,
)

# ── Another engine ───────────────────────────────────────────────────────────────────────────────────────────────────


def _check_upstream(_: State, value: str | None) -> str | None:
    if value is not None and not isinstance(value, str):
        remedy = 'pass a name such as "ct2:models/nmt-en-es", or None'
        raise BadInputError(f"upstream must be the name of an engine, not {value!r}", remedy=remedy)
    if value is not None:
        parse_engine_name(value)
    return value


def _check_trust(_: State, value: Trust | Mapping[str, float]) -> dict[str, float]:
    given = asdict(value if isinstance(value, Trust) else _made(Trust, "trust", value))
    return {
        name: _number(
            f"the {name} of trust",
            number,
            0.0 if name == "share" else LEAST_TRUST,
            1,
            f"the default is {getattr(Trust, name)}",
        )
        for name, number in given.items()
    }


TRUST: Setting[Trust, Trust] = _record(
    Trust,
    "trust",
    "how far the words of another engine are believed, before what is learned of it",
    _check_trust,
)
UPSTREAM: Setting[str | None, str | None] = _attribute(
    "upstream",
    'another engine whose translations are improved, such as "ct2:models/nmt-en-es"; null for none',
    _check_upstream,
)

# In the order in which several are applied: an adapter starts from the weights.
SETTINGS: dict[str, Setting[Any, Any]] = {
    each.name: each
    for each in (
        *(WEIGHTS, ADAPTER, ESTIMATES, SHARE, LANGUAGE_SHARE, LIMIT, GLOSSARY, TERM_RULES, GUARD, MEMORY_THRESHOLD),
        *(GUESS_UNKNOWN, UPSTREAM, TRUST, WEIGH_CHANGES, REFUSED_CHANGES, NEWEST_FIRST, LEAST_CONFIDENCE),
    )
}


def check_setting(state: State, name: str, value: Any) -> Any:
    """A value in the form of the journal; raises an error if it is invalid."""
    if name not in SETTINGS:
        raise BadInputError(f"unknown setting {name!r}", remedy=f"choose one of {', '.join(SETTINGS)}")
    return SETTINGS[name].check(state, value)


def apply_settings(state: State, settings: Mapping[str, Any]) -> None:
    """Apply settings from the journal; others are unchanged."""
    for name, setting in SETTINGS.items():
        if name in settings:
            setting.apply(state, settings[name])


def dump_settings(state: State) -> dict[str, Any]:
    """All current settings, in the form of the journal."""
    return {name: setting.dump(state) for name, setting in SETTINGS.items()}


def _number(what: str, value: Any, least: float, most: float, remedy: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not least <= float(value) <= most:
        raise BadInputError(f"{what} must be a number from {least:g} to {most:g}, not {value!r}", remedy=remedy)
    return float(value)


def _mapping(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadInputError(f"{name} must map names to values, not {value!r}", remedy="pass a dictionary")
    return value


def _made(kind: Callable[..., R], name: str, value: Any) -> R:
    try:
        return kind(**_mapping(name, value))
    except TypeError:
        raise BadInputError(
            f"unknown field in {name}: {', '.join(value)}", remedy="see docs/understand/settings.md"
        ) from None


def _without_infinity(values: Mapping[str, float]) -> dict[str, float | None]:
    """JSON has no infinity."""
    return {name: number if math.isfinite(number) else None for name, number in values.items()}


def _with_infinity(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: math.inf if value is None else value for name, value in values.items()}


def change(opened: OpenProject, state: State, changes: dict[str, Any]) -> None:
    """Apply settings that have been checked, in the form used in the journal, and record them there."""
    with opened.undoing() as undo:
        with undo.appending():
            state.revision = opened.store.journal.append_settings(changes)
        apply_settings(state, changes)
