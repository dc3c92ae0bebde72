"""The texts of one request over another engine: asked for together, waited for, and never passed off as translated.

1. Each text is translated as far as that goes without asking; what the engine has to be asked for is collected.
2. The engine is asked for all of that at once, in batches, for as long as each of its calls may take (`seconds` in its
   name) and the client waits. Then 1. again: tags may make another question necessary.
3. What the engine did not answer in time is kept when it comes, so the client's next attempt finds it. Until then the
   request is an error in the way of its interface, unless dragoman itself knows all words of the text. What the engine
   cannot do stays as it is, and keeps nothing from the other texts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import TypeVar

from fastapi import Request

from dragoman.engine import Engine
from dragoman.formats import Document, DocumentSegment
from dragoman.formats.filled_document import translate_segment
from dragoman.project.consultant import NO_OPTIONS, Asked, RequestOptions, UnaskedError, collecting, with_options
from dragoman.project.glossary import Glossary, extra_terms
from dragoman.server.api_errors import ApiError
from dragoman.server.context import ProjectContext
from dragoman.server.engine_choice import brief

T = TypeVar("T")
ROUNDS = 5  # of asking for what one request needs
PATIENCE = 50.0  # seconds for which most clients, and the proxies before us, wait
JOB_PATIENCE = 600.0  # seconds for which a job waits, since nobody's connection does
CLIENTS = {"weblate/": 4.5, "deepl-python/": 9.0, "deepl-node/": 9.0}  # of those that wait for less, by User-Agent
ASKING = 0.9  # of the time that a client waits is the engine's, the rest is for what is made of its answers
RETRY_AFTER = 2  # seconds
SHOWN = 60  # characters of a text in a message


def patience(request: Request) -> float:
    """The seconds after which the client that sent a request gives up, less a moment."""
    agent = request.headers.get("user-agent", "").lower()
    return next((seconds for start, seconds in CLIENTS.items() if agent.startswith(start)), PATIENCE)


async def translate_batch(
    context: ProjectContext,
    work: Sequence[Callable[[], T]],
    seconds: float | None = None,
    terms: Glossary | None = None,
    *,
    lenient: bool = False,
    options: RequestOptions = NO_OPTIONS,
) -> list[T]:
    """The results of translating some texts, the engine asked for all of them together.

    `work` are functions that translate; `terms` are those that they translate with. If lenient, what the engine did
    not answer is dragoman's own translation: for clients that are told so.
    """
    if context.project.engine.upstream is None:
        return await context.run_all("translate", work)
    work = [partial(_told, options, each) for each in work]
    found, asked = dict[int, T](), set[str]()
    until = time.monotonic() + ASKING * (PATIENCE if seconds is None else seconds)
    for _ in range(ROUNDS):
        left = [number for number in range(len(work)) if number not in found]
        tries = await context.run_all("translate", [partial(_attempt, work[number], asked) for number in left])
        found |= {number: made[0] for number, made in zip(left, tries, strict=True) if not isinstance(made, set)}
        wanted = sorted({text for made in tries if isinstance(made, set) for text in made})
        if not wanted:
            break
        ask = partial(_ask, context.project.engine, wanted, terms, options)
        try:
            async with asyncio.timeout(until + 1 - time.monotonic()):  # others may be before us
                outcome = await context.ask(partial(ask, until))
        except TimeoutError:
            outcome = await context.run("translate", partial(ask, 0.0))  # it is asked, but not waited for
        asked.update(wanted)
        if outcome.silent and not lenient:
            told = outcome if context.identity.has_role("admin") else _briefly(outcome)
            await context.run("translate", partial(_check_known, context.project.engine, told, terms))
    rest = {number: each for number, each in enumerate(work) if number not in found}
    made = await context.run_all("translate", rest.values())
    return [value for _, value in sorted((found | dict(zip(rest, made, strict=True))).items())]


async def translate_segments(
    context: ProjectContext,
    document: Document,
    segments: Sequence[DocumentSegment],
    seconds: float,
    terms: Glossary | None = None,
) -> list[str]:
    """The translations of some segments of a document, with their tags; likewise an error if the engine is silent."""
    work = [partial(_translate_segment, context.project.engine, document, each, terms) for each in segments]
    return await translate_batch(context, work, seconds, terms)


def _translate_segment(engine: Engine, document: Document, segment: DocumentSegment, terms: Glossary | None) -> str:
    with extra_terms(terms):
        return translate_segment(engine, document, segment)


def _told(options: RequestOptions, work: Callable[[], T]) -> T:
    """What a function returns while the engine is told how texts are to be translated."""
    with with_options(options):
        return work()


def _attempt(work: Callable[[], T], asked: set[str]) -> tuple[T] | set[str]:
    """What a function returns, or the texts that the engine has to be asked for first."""
    with collecting(asked) as wanted:
        try:
            return (work(),)
        except UnaskedError:
            return set(wanted)


def _ask(engine: Engine, texts: Sequence[str], terms: Glossary | None, options: RequestOptions, until: float) -> Asked:
    with extra_terms(terms), with_options(options):
        return engine.ask_ahead(texts, seconds=max(until - time.monotonic(), 0.0))


def _briefly(asked: Asked) -> Asked:
    """The same without what the engine's server has said, which only whoever runs ours is told."""
    return asked._replace(silent={text: brief(why) for text, why in asked.silent.items()})


def _check_known(engine: Engine, asked: Asked, terms: Glossary | None) -> None:
    """Refuse to go on without the engine, unless dragoman knows every word of the texts that have no answer."""
    with extra_terms(terms):
        silent = {text: why for text, why in asked.silent.items() if not is_known(engine, text)}
    if not silent:
        return
    status = 529 if any("time" in why or "slow" in why for why in silent.values()) else 503
    first = next(iter(silent))
    what = f"{asked._replace(silent=silent)} ({first[:SHOWN]}{'…' if len(first) > SHOWN else ''})"
    remedy = "try again in a moment: answers that come later are kept"
    raise ApiError(status, what, remedy, headers={"Retry-After": str(ceil(max(asked.wait, RETRY_AFTER)))})


def is_known(engine: Engine, text: str) -> bool:
    """Whether dragoman has something to say for each word of a text; names and codes aside, nothing is copied."""
    made = engine.translate(text)
    words = [
        word.isalpha() and not fixed and (word.islower() or at == 0)
        for at, (word, fixed) in enumerate(zip(made.source.words, made.source.placeable, strict=True))
    ]
    if any(phrase.kind == "copy" and any(words[slice(*phrase.source)]) for phrase in made.phrases):
        return False
    return made.memory is not None or not any(words) or bool(made.phrases)
