"""A session: one source text, and a person who types its translation. Characters in, characters out.

1. On opening, the source is searched once; the word graph that is left holds thousands of translations.
2. `suggest(prefix)` completes what was typed: the prefix is matched against the graph with errors. If there are too
   many, the models are searched again for translations that begin with it, unless the sentence is too long for that.
   A word begun that neither knows is completed from the whole vocabulary.
3. `reject` asks for another completion, `accept` learns the finished translation.

The prefix is never changed: prefix + suffix is the translation. Both are strings of code points, and all offsets are
places in such strings; a text with half a surrogate pair is refused.

A session has its own copy of the graph, with its words as strings: it stays valid while others learn. A search behind
the prefix, and the spelling of the suffix, go by the models as they are at that moment. A session is for one person, so
for one thread at a time; any number of sessions may be open.
"""

from __future__ import annotations

import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import takewhile
from typing import Literal, NamedTuple, Self, get_args

from dragoman.errors import BadInputError
from dragoman.interactive.error_model import Beginning, Completion, ErrorModel
from dragoman.interactive.session_search import FoundGraph, Graphs, carry_over
from dragoman.interactive.typed_text import Typed, is_finished, read_typed
from dragoman.interactive.word_completion import WordCompletion
from dragoman.records import Translation
from dragoman.text.language_side import compared, rest_of

Mode = Literal["auto", "graph", "search"]

# Words of source and prefix together, up to which a search behind the prefix is quick enough for a key
SEARCHABLE: dict[Mode, int] = {"graph": 0, "search": 300, "auto": 32}
FORGIVEN = 0.2  # edits for each word up to which a graph is taken to contain what is meant; tuned on dev text
KEPT, KEPT_BYTES = 8, 16_000_000  # graphs of prefixes, and their size: going back and forth does not search again
BYTES_PER_WORD = 2_000  # of the best translation, about
ALTERNATIVES = 32  # completions looked at for each one that was rejected
MAX_REJECTED = 50  # completions of a prefix; after that, none is suggested
MAX_REJECTED_PREFIXES = 100  # for which they are remembered
MAX_LISTED_WORDS = 100_000  # of all completions looked at
# A prefix of more words than this has no completion: for each word of the source, and besides
PREFIX_FOR_EACH, PREFIX_BESIDES = 4, 200


class Word(NamedTuple):
    """A word of a suggestion, or what is missing of it."""

    text: str
    begin: int  # offset in the suffix
    confidence: float  # from 0 to 1, given what was typed
    source: tuple[int, ...]  # tokens of the source that its phrase stands for


class _Piece(NamedTuple):
    gap: str
    text: str
    source: tuple[int, ...]


