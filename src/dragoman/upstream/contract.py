"""What every upstream engine offers, and what it answers with.

>>> answer = Answer("Abra el archivo.", (Scored("Abra el archivo.", -0.3), Scored("Abre el archivo.", -0.5)))
>>> Answer.from_json(answer.to_json()) == answer
True
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from dragoman.errors import DragomanError


class Scored(NamedTuple):
    """One entry of an n-best list."""

    text: str
    score: float | None = None  # the engine's own, larger is better; None if it gives no scores


class CharacterLink(NamedTuple):
    """A word of the source and one of the answer that belong together, by a character of each."""

    source: int
    target: int
    weight: float  # 0 to 1


class Silence(StrEnum):
    """Why there is no answer."""

    OFF = "off"  # the project is closed
    FAILED = "failed"  # unreachable, an error, a program that ended
    SLOW = "slow"  # not within the time allowed
    RESTING = "resting"  # it failed repeatedly and is left alone for a while
    SPENT = "spent"  # the day's limit of requests or characters is reached
    EMPTY = "empty"
    SHORT = "short"  # far shorter than translations of such a text are
    RAMBLING = "rambling"  # far longer than the source, or the same words over and over
    WRONG_LANGUAGE = "wrong language"
    REFUSED = "refused"  # a language model says that it will not translate this
    MARKS_LOST = "marks lost"  # tags or placeholders of the source are missing
    UNUSABLE = "unusable"  # the text or the answer is not valid Unicode, or the engine cannot take the text


PASSING = frozenset({Silence.FAILED, Silence.SLOW, Silence.RESTING, Silence.SPENT, Silence.OFF})  # next time may differ


@dataclass(frozen=True, slots=True)
class Answer:
    """The translation of one text that an engine gave."""

    text: str
    nbest: tuple[Scored, ...] = ()  # the text itself first; empty if the engine gives a single translation
    engine: str = ""  # its name,
    version: str = ""  # and version, which `Upstream` fills in
    flaw: Silence | None = None  # why it should not be used, if it should not
    links: tuple[CharacterLink, ...] = ()  # which words belong together, if the engine tells; not kept

    def to_json(self) -> str:
        """Texts, scores and flaw, for the database."""
        flaw = [] if self.flaw is None else [self.flaw.value]
        return json.dumps([self.text, [list(each) for each in self.nbest], *flaw], ensure_ascii=False)

    @classmethod
    def from_json(cls, data: str, engine: str = "", version: str = "") -> Answer:
        """The answer that `to_json` wrote."""
        text, nbest, *flaw = json.loads(data)
        found = tuple(Scored(*each) for each in nbest)
        return cls(text, found, engine, version, Silence(flaw[0]) if flaw else None)


class TermPlace(NamedTuple):
    """A place in a source text whose translation is settled by the glossary."""

    start: int  # first character
    end: int  # one past the last
    target: str


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known about one text before the engine is asked; a language model gets it in its prompt."""

    terms: tuple[TermPlace, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()  # the most similar ones, best first: source and target
    around: str = ""  # text around this one in a document, which is not translated
    context: str = ""  # the same, given by whoever asks; another context is another question
    formality: str = ""  # "more" or "less", as DeepL calls it; another question, too
    wants_links: bool = False  # tags are to be put into the answer: which words belong together would help


NO_HINTS = Hints()


class UnansweredError(DragomanError):
    """An engine gives no answer; `Upstream` turns it into a `Silence`."""

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        remedy: str | None = None,
        silence: Silence = Silence.FAILED,
        blames_texts: bool = False,
        wait: float = 0.0,
    ) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.silence = silence
        self.blames_texts = blames_texts  # maybe it cannot do these texts: they are tried one by one
        self.wait = wait  # seconds for which the engine wants to be left alone


Marking = str  # "words", "numbers" or "tags": see masking.py


@dataclass(frozen=True, slots=True)
class Traits:
    """How an engine wants to be treated."""

    batch: int = 16  # texts in one call
    characters: int = 20_000  # in one call
    workers: int = 1  # calls at the same time
    markings: tuple[Marking, ...] = ("words", "numbers")  # ways to mask what must survive, tried in turn
    is_recorded: bool = False  # its answers are a file that is here: neither checked for lost tags nor kept again
    seconds: float = 30.0  # for one call
    requests_per_day: int | None = None
    characters_per_day: int | None = None
    is_metered: bool = False  # whether each request is counted in the database before it is made


@runtime_checkable
class UpstreamEngine(Protocol):
    """An engine: texts in, answers out, in order. Calls may come from several threads."""

    name: str  # stands for the engine in the database and the journal; holds no secret
    traits: Traits

    @property
    def version(self) -> str:
        """Answers of another version are not used while this one can be asked."""
        ...

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """An answer for each text, None where there is none; `UnansweredError` if there is none for any.

        Each text is one line. `hints` are as many as the texts, or none; `marked` says that the texts hold marks of
        `traits.markings`, which for "tags" means that they are XML.
        """
        ...

    def close(self) -> None:
        """Give back processes and connections."""
        ...


