"""Names of upstream engines: `kind:address#option=value&…`, and the engine that a name stands for.

>>> parse("deepl:#key-file=/run/secrets/deepl&characters=200000").options["characters"]
'200000'
>>> parse("openai:http://127.0.0.1:8000/v1#llama-3").model
'llama-3'
>>> parse("command:apertium -u eng-spa #seconds=5").address
'apertium -u eng-spa'
>>> parse("nmt")
Traceback (most recent call last):
dragoman.errors.BadInputError: 'nmt' does not name an engine; write kind:address, where kind is one of apertium, \
command, ct2, deepl, engine, libretranslate, modernmt, openai, recorded

It is loaded when it is first asked (`LazyEngine`): opening a project must not wait for a large model.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit

from dragoman.errors import BadInputError
from dragoman.upstream.contract import CorrectionsInForce, EngineName, Languages, LearningEngine, Traits, UpstreamEngine

COMMON = ("seconds", "batch", "requests", "characters", "version")
REMOTE = (*COMMON, "key-file", "key-env", "insecure", "workers")
CT2 = (*COMMON, "nbest", "beam", "threads", "source-token", "target-token", "device", "learns")
KINDS: dict[str, tuple[str, str, tuple[str, ...]]] = {  # module and class in this package, and options
    "apertium": ("http_engines", "Apertium", REMOTE),
    "command": ("command", "Command", (*COMMON, "stay")),
    "ct2": ("ct2", "CTranslate2", CT2),
    "deepl": ("http_engines", "DeepL", (*REMOTE, "formality", "glossary-id", "examples")),
    "engine": ("installed", "Installed", CT2),
    "libretranslate": ("http_engines", "LibreTranslate", (*REMOTE, "nbest")),
    "modernmt": ("http_engines", "ModernMT", (*REMOTE, "nbest")),
    "openai": ("chat_client", "Chat", (*REMOTE, "temperature", "corrections", "schema")),
    "recorded": ("recorded", "Recorded", COMMON),
}
OPTIONS = re.compile(r"[a-z][a-z-]*=[^&]*(?:&[a-z][a-z-]*=[^&]*)*")
SECRET = re.compile(r"(?i)(api[-_]?key|auth[-_]?key|token|secret|password)=")


def from_name(name: str, *, source: str, target: str) -> UpstreamEngine:
    """The engine of a name, for a pair of languages; no request is made yet."""
    place = parse(name)
    module, engine, _ = KINDS[place.kind]
    made: Callable[[EngineName, Languages], UpstreamEngine]
    made = getattr(import_module(f"dragoman.upstream.{module}"), engine).from_place
    return made(place, Languages(source, target))


def parse(name: str) -> EngineName:
    """A name taken apart, with its options checked."""
    kind, colon, rest = name.partition(":")
    if not colon or kind not in KINDS:
        remedy = f"write kind:address, where kind is one of {', '.join(KINDS)}"
        shown = name if len(name) < 60 and not SECRET.search(name) else f"{kind[:20]}…"
        raise BadInputError(f"{shown!r} does not name an engine", remedy=remedy)
    address, hash_sign, after = rest.rpartition("#")
    model = ""
    if not hash_sign:
        address, after = rest, ""
    elif kind == "openai":
        model, _, after = after.partition("&")
    elif not OPTIONS.fullmatch(after.strip()):  # a sharp in a path or a command is part of it
        address, after = rest, ""
    address = address.strip()
    place = EngineName(kind, address, model, _options(kind, after.strip()))
    _refuse_secrets(place)
    return place


def _options(kind: str, text: str) -> dict[str, str]:
    known = KINDS[kind][2]
    found = {}
    for each in filter(None, text.split("&")):
        option, equals, value = each.partition("=")
        if not equals or option not in known:
            remedy = f"{kind} has {', '.join(known)}"
            raise BadInputError(f"unknown option {option!r} of engine {kind!r}", remedy=remedy)
        found[option] = unquote(value)
    return found


def _refuse_secrets(place: EngineName) -> None:
    """A name is kept in the journal and shown to people, so that no key may stand in it."""
    secret = place.kind != "command" and bool(SECRET.search(place.address))
    if "://" in place.address and place.kind != "command":
        parts = urlsplit(place.address)
        secret = secret or bool(parts.username or parts.password or parts.query)
    if secret:
        remedy = "put the key into an environment variable or a file; see #key-env and #key-file"
        raise BadInputError(f"the address of engine {place.kind!r} holds a user, key or query", remedy=remedy)


def number(place: EngineName, option: str, default: float, least: float = 1.0, most: float = 1e12) -> float:
    """The number that an option gives."""
    text = place.options.get(option)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        what = f"option {option} of engine {place.kind!r} is not a number from {least:g} to {most:g}"
        raise BadInputError(what, remedy=f"write {option}={default:g}")
    return value


def yes_or_no(place: EngineName, option: str, *, default: bool) -> bool:
    """Whether an option is on."""
    text = place.options.get(option, "yes" if default else "no")
    if text not in ("yes", "no"):
        what = f"option {option} of engine {place.kind!r} is neither yes nor no"
        raise BadInputError(what, remedy=f"write {option}=yes or {option}=no")
    return text == "yes"


def traits(place: EngineName, **defaults: Any) -> Traits:
    """The traits of an engine, those that options name replaced."""
    plain = Traits(**defaults)
    changed: dict[str, Any] = {"seconds": number(place, "seconds", plain.seconds, least=0.05, most=3600)}
    changed["batch"] = int(number(place, "batch", plain.batch, most=1000))
    changed["workers"] = int(number(place, "workers", plain.workers, most=32))
    for option, field in ("requests", "requests_per_day"), ("characters", "characters_per_day"):
        if option in place.options:
            changed |= {field: int(number(place, option, 0, least=0)), "is_metered": True}
    return Traits(**(defaults | changed))


class LazyEngine:
    """An engine, or the name of one; safe to use from threads.

    >>> lazy = LazyEngine("command:cat", "en", "es", print)
    >>> lazy.name, lazy.engine
    ('command:cat', None)
    >>> lazy.load() is lazy.engine is not None
    True
    """

    def __init__(
        self,
        engine: UpstreamEngine | str,
        source: str,
        target: str,
        note: Callable[[Exception], None],
        corrections: CorrectionsInForce | None = None,
    ) -> None:
        self.name = parse(engine).name if isinstance(engine, str) else engine.name
        self.engine = None if isinstance(engine, str) else engine  # None until it is loaded, or if that failed
        self._named = engine if isinstance(engine, str) else ""
        self._languages, self._note, self._corrections = (source, target), note, corrections
        self._lock = threading.Lock()
        self._loading: Future[None] | None = None

    @property
    def has_failed(self) -> bool:
        """Whether loading was tried, and there is no engine."""
        return self.engine is None and self._loading is not None and self._loading.done()

    def load(self, until: float | None = None, *, again: bool = False) -> UpstreamEngine | None:
        """The engine, if it is loaded before that time of the monotonic clock; loading goes on in any case.

        What could not be loaded is only tried `again` if that is asked for.
        """
        if self.engine is None:
            with self._lock:
                if self._loading is None or (again and self.has_failed):
                    self._loading = Future()
                    threading.Thread(target=self._make, daemon=True, name="loading upstream").start()
            wait([self._loading], timeout=None if until is None else max(until - time.monotonic(), 0.0))
        return self.engine

    def _make(self) -> None:
        source, target = self._languages
        try:
            engine = from_name(self._named, source=source, target=target)
            if self._corrections is not None and isinstance(engine, LearningEngine):
                engine.follow(self._corrections)
            self.engine = engine
        except Exception as error:
            self._note(error)
        finally:
            if self._loading:
                self._loading.set_result(None)
