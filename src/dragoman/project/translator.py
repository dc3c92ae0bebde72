"""Translating a text: read once into a request, another engine asked, the memory looked up, or a search made.

Whatever takes time is done without the project's lock, or in parts: asking another engine, a long text, a long n-best
list. In between, the models may learn; then what depends on them is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from dragoman.adapt.adaptation import Adaptation
from dragoman.cancellation import checkpoint
from dragoman.errors import BadInputError
from dragoman.project import translation
from dragoman.project.consultant import Asked, Consultant, hints_for
from dragoman.project.doubtful_answer import is_replaced
from dragoman.project.memory import SAME, have_same_figures
from dragoman.project.multiline import split_lines
from dragoman.project.open_project import OpenProject
from dragoman.project.repeats import ANSWER, MAJORITY, majority
from dragoman.project.request import Request, new_decoder
from dragoman.project.state import State
from dragoman.records import Match, Translation
from dragoman.search.decoder import Beam, Hypothesis, Search
from dragoman.search.pieces import Pieces
from dragoman.search.sentence_search import Links
from dragoman.upstream.checks import refuse, refuse_sentence
from dragoman.upstream.contract import Answer

Reading = Callable[[], AbstractContextManager[State]]  # the state, for a `with` block during which nobody changes it

MAX_TEXT_WORDS = 20_000  # limit of a text to translate


class Translator:
    """Makes requests of texts, and translations of requests."""

    def __init__(self, opened: OpenProject, consultant: Consultant) -> None:
        self._opened, self._consultant = opened, consultant
        self._sound: tuple[str, str] | None = None  # source and answer that were last found to be without a flaw

    def translate(
        self, text: str, n: int = 1, *, answer: str | Answer | None = None, recalls: bool = True
    ) -> Translation:
        """Translate a text; see `Engine.translate`. `recalls` says whether corrections are looked up."""
        checkpoint()
        return self.translated(self.request(text, answer, recalls=recalls and n == 1), n, recalls=recalls)

    def translated(self, request: Request, n: int = 1, *, recalls: bool = False) -> Translation:
        """The translation of a request."""
        text = request.source.text
        check_list(n, len(request.source))
        ahead = self.search_ahead(request, recalls=recalls and n == 1)
        with self._opened.reading() as state:
            request = request.at(state)
            if not len(request.source):
                return Translation(text, 0.0, dict.fromkeys(state.weights, 0.0), [], request.source, request.source)
            matches = state.memory.similar(text) if recalls else []
            known = first_match(request, matches)
            ranked = [translation.recall(request, known)] if known else []
            found = None
            if not ahead and request.answer and request.keeps_answer:
                ranked.append(translation.repeated(request))
            elif len(ranked) < n:
                found = ahead or request.search_once()
            adaptation = state.adaptation_of(found is not None and found.upstream is not None)
            if found and translation.is_quick(adaptation, n):
                ranked, found = translation.best(request, found, n), None
        if found:
            ranked += self._list(request, found, n, adaptation)
        different: dict[str, Translation] = {}
        for each in ranked:
            different.setdefault(each.text, each)
        nbest = list(different.values())[:n] if n > 1 else []
        told = (request.answer.text, request.answer.flaw) if request.answer else (None, None)
        return replace(ranked[0], nbest=nbest, matches=matches, upstream=told[0], upstream_flaw=told[1])

    def request(
        self,
        text: str,
        answer: str | Answer | None = None,
        *,
        recalls: bool = False,
        seconds: float | None = None,
    ) -> Request:
        """Read a text to translate, and ask the other engine for it, unless the caller has.

        A text that `recalls` a correction needs no answer. One that looks wrong is marked, or left out if dragoman is
        better by evidence. The engine may be silent, or take more than so many seconds.
        """
        with self._opened.reading() as state:
            request = self.read(state, text)
            if answer is not None:
                return self._checked(request.answered(answer))
            name = state.upstream
            newest = state.memory.exact(text) if recalls and name is not None else None
            if name is None or (newest and choose_repeat(state, text, newest)):
                return request
            hints = hints_for(request)
        outcome = self._consultant.ask(name, text, hints, seconds=seconds)
        if outcome.refused is None:
            return request.answered(outcome.answer, outcome.silence)
        with self._opened.reading() as state:
            return self._checked(request.at(state).answered(outcome.refused))

    def ask_ahead(
        self, texts: Sequence[str], *, recalls: bool, seconds: float | None = None, around: str = ""
    ) -> Asked:
        """Ask the other engine for many texts at once; see `Engine.ask_ahead`. What it `recalls` is not asked for."""
        with self._opened.reading() as state:
            name = state.upstream
            if name is None:
                return Asked(0, {})
            new = [text for text in dict.fromkeys(texts) if not (recalls and state.memory.exact(text))]
            hints = [hints_for(Request(state, state.knowledge.source.read(text))) for text in new]
        return self._consultant.ask_ahead(name, new, hints, seconds=seconds, around=around)

    def _checked(self, request: Request) -> Request:
        """The request with its answer marked if that looks wrong, or without it if dragoman itself is better."""
        answer = request.answer
        if answer is None:
            return request
        if self._opened.tokens == "text":
            flaw = answer.flaw or refuse_sentence(request.source, request.answer_sentence, self._opened.target)
        else:
            flaw = answer.flaw or refuse(request.source.text, answer.text, self._opened.target)
        if flaw is None:
            self._sound = request.source.text, answer.text
            return request
        return request.answered(None if is_replaced(request) else replace(answer, flaw=flaw), flaw)

    def search_ahead(self, request: Request, *, recalls: bool = False) -> Search | None:
        """Search a long text with the lock released now and then, so that others need not wait; otherwise None."""
        if not request.is_long:
            return None
        with self._opened.reading() as state:
            request = request.at(state)
            known = recalls and find_first(request)
            if known or (request.answer and request.keeps_answer):
                return None
        return search_in_pieces(self._opened.reading, request)

    def _list(self, request: Request, found: Search, n: int, adaptation: Adaptation | None) -> list[Translation]:
        """The n best translations of a search, with the lock released in between so that others need not wait.

        If something is learned meanwhile, the list is made again at once: it always belongs to one revision.
        """
        lists, hypotheses = translation.listed(found, adaptation, n), list[Hypothesis]()
        written, known = list[Translation](), Links()
        while not written or len(written) < len(hypotheses):
            checkpoint()
            with self._opened.reading() as state:
                if (now := request.at(state)) is not request:
                    return translation.best(now, now.search_once(), n)
                if not hypotheses:
                    hypotheses = translation.avoiding(request, found, translation.ranked(adaptation, lists, n))
                write = translation.written if written else translation.decided
                written.append(write(request, found, hypotheses[len(written)], known))
        return written

    def read(self, state: State, text: str) -> Request:
        """A text to translate; refused if it has too many words."""
        source = state.knowledge.source.read(text)
        if len(source) > MAX_TEXT_WORDS:
            remedy = f"translate at most {MAX_TEXT_WORDS:,} words at once"
            raise BadInputError(f"the text has {len(source):,} words", remedy=remedy)
        return Request(state, source)

    def usable(self, source: str, answer: str | Answer) -> Answer | None:
        """The answer of another engine that a correction is learned with, unless it looks wrong."""
        given = answer if isinstance(answer, Answer) else Answer(answer)
        if given.flaw is None and self._sound == (source, given.text):  # it has just been translated
            return given
        with self._opened.reading() as state:
            request = Request(state, state.knowledge.source.read(source), given)
            return self._checked(request).answer

    def find_answer(self, source: str) -> tuple[Answer | None, str | None]:
        """The other engine's answer for a source that is corrected, or for its lines, and the engine's name."""
        with self._opened.reading() as state:
            name = state.upstream
            if name is None:
                return None, None
            hints = hints_for(Request(state, state.knowledge.source.read(source)))
        answer, engine = self._consultant.find_answer(name, source, hints)
        if answer is None:
            return self._find_answer_by_lines(source)
        return (None, None) if answer.text == source and answer.flaw else (answer, engine)

    def _find_answer_by_lines(self, source: str) -> tuple[Answer | None, str | None]:
        """What was said for all lines of a text, which is how a text of several lines is translated."""
        lines = split_lines(source)
        if len(lines) == 1:
            return None, None
        found = [self.find_answer(line) if line.strip() else (Answer(line), None) for line in lines]
        texts = [answer.text for answer, _ in found if answer]
        names = [name for _, name in found if name]
        return (Answer("".join(texts)), names[0]) if names and len(texts) == len(lines) else (None, None)


def check_list(n: int, words: int) -> None:
    """Refuse an n-best list of a text with so many words if it would be too large."""
    most = max(1, translation.MAX_LIST_WORDS // max(words, 1))
    if n > most:
        what = f"{n:,} translations of a text of {words:,} words are too many"
        raise BadInputError(what, remedy=f"ask for at most {most:,}, or for those of a shorter text")


def search_in_pieces(reading: Reading, request: Request, beam: Beam | str = "best") -> Search | None:
    """Search a long text with the lock released between its pieces; None if it is short enough not to be cut.

    Each piece is searched with the models as they are at that moment.
    """
    if not request.is_long:
        return None
    beam, marks = Beam.of(beam), request.source.placeable
    with reading() as state:
        request = request.at(state)
        pieces = Pieces(request.words, marks, request.check_terms(), request.upstream)
        decoder, last = request.decoder(beam), (state, state.revision)
    while not pieces.found:
        checkpoint()
        with reading() as state:
            if changed := (state, state.revision) != last:
                banned = state.term_rules.banned(request.words, marks)
                decoder, last = new_decoder(state, beam, request.upstream, banned), (state, state.revision)
            pieces.search_next(decoder, changed=changed)
    return pieces.found


def first_match(request: Request, matches: Sequence[Match]) -> Match | None:
    """The correction that is taken as it is, if there is one; `matches` are those of the source, the best first.

    It is a correction of the same text, or, as the project is set, of one that is similar enough and has the same
    numbers and placeholders; terms of the glossary are left to the search.
    """
    state = request.state
    if not matches or matches[0].similarity < state.memory_threshold:
        return None
    best = matches[0]
    if best.similarity == SAME:
        return choose_repeat(state, request.source.text, best) if request.answer else best
    if not have_same_figures(request.source, state.knowledge.source.read(best.source)):
        return None
    return None if request.check_terms() else best


def choose_repeat(state: State, source: str, newest: Match) -> Match | None:
    """The correction of the same text that is most often right; None if another engine's answer is."""
    known = [] if state.newest_first else state.memory.corrections(source)
    if not known:  # it has other codes, perhaps
        return newest
    targets = [match.target for match in known]
    choice = state.repeats.choose(targets)
    if choice == ANSWER:
        return None
    return known[majority(targets)] if choice == MAJORITY else newest


def find_first(request: Request) -> Match | None:
    """The same, looked up."""
    state, text = request.state, request.source.text
    if state.memory_threshold == SAME:
        known = state.memory.exact(text)
        return choose_repeat(state, text, known) if known and request.answer else known
    return first_match(request, state.memory.similar(text, state.memory_threshold, 1))
