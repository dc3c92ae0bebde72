"""A request: one text to be translated, read once and passed down to everything that has a part in its translation.

It belongs to one revision of the project. Each part is made when it is first needed, and only once: the words as the
models see them, the terms of the glossary, the banned words, the words of another engine's answer, the decoder, and the
options, which take as long to collect as a search and serve one key stroke after another. Everything but `source` and
`answer` needs the project's lock.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Self

from dragoman.errors import BadInputError
from dragoman.project.glossary import has_extra_terms
from dragoman.project.state import Latest, State
from dragoman.records import Sentence, Term
from dragoman.search.constrained import NO_PREFIX, Prefix
from dragoman.search.decoder import Beam, Decoder, SearchResult
from dragoman.search.options import SentenceOptions
from dragoman.search.sentence_search import TAKEN
from dragoman.search.terms import used_terms
from dragoman.search.upstream_options import ListedWords, UpstreamWords, is_passable
from dragoman.text.language_side import LanguageSide
from dragoman.text.sentences import MOST_WORDS
from dragoman.upstream.contract import Answer, Scored, Silence

MAX_OTHERS = 9  # translations of another engine's n-best list, beside the first
MAX_ALIGNED = 500  # words of an answer; the time that an alignment takes grows with the cube of it
MAX_TERM_CHARACTERS = 400_000  # of what the terms in one text prescribe
OF_ANSWER = ("answer_sentence", "upstream", "_decoders", "_kept")  # parts that depend on another engine's answer


class Request:
    """A text to be translated, what another engine has answered for it, and all that follows from the two."""

    def __init__(
        self, state: State, source: Sentence, answer: str | Answer | None = None, silence: Silence | None = None
    ) -> None:
        self.source = source
        self.answer = _as_answer(answer)
        self.silence = silence  # why another engine has no answer, or what is wrong with it
        self.revision = state.revision
        self._state = weakref.ref(state)  # a session keeps its request, but not the models of a closed project

    @property
    def state(self) -> State:
        """The state that it belongs to."""
        state = self._state()
        if state is None:
            raise BadInputError("the project was loaded anew meanwhile", remedy="make the request again")
        return state

    def at(self, state: State) -> Self:
        """The same request as the models are now: itself, if they have not changed."""
        if self._state() is state and self.revision == state.revision:
            return self
        return type(self)(state, self.source, self.answer, self.silence)

    def answered(self, answer: str | Answer | None, silence: Silence | None = None) -> Self:
        """The same request with another engine's answer, which may come from elsewhere while nobody holds a lock."""
        copied = copy(self)
        copied.answer, copied.silence = _as_answer(answer), silence
        for name in OF_ANSWER:
            copied.__dict__.pop(name, None)
        return copied

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The source as the models see it."""
        return self.state.knowledge.source.model_words(self.source)

    @property
    def is_long(self) -> bool:
        """Whether the text is too long to be translated as one sentence."""
        return len(self.source) > MOST_WORDS

    @cached_property
    def terms(self) -> list[Term]:
        """The terms of the glossary in the source."""
        return self.state.glossary.find(self.words, self.source.placeable)

    def check_terms(self) -> list[Term]:
        """The terms; refused if they make the translation too long."""
        check_terms([self])
        return self.terms

    @cached_property
    def bans(self) -> Sequence[tuple[str, ...]]:
        """Words in a row that the translation must not have."""
        return self.state.term_rules.banned(self.words, self.source.placeable)

    def has_banned(self, words: tuple[str, ...]) -> bool:
        """Whether some words have, in a row and whatever the case, any that the translation must not have."""
        if not self.bans:
            return False
        lowered = tuple(word.lower() for word in words)
        return any(_stands_in(lowered, banned) for banned in self.bans)

    def accepts(self, sentence: Sentence) -> bool:
        """Whether a translation has every term of the glossary, as often as the source, and no banned words."""
        places = list(used_terms(self.terms, sentence.words)) if self.terms else []
        as_written = (sentence.words[at : at + len(term.words)] == term.words for term, at in places if term.as_written)
        return len(places) == len(self.terms) and all(as_written) and not self.has_banned(sentence.words)

    @property
    def keeps_answer(self) -> bool:
        """Whether another engine's answer is to be taken as it is.

        So it is where nothing was learned, and where the two cannot be joined; but never against the glossary, nor if
        it has words that must not be used. What failed a check is joined with nothing.
        """
        sentence = self.answer_sentence
        if not len(sentence) or (self.answer and self.answer.flaw):
            return bool(len(sentence))
        return self.accepts(sentence) and (self.state.is_untaught or self.upstream is None)

    @cached_property
    def answer_sentence(self) -> Sentence:
        """The tokens of the answer; none if there is none."""
        return self.state.knowledge.target.read(self.answer.text if self.answer else "")

    @cached_property
    def upstream(self) -> UpstreamWords | None:
        """The answer as a search takes it; None if it cannot be joined with what was learned."""
        if self.answer is None or not len(self.answer_sentence) or self.is_long:
            return None
        state, sentence = self.state, self.answer_sentence
        target, models = state.knowledge.target, state.knowledge.models
        known = state.confidence.searched, state.trust, state.replacements
        found = UpstreamWords(target.model_words(sentence), sentence, *known)
        if len(sentence) > MAX_ALIGNED or not is_passable(models, self.words, found):
            return None
        return replace(found, others=_others(target, self.answer.nbest)) if self.answer.nbest else found

    @cached_property
    def _decoders(self) -> dict[Beam, Decoder]:
        return {}

    def decoder(self, beam: Beam) -> Decoder:
        """The decoder for a beam."""
        if beam not in self._decoders:
            self._decoders[beam] = new_decoder(self.state, beam, self.upstream, self.bans)
        return self._decoders[beam]

    def search(self, prefix: Prefix = NO_PREFIX, beam: Beam | str = "best") -> SearchResult:
        """Search for translations, or for those that begin with a prefix."""
        self.check_terms()
        decoder = self.decoder(Beam.of(beam))
        return decoder.search_among(self._options(decoder, behind=bool(prefix.words)).for_search(), prefix)

    def search_once(self) -> SearchResult:
        """Search for translations, unless that was the last search of the project; kept for the correction to come."""
        if has_extra_terms():
            return self.search()
        state, answer = self.state, self.answer.text if self.answer else None
        if latest := state.find_latest(self.source.text, answer):
            return latest.search
        found = self.search()
        if state.adaptation or found.upstream:
            state.keep_latest(Latest(state.revision, self.source, answer, found))
        return found

    def _options(self, decoder: Decoder, *, behind: bool) -> SentenceOptions:
        """The options, kept for further searches; those `behind` a prefix differ where there are terms."""
        key = decoder.beam.options, behind and bool(self.terms)
        if self._kept is None or self._kept[0] != key:
            given = self.words, self.source.placeable, self.terms, self.upstream
            self._kept = key, decoder.options(*given, lenient=behind)
        return self._kept[1]

    _kept: tuple[tuple[int, bool], SentenceOptions] | None = None

    @property
    def nbytes(self) -> int:
        """Memory that the options take, in bytes."""
        return sum(array.nbytes for array in self._kept[1].options) if self._kept else 0


def check_terms(requests: Sequence[Request]) -> None:
    """Refuse a text whose terms make the translation too long."""
    characters = sum(len(word) + 1 for each in requests for term in each.terms for word in term.words)
    if characters > MAX_TERM_CHARACTERS:
        what = f"the terms of the glossary make the translation of this text {characters:,} characters long"
        raise BadInputError(what, remedy="translate a shorter text, or shorten the translations of its terms")


def new_decoder(
    state: State,
    beam: Beam | str = "best",
    upstream: UpstreamWords | None = None,
    banned: Sequence[tuple[str, ...]] = (),
) -> Decoder:
    """A decoder with the current models, weights and factors: those over another engine, if that says something."""
    adaptation = state.adaptation_of(upstream is not None)
    adapted = adaptation if adaptation and adaptation.live else None
    factors = adapted.factors if adapted and adapted.wants_factors else None
    models, slots = state.knowledge.models, state.knowledge.target.slots
    guess = state.guess_unknown and state.knowledge.source.mode == "text"
    weights = state.fused_weights if upstream else state.weights_in_use
    if upstream:
        weights[TAKEN] += upstream.bonus
    return Decoder(models, weights, beam, state.estimates, factors, slots, banned, guess=guess)


def _stands_in(words: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def _others(target: LanguageSide, nbest: Sequence[Scored]) -> tuple[ListedWords, ...]:
    """The other translations of an n-best list, weighted by their probability, that of the first being 1."""
    found = []
    for rank, entry in enumerate(nbest[1 : MAX_OTHERS + 1], start=2):
        known = entry.score is not None and nbest[0].score is not None
        weight = math.exp(min(0.0, (entry.score or 0.0) - (nbest[0].score or 0.0))) if known else 1 / rank
        sentence = target.read(entry.text)
        if 1 <= len(sentence) <= MAX_ALIGNED:
            found.append(ListedWords(target.model_words(sentence), weight))
    return tuple(found)


def _as_answer(given: str | Answer | None) -> Answer | None:
    """An answer, made of a text if it is only that."""
    if given is not None and not isinstance(given, str | Answer):
        raise BadInputError(f"expected a text, not {given!r}", remedy="give what the engine said as a string")
    return Answer(given) if isinstance(given, str) else given