@dataclass(frozen=True)
class Suggestion:
    """How the translation may go on."""

    prefix: str
    suffix: str
    origin: str  # "best" translation, "graph", "search" behind the prefix, or "memory"
    revision: int  # of the models; the id of the last row of the journal that they know
    pieces: tuple[_Piece, ...] = field(default=(), repr=False)
    _confidences: Callable[[], list[float]] = field(default=list, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The whole translation."""
        return self.prefix + self.suffix

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words of the suffix, how sure the models are of each, and what it comes from."""
        at, found = 0, []
        for piece, confidence in zip(self.pieces, self._confidences(), strict=True):
            found.append(Word(piece.text, at + len(piece.gap), confidence, piece.source))
            at += len(piece.gap) + len(piece.text)
        return tuple(found)

    def until_doubtful(self, threshold: float) -> Suggestion:
        """The suggestion up to the first word that the models are less sure of than this."""
        sure = list(takewhile(lambda word: word.confidence >= threshold, self.words))
        if len(sure) == len(self.pieces):
            return self
        kept, confidences = self.pieces[: len(sure)], [word.confidence for word in sure]
        suffix = "".join(piece.gap + piece.text for piece in kept)
        return Suggestion(self.prefix, suffix, self.origin, self.revision, kept, lambda: confidences)


class Session:
    """Completes one translation, key by key.

    `mode` "graph" goes by the word graph alone, "search" searches behind every prefix, "auto" does so where the graph
    does not fit. With a `threshold`, suggestions end before the first word less sure than that. `memory` is a
    translation that is known already, and comes first, with its `certainty`; then comes the `best` one, as everybody
    else gets it, for as long as what is typed fits it, with its `best_confidences`, or
    else those of the graph. `learn` is called with the one that is accepted. Without `guess`, a word that is begun and
    that no phrase offers is not completed from the vocabulary.
    """

    def __init__(
        self,
        graphs: Graphs,
        learn: Callable[..., int],
        *,
        mode: Mode = "auto",
        threshold: float = 0.0,
        memory: str | None = None,
        certainty: float = 1.0,
        best: Translation | None = None,
        best_confidences: Callable[[], list[float]] | None = None,
        upstream: str | None = None,
        guess: bool = True,
    ) -> None:
        if mode not in get_args(Mode):
            raise BadInputError(f"there is no mode {mode!r}", remedy=f"choose one of {', '.join(get_args(Mode))}")
        self.source, self.mode, self.threshold, self.memory, self.guess = graphs.source, mode, threshold, memory, guess
        self.upstream = upstream  # another engine's answer, for the whole source
        self.silence = graphs.silence  # why that engine has no answer, or what is wrong with it
        self._graphs, self._learn, self._certainty = graphs, learn, certainty
        self._best, self._best_confidences = best, best_confidences
        self._opening: _Graph | None = None
        self._searched: OrderedDict[tuple[int, tuple[str, ...]], _Graph] = OrderedDict()
        self._prefix = ""
        self._last: Suggestion | None = None
        self._rejected: OrderedDict[str, list[str]] = OrderedDict()  # suffixes by prefix, the oldest first
        self._closed = False

    def open(self) -> Self:
        """Search the source, once; a source without words has nothing to search."""
        if self._closed:
            raise BadInputError("the session is closed", remedy="open another one")
        if self._opening is None and len(self.source):
            self._opening = _Graph(self._graphs.open(), "graph")
        return self

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory of the session; it cannot be used any more, except to accept a translation."""
        self._closed, self._opening, self._last, self._best = True, None, None, None
        self._searched.clear()
        self._rejected.clear()

    @property
    def nbytes(self) -> int:
        """Memory that the session takes, in bytes, about."""
        graphs = [*([self._opening] if self._opening else []), *self._searched.values()]
        rejected = sum(len(suffix) for suffixes in self._rejected.values() for suffix in suffixes)
        best = BYTES_PER_WORD * len(self._best.target) if self._best else 0
        return sum(graph.error_model.nbytes for graph in graphs) + self._graphs.nbytes + 4 * rejected + best

    def suggest(self, prefix: str = "") -> Suggestion:
        """The best completion of a prefix, other than those that were rejected for it; none of a finished text."""
        self.open()
        self._prefix = prefix
        rejected = self._rejected.get(prefix, [])
        more = self._suggestions(prefix, len(rejected)) if len(rejected) < MAX_REJECTED else ()
        for suggestion in more:
            if not rejected and self._is_tail(suggestion):
                suggestion = Suggestion(prefix, "", suggestion.origin, suggestion.revision)
            self._last = suggestion.until_doubtful(self.threshold) if self.threshold > 0 else suggestion
            if self._last.suffix not in rejected:
                return self._last
        self._last = Suggestion(prefix, "", "graph", self.revision)
        return self._last

    def reject(self) -> Suggestion:
        """Another completion of the same prefix than the last; with an empty suffix if there is none left."""
        if self._last is None:
            raise BadInputError("nothing was suggested yet", remedy="ask for a suggestion first")
        rejected = self._rejected.setdefault(self._last.prefix, [])
        if len(rejected) < MAX_REJECTED:
            rejected.append(self._last.suffix)
        if len(self._rejected) > MAX_REJECTED_PREFIXES:
            self._rejected.popitem(last=False)
        return self.suggest(self._last.prefix)

    def accept(self, text: str, *, force: bool = False) -> int:
        """Learn the translation of the source, as `learn` does; its id, when it is safe on disk."""
        return self._learn(text, force=force)

    @property
    def revision(self) -> int:
        """The models that the session was opened with: the id of the last row of the journal that they know."""
        return self._opening.revision if self._opening else 0

    def _is_tail(self, suggestion: Suggestion) -> bool:
        """Whether words are suggested behind a finished translation; `reject` asks for them all the same."""
        prefix, suffix = suggestion.prefix, suggestion.suffix
        return bool(suffix.strip()) and is_finished(self.source.text, prefix, suffix)

    # ── From a prefix to completions ─────────────────────────────────────────────────────────────────────────────────

    def _suggestions(self, prefix: str, rejected: int) -> Iterator[Suggestion]:
        """Completions, the best first; of those after the first, as many as so many rejections may ask for."""
        sentence = self._graphs.read(prefix)
        if self.memory is not None and self.memory.startswith(prefix):
            rest = self.memory[len(prefix) :]
            pieces = (_Piece("", rest, tuple(range(len(self.source)))),) if rest else ()
            yield Suggestion(prefix, rest, "memory", self.revision, pieces, lambda: [self._certainty] * len(pieces))
        if self._opening is None:
            yield Suggestion(prefix, "" if prefix else self.source.text, "graph", self.revision)
            return
        if len(sentence) > PREFIX_FOR_EACH * len(self.source) + PREFIX_BESIDES:
            yield Suggestion(prefix, "", "graph", self.revision)
            return
        typed = read_typed(sentence, self._opening.error_model.has_word_with)
        if self._best and self._best.text.startswith(prefix) and len(prefix) < len(self._best.text.rstrip()):
            yield self._rest_of_best(self._best, prefix, typed)
        answer = self._answer(self._opening, typed.beginning)
        yield self._suggestion(prefix, typed, answer)
        if rejected:
            most = min(ALTERNATIVES * rejected, max(MAX_LISTED_WORDS // len(self.source), 2))
            for completion in answer.graph.error_model.nbest(answer.beginning, most):
                yield self._suggestion(prefix, typed, answer._replace(completion=completion))

    def _rest_of_best(self, best: Translation, prefix: str, typed: Typed) -> Suggestion:
        """What is missing of the best translation."""
        pieces, done = list[_Piece](), len(prefix)
        for (begin, end), source in zip(best.target.spans, self._best_links, strict=True):
            if end > done:
                pieces.append(_Piece(best.text[done : max(begin, done)], best.text[max(begin, done) : end], source))
                done = end
        sure = partial(self._sure_of_best, prefix, typed, [piece.text for piece in pieces])
        return Suggestion(prefix, best.text[len(prefix) :], "best", self.revision, tuple(pieces), sure)

    @cached_property
    def _best_links(self) -> list[tuple[int, ...]]:
        """The tokens of the source that each token of the best translation stands for."""
        if self._best is None:
            return []
        links: list[set[int]] = [set() for _ in self._best.target.words]
        for source, target in self._best.alignment:
            links[target].add(source)
        return [tuple(sorted(each)) for each in links]

    @cached_property
    def _sure_of_lines(self) -> list[float]:
        return self._best_confidences() if self._best_confidences else []

    def _sure_of_best(self, prefix: str, typed: Typed, words: list[str]) -> list[float]:
        """How sure the last words of the best translation are: as its lines are, or as the graph is of these words."""
        if self._sure_of_lines:
            return self._sure_of_lines[len(self._sure_of_lines) - len(words) :]
        opening = self._opening
        known = self._suggestion(prefix, typed, self._answer(opening, typed.beginning)).words if opening else ()
        return carry_over(words, [word.text for word in known], [word.confidence for word in known])

    def _answer(self, opening: _Graph, beginning: Beginning) -> _Answer:
        """The best completion; it depends on the beginning alone, not on what was typed before or how fast."""
        first = answer = self._completed(opening, beginning)
        if self._wants_search(first):
            answer = self._completed(self._behind(beginning.words), beginning)
        if not beginning.unfinished or answer.fits:
            return answer
        if first.fits:
            return first
        guess = self._graphs.guess(beginning.words, beginning.unfinished) if self.guess else None
        if self.mode == "search" and answer is not first:
            known = *beginning.words, guess.word if guess else beginning.unfinished
            answer = self._completed(self._behind(known), Beginning(known))
        return answer._replace(guess=guess)

    def _wants_search(self, first: _Answer) -> bool:
        """Whether to search behind the words typed, given what the graph of the opening has to say."""
        words = len(first.beginning.words) + bool(first.beginning.unfinished)
        if not words or len(self.source) + words > SEARCHABLE[self.mode]:
            return False
        if self.mode == "search":
            return True
        return not first.fits and first.completion.edits > FORGIVEN * words

    def _completed(self, graph: _Graph, beginning: Beginning) -> _Answer:
        return _Answer(graph, beginning, graph.error_model.complete(beginning))

    def _behind(self, words: tuple[str, ...]) -> _Graph:
        """The graph of a search behind some words; the answer of another engine that came meanwhile is in it."""
        self._graphs.ask_for_continuation(self._prefix)
        key = self._graphs.version, words
        if key not in self._searched:
            self._searched[key] = _Graph(self._graphs.behind(words, quick=self.mode == "auto"), "search")
        self._searched.move_to_end(key)
        while len(self._searched) > 1 and (len(self._searched) > KEPT or self._searched_bytes > KEPT_BYTES):
            self._searched.popitem(last=False)
        return self._searched[key]

    @property
    def _searched_bytes(self) -> int:
        return sum(graph.error_model.nbytes for graph in self._searched.values())

    # ── From a completion to text ────────────────────────────────────────────────────────────────────────────────────

    def _suggestion(self, prefix: str, typed: Typed, answer: _Answer) -> Suggestion:
        pieces = tuple(self._pieces(typed, answer))
        end = self.source.gaps[-1] if pieces or not typed.beginning.gap else ""
        if len(unicodedata.normalize("NFC", prefix)) < len(prefix):  # whoever types accents apart goes on doing so
            pieces = tuple(piece._replace(text=unicodedata.normalize("NFD", piece.text)) for piece in pieces)
        if not prefix and pieces:  # the translation begins with the same spaces as the source
            pieces = (pieces[0]._replace(gap=self.source.gaps[0] + pieces[0].gap), *pieces[1:])
        suffix = "".join(piece.gap + piece.text for piece in pieces) + end
        sure = partial(_sure, answer, len(pieces))
        return Suggestion(prefix, suffix, answer.graph.origin, answer.graph.revision, pieces, sure)

    def _pieces(self, typed: Typed, answer: _Answer) -> Iterator[_Piece]:
        """What is missing of an unfinished word, and the words that follow, as they are written."""
        completion, guess, unfinished = answer.completion, answer.guess, typed.beginning.unfinished
        begun = completion.stands > 0
        first = guess.word if guess else completion.words[0] if begun else unfinished
        stands = len(compared(unfinished)) if guess else completion.stands
        before = (*typed.words[:-1], first) if guess or answer.fits else typed.words
        written = self._graphs.write((*before, *completion.words[begun:]), typed.sentence)
        if guess or begun:
            cased = written.words[len(before) - 1]
            rest = rest_of(unfinished, cased if compared(cased) == compared(first) else first, stands)
            if rest:
                yield _Piece("", rest, tuple(range(*completion.spans[0])) if begun else ())
        for n, span in enumerate(completion.spans[begun:], start=len(before)):
            after_space = n == len(before) and (not typed.words or any(map(str.isspace, typed.sentence.gaps[-1])))
            yield _Piece("" if after_space else written.gaps[n], written.words[n], tuple(range(*span)))


class _Graph:
    """A word graph that completes, and what is known of it."""

    def __init__(self, found: FoundGraph, origin: str) -> None:
        self.error_model = ErrorModel(found.graph, found.welcome)
        self.revision = found.revision
        self.origin = origin


class _Answer(NamedTuple):
    """A completion, and what it was made from."""

    graph: _Graph
    beginning: Beginning
    completion: Completion
    guess: WordCompletion | None = None  # for an unfinished word that the graph does not have

    @property
    def fits(self) -> bool:
        """Whether the first word of the completion begins as the unfinished word does."""
        begun, unfinished = self.completion.stands > 0, self.beginning.unfinished
        return begun and compared(self.completion.words[0]).startswith(compared(unfinished))


def _sure(answer: _Answer, last: int) -> list[float]:
    """The confidences of the last words of an answer: of the first, all may stand already."""
    error_model, completion = answer.graph.error_model, answer.completion
    found = error_model.confidences(error_model.starts(answer.beginning), completion)
    if answer.guess:
        found = [answer.guess.probability, *found[completion.stands > 0 :]]
    return found[len(found) - last :]