@runtime_checkable
class MeteredEngine(UpstreamEngine, Protocol):
    """An engine that itself knows what it sends, because one call may need several requests."""

    def set_meter(self, meter: Callable[[int, int], None]) -> None:
        """Let requests and characters be counted before they are sent; an error from there forbids it."""
        ...


@runtime_checkable
class ContinuingEngine(UpstreamEngine, Protocol):
    """An engine that can also translate so that the translation begins with given words."""

    def continue_from(self, text: str, prefix: str, *, n: int = 4) -> Answer | None:
        """The best translations that begin with whole words; None if the engine finds none."""
        ...


class CorrectionsInForce(Protocol):
    """What a project has learned and not forgotten, as it is at this moment; read from any thread, without a lock."""

    directory: Path  # of the project

    def keeping_files(self) -> AbstractContextManager[bool]:
        """Keep others from changing files in the directory; whether this process may change them."""
        ...

    def __len__(self) -> int:
        """How many there are."""
        ...

    def in_order(self) -> list[tuple[int, tuple[str, str]]]:
        """The id, source and target of each, the oldest first."""
        ...

    def begin_with(self, ids: tuple[int, ...]) -> bool:
        """Whether the oldest of them are these."""
        ...


class Familiar(NamedTuple):
    """Texts that are as familiar to an engine that learns, and whether what it has learned answers for them."""

    least: float  # share of the words that were learned
    corrections: float  # counted, older ones less
    ahead: float  # how many more pieces of them the learned weights had right, of each
    error: float  # its standard error
    learned_answers: bool

    @property
    def shares(self) -> str:
        """Which texts these are, to be shown."""
        return f"at least {100 * self.least:.0f} %"


class EngineProgress(NamedTuple):
    """How far an engine that learns itself has come."""

    corrections: int  # in force that it has learned
    due: int  # that it has not
    derailed: int  # learned answers that ran wild and were replaced
    problem: str | None  # why it does not learn
    standings: Sequence[Familiar]

    def __str__(self) -> str:
        """What it has done, in a few words for people.

        >>> bands = [Familiar(least, 9.0, 0.2, 0.1, learned_answers=least > 0) for least in (0.0, 0.7, 0.9)]
        >>> print(EngineProgress(120, 3, 0, None, bands))
        learned 120 of 123 corrections; they answer where so many words are known: 70 to 100 %
        >>> print(EngineProgress(0, 3, 0, "its kind is unknown", []))
        learned 0 of 3 corrections; it does not learn now: its kind is unknown
        """
        told = f"learned {self.corrections:,} of {self.corrections + self.due:,} corrections"
        if self.problem:
            return f"{told}; it does not learn now: {self.problem}"
        if not self.corrections:
            return told
        ends = [*(each.least for each in self.standings[1:]), 1.0]
        bands = list[tuple[float, float]]()
        for band, end in zip(self.standings, ends, strict=True):
            if band.learned_answers:
                begin = bands.pop()[0] if bands and bands[-1][1] == band.least else band.least
                bands.append((begin, end))
        shares = ", ".join(f"{100 * begin:.0f} to {100 * end:.0f} %" for begin, end in bands)
        return f"{told}; they answer where so many words are known: {shares or 'nowhere yet'}"


@runtime_checkable
class LearningEngine(UpstreamEngine, Protocol):
    """An engine that learns itself, in the background."""

    @property
    def learning(self) -> EngineProgress | None:
        """How far it has come; None if it is not to learn."""
        ...

    def follow(self, corrections: CorrectionsInForce) -> None:
        """Learn these corrections, and go on learning them as they change."""
        ...

    def hurry(self) -> None:
        """The corrections have changed; returns at once."""
        ...

    def catch_up(self, seconds: float) -> None:
        """Wait until all of them are learned, for at most so long."""
        ...


@runtime_checkable
class PromptedEngine(UpstreamEngine, Protocol):
    """A language model, which is told in words what to do."""

    def prompt_for(self, texts: Sequence[str], hints: Sequence[Hints] = ()) -> list[dict[str, str]]:
        """The messages that it gets for some texts, each with its role and content."""
        ...


@dataclass(frozen=True, slots=True)
class Languages:
    """The pair of languages of a project, as it writes them."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class EngineName:
    """A name taken apart: `kind:address#model&option=value`."""

    kind: str
    address: str
    model: str = ""
    options: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name without options, which do not change what the engine is."""
        return f"{self.kind}:{self.address}" + (f"#{self.model}" if self.model else "")
