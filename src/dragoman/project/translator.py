"""Translating a text, sentence by sentence: another engine asked for all, the memory looked up, or a search made.

Whatever takes time is done without the project's lock, or in parts: asking another engine, a long text, a long n-best
list. In between, the models may learn; then what depends on them is made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from dragoman.adapt.adaptation import Adaptation
from dragoman.concurrency import checkpoint
from dragoman.errors import BadInputError
from dragoman.models.sentence_pairs import is_matched
from dragoman.project import translation
from dragoman.project.consultant import Asked, Consultant, hints_for
from dragoman.project.doubtful_answer import is_replaced
from dragoman.project.memory import SAME, have_same_figures, is_usable
from dragoman.project.multiline import joined, split_lines, split_text
from dragoman.project.open_project import OpenProject
from dragoman.project.repeats import ANSWER, MAJORITY, majority
from dragoman.project.request import Request, check_terms
from dragoman.project.state import State
from dragoman.records import Match, Translation
from dragoman.search.decoder import Hypothesis, SearchResult
from dragoman.search.sentence_search import Links
from dragoman.text.sentences import divide
from dragoman.text.tokens import split
from dragoman.upstream.checks import refuse, refuse_sentence
from dragoman.upstream.contract import NO_HINTS, Answer, Silence
from dragoman.upstream.paragraphs import AnswerOrSilence
from dragoman.upstream.upstream import RECORDED

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
        requests = self.requests(text, answer, recalls=recalls and n == 1, whole=recalls)
        check_list(n, sum(len(request.source) for request in requests))
        if len(requests) > 1:
            with self._opened.reading() as state:
                check_terms([request.at(state) for request in requests])
        made = dict[tuple[str, Answer | None], Translation]()  # a sentence may come again and again
        for request in requests:
            if (key := (request.source.text, request.answer)) not in made:
                made[key] = self.translated(request, n, recalls=recalls)
        if len(requests) == 1:
            return next(iter(made.values()))
        found = [made[request.source.text, request.answer] for request in requests]
        with self._opened.reading() as state:
            return replace(joined(found), matches=state.memory.similar(text) if recalls else [])

    def requests(
        self,
        text: str,
        answer: str | Answer | None = None,
        *,
        recalls: bool = False,
        whole: bool = False,
        seconds: float | None = None,
    ) -> list[Request]:
        """The requests for the sentences of a text, another engine asked for all of them at once.

        An answer that the caller has is one for the whole text, unless that is too long. `whole` says that a text with
        a correction is not divided either; for `recalls` and `seconds` see `request`.
        """
        parts = [text] if answer is not None else self.parts(text, recalls=whole)
        if len(parts) > 1:
            self.ask_parts(parts, recalls=recalls, seconds=seconds, again=False)
        asked = (self.request(part, answer, recalls=recalls, seconds=seconds) for part in parts)
        return [each for request in asked for each in self.divided(request, recalls=whole)]

    def parts(self, text: str, *, recalls: bool) -> list[str]:
        """The sentences that a text is translated in; what has a correction, or was recorded, is not divided."""
        source, mode = self._opened.source, self._opened.tokens
        if len(text) > MAX_TEXT_WORDS:
            check_length(len(split(text, mode)))
        if len(split_text(text, source, mode)) == 1:
            return [text]
        with self._opened.reading() as state:
            name, is_known = state.upstream or "", partial(_is_known, state) if recalls else _is_never
            lines = [text] if is_known(text) else split_lines(text)
            known = [is_known(line) for line in lines]
        return [
            part
            for line, whole in zip(lines, known, strict=True)
            for part in ([line] if whole or self._is_recorded(name, line) else divide(line, source, mode))
        ]

    def _is_recorded(self, name: str, line: str) -> bool:
        """Whether a file of recorded answers has one for the whole line."""
        return name.startswith(RECORDED) and self._consultant.ask(name, line, NO_HINTS) != AnswerOrSilence(None)

    def divided(self, request: Request, *, recalls: bool) -> list[Request]:
        """A request for a long text as requests for its sentences, each with its part of the answer.

        It is left as it is if there is a correction of the whole text, or an answer whose sentences do not match.
        """
        if not request.is_long:
            return [request]
        opened, answer = self._opened, request.answer
        sources = split_text(request.source.text, opened.source, opened.tokens)
        targets = split_text(answer.text, opened.target, opened.tokens) if answer else []
        with opened.reading() as state:
            request, knowledge = request.at(state), state.knowledge
            if recalls and find_first(request):
                return [request]
            read = [knowledge.source.read(each) for each in sources]
            ours = [knowledge.source.model_words(each) for each in read]
            theirs = [knowledge.target.model_words(knowledge.target.read(each)) for each in targets]
            if answer is None or not is_matched(knowledge.models, ours, theirs):
                keeps = answer is not None and request.keeps_answer
                return [request] if keeps else [Request(state, each, silence=request.silence) for each in read]
            answers = [replace(answer, text=each, nbest=(), flaw=None) for each in targets]
            asked = [Request(state, *each) for each in zip(read, answers, strict=True)]
        return [self._checked(each) for each in asked]

    def translated(self, request: Request, n: int = 1, *, recalls: bool = False) -> Translation:
        """The translation of a request for one sentence."""
        checkpoint()
        text = request.source.text
        with self._opened.reading() as state:
            request = request.at(state)
            if not len(request.source):
                return Translation(text, 0.0, dict.fromkeys(state.weights, 0.0), [], request.source, request.source)
            matches = state.memory.similar(text) if recalls else []
            known = first_match(request, matches)
            ranked = [translation.recall(request, known)] if known else []
            found = None
            if request.answer and request.keeps_answer:
                ranked.append(translation.repeated(request))
            elif len(ranked) < n and not (ranked and request.is_long):
                found = request.search_once()
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
            request, name = self.read(state, text), state.upstream
            newest = state.memory.exact(text) if recalls and name is not None and answer is None else None
            is_known = newest is not None and choose_repeat(state, text, newest) is not None
            hints = NO_HINTS if answer is not None or name is None else hints_for(request)
        if answer is not None:
            return self._checked(request.answered(answer))
        if name is None or is_known:
            return request
        outcome = self._consultant.ask(name, text, hints, seconds=seconds)
        if outcome.refused is None:
            return request.answered(outcome.answer, outcome.silence)
        return self._checked(request.answered(outcome.refused))

    def ask_ahead(
        self, texts: Sequence[str], *, recalls: bool, seconds: float | None = None, around: str = ""
    ) -> Asked:
        """Ask the other engine for many texts at once; see `Engine.ask_ahead`. What it `recalls` is not asked for."""
        with self._opened.reading() as state:
            if state.upstream is None:
                return Asked(0, {})
            new = [text for text in dict.fromkeys(texts) if not (recalls and state.memory.exact(text))]
        parts = {text: self.parts(text, recalls=recalls) for text in new if text.strip()}
        wanted = [part for text in parts for part in parts[text]]
        asked = self.ask_parts(wanted, recalls=recalls, seconds=seconds, around=around)
        silent, doubtful = (
            {text: by[part] for text in parts for part in parts[text][::-1] if part in by}
            for by in (asked.silent, asked.doubtful)
        )
        return Asked(len({text.strip() for text in parts}), silent, doubtful, asked.wait)

    def ask_parts(
        self, parts: Sequence[str], *, recalls: bool, seconds: float | None, around: str = "", again: bool = True
    ) -> Asked:
        """Ask for texts that have been divided; without `again`, not for those that had no answer a moment ago."""
        with self._opened.reading() as state:
            name = state.upstream
            if name is None:
                return Asked(0, {})
            new = [text for text in dict.fromkeys(parts) if not (recalls and state.memory.exact(text))]
            hints = [hints_for(Request(state, state.knowledge.source.read(text))) for text in new]
        return self._consultant.ask_ahead(name, new, hints, seconds=seconds, around=around, again=again)

    def _checked(self, request: Request) -> Request:
        """The request with its answer marked if that looks wrong, or without it if dragoman itself is better."""
        answer = request.answer
        if answer is None:
            return request
        if self._opened.tokens == "text":
            flaw = answer.flaw or refuse_sentence(request.source, request.answer_sentence, self._opened.target)
        else:
            flaw = answer.flaw or refuse(request.source.text, answer.text, self._opened.target)
        with self._opened.reading() as state:
            request = request.at(state)
            lengths = state.knowledge.models.lengths
            if flaw is None and lengths.is_short(len(request.source), len(request.answer_sentence)):
                flaw = Silence.SHORT
            if flaw is None:
                self._sound = request.source.text, answer.text
                return request
            return request.answered(None if is_replaced(request) else replace(answer, flaw=flaw), flaw)

    def _list(self, request: Request, found: SearchResult, n: int, adaptation: Adaptation | None) -> list[Translation]:
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
        check_length(len(source))
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
        """The other engine's answer for a source that is corrected, or for its sentences, and the engine's name."""
        with self._opened.reading() as state:
            name = state.upstream
            if name is None:
                return None, None
            hints = hints_for(Request(state, state.knowledge.source.read(source)))
        answer, engine = self._consultant.find_answer(name, source, hints)
        if answer is None:
            return self._find_answer_by_sentences(source)
        return (None, None) if answer.text == source and answer.flaw else (answer, engine)

    def _find_answer_by_sentences(self, source: str) -> tuple[Answer | None, str | None]:
        """What was said for all sentences of a text, which is how it is translated."""
        lines = split_text(source, self._opened.source, self._opened.tokens)
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


def check_length(words: int) -> None:
    """Refuse a text with too many words."""
    if words > MAX_TEXT_WORDS:
        remedy = f"translate at most {MAX_TEXT_WORDS:,} words at once"
        raise BadInputError(f"the text has {words:,} words", remedy=remedy)


def _is_known(state: State, text: str) -> bool:
    """Whether there is a correction that is the translation of a text."""
    return find_first(Request(state, state.knowledge.source.read(text))) is not None


def _is_never(text: str) -> bool:
    del text
    return False


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
        usable = state.memory.exact(request.source.text)
        return choose_repeat(state, request.source.text, usable) if usable and request.answer else usable
    if not is_usable(best) or not have_same_figures(request.source, state.knowledge.source.read(best.source)):
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
