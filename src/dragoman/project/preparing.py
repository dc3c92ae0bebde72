"""What a search starts with: the words of a source, its terms, what another engine says, and the options of all three.

`PreparedSource` keeps them from one key stroke to the next: collecting the options takes as long as the search itself.
Everything here needs the engine's lock.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from dragoman.errors import BadInputError
from dragoman.project.state import State
from dragoman.search.decoder import Beam, Decoder
from dragoman.search.options import Offers
from dragoman.search.pieces import MAX_UNCUT_WORDS
from dragoman.search.searching import TAKEN, collect_offers
from dragoman.search.upstream_options import Alternative, Suggestion, can_be_said
from dragoman.search.upstream_pieces import MAX_ALIGNED, cut_both
from dragoman.text.side import Side
from dragoman.types import Sentence, Term
from dragoman.upstream.contract import Answer, Scored

MAX_OTHERS = 9  # translations of another engine's n-best list, beside the first
MAX_TERM_CHARACTERS = 400_000  # of what the terms in one text prescribe


def decoder(
    state: State, beam: Beam | str = "best", upstream: Suggestion | None = None, banned: Sequence[tuple[str, ...]] = ()
) -> Decoder:
    """A decoder with the current models, weights and factors: those over another engine, if that says something."""
    adaptation = state.adaptation_of(upstream is not None)
    adapted = adaptation if adaptation and adaptation.live else None
    factors = adapted.factors if adapted and adapted.wants_factors else None
    models, slots = state.knowledge.models, state.knowledge.target.slots
    weights = state.weights_in_use
    guess = state.guess_unknown and state.knowledge.source.mode == "text"
    if upstream:
        weights = state.fused_weights
        weights[TAKEN] += upstream.bonus
    return Decoder(models, weights, beam, state.estimates, factors, slots, banned, guess=guess)


class Preparation(NamedTuple):
    """What searches of the same source have in common, whatever the prefix."""

    words: tuple[str, ...]
    terms: list[Term]
    said: Suggestion | None
    offers: Offers | None  # None for a sentence that is cut
    behind: bool  # a prefix


class PreparedSource:
    """The options of a source, kept for searches behind one prefix after another until the models change."""

    def __init__(self) -> None:
        self._key: tuple[Any, ...] = ()
        self._kept: Preparation | None = None

    @property
    def nbytes(self) -> int:
        """Memory that the options take, in bytes."""
        offers = self._kept.offers if self._kept else None
        return sum(array.nbytes for array in offers.options) if offers else 0

    def at(self, state: State, source: Sentence, beam: Beam, upstream: Answer | None, *, behind: bool) -> Preparation:
        """What is kept, or made now; options `behind` a prefix differ where there are terms."""
        key = state.revision, source.text, upstream, beam.options
        kept = self._kept if self._key and self._key[0]() is state and self._key[1:] == key else None
        if kept is None or (kept.behind != behind and (kept.offers is None or kept.terms)):
            kept, self._key = prepare(state, source, beam, upstream, behind=behind), (weakref.ref(state), *key)
            self._kept = kept
        return kept


def prepare(state: State, source: Sentence, beam: Beam, upstream: Answer | None, *, behind: bool) -> Preparation:
    """Read a source and collect its options, unless it is so long that it is going to be cut."""
    words = state.knowledge.source.model_words(source)
    terms = find_terms(state, words, source.placeable)
    said = hear(state, words, upstream if len(words) <= MAX_UNCUT_WORDS or not behind else None)
    offers = None
    if behind or len(words) <= MAX_UNCUT_WORDS:
        plan = decoder(state, beam, said, state.term_rules.banned(words, source.placeable)).plan
        offers = collect_offers(plan, words, source.placeable, terms, said, lenient=behind)
    return Preparation(words, terms, said, offers, behind)


def hear(state: State, words: tuple[str, ...], upstream: Answer | None) -> Suggestion | None:
    """What another engine says as the search takes it; None if it cannot be joined with what was learned."""
    target = state.knowledge.target
    said = target.read(upstream.text) if upstream is not None else None
    if upstream is None or said is None or not len(said):
        return None
    models = state.knowledge.models
    heard = Suggestion(target.model_words(said), said, state.confidence.searched, state.trust, state.replacements)
    if len(words) > MAX_UNCUT_WORDS:
        parts = cut_both(models, words, heard.words)
        return replace(heard, parts=tuple(parts)) if parts else None
    if len(said) > MAX_ALIGNED or not can_be_said(models, words, heard):
        return None
    return replace(heard, others=_others(target, upstream.nbest)) if upstream.nbest else heard


def _others(target: Side, nbest: Sequence[Scored]) -> tuple[Alternative, ...]:
    """The other translations of an n-best list, weighted by their probability, that of the first being 1."""
    found = []
    for rank, entry in enumerate(nbest[1 : MAX_OTHERS + 1], start=2):
        known = entry.score is not None and nbest[0].score is not None
        weight = math.exp(min(0.0, (entry.score or 0.0) - (nbest[0].score or 0.0))) if known else 1 / rank
        said = target.read(entry.text)
        if 1 <= len(said) <= MAX_ALIGNED:
            found.append(Alternative(target.model_words(said), weight))
    return tuple(found)


def find_terms(state: State, words: tuple[str, ...], placeable: tuple[bool, ...]) -> list[Term]:
    """The terms of the glossary in a sentence; refused if they make the translation too long."""
    terms = state.glossary.find(words, placeable)
    characters = sum(len(word) + 1 for term in terms for word in term.words)
    if characters > MAX_TERM_CHARACTERS:
        what = f"the terms of the glossary make the translation of this text {characters:,} characters long"
        raise BadInputError(what, remedy="translate a shorter text, or shorten the translations of its terms")
    return terms
