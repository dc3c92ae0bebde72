"""`apertium:http://127.0.0.1:2737`: a server of Apertium, APy. It has no keys."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Self

from dragoman.languages import same_language
from dragoman.upstream.contract import Answer, EngineName, Hints, Languages, Traits, UnansweredError
from dragoman.upstream.names import traits
from dragoman.upstream.remote import Remote


class Apertium(Remote):
    """A server with the interface of APy, which takes one text at a time."""

    def __init__(self, place: EngineName, languages: Languages, about: Traits) -> None:
        super().__init__(place, languages, about, address=place.address)
        self._lock = threading.Lock()
        self._pair: str | None = None  # as the server calls it, once it was asked

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `apertium:` and a URL name."""
        return cls(place, languages, traits(place, batch=8, workers=2, is_metered=True))

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """A translation of each text; words that are not known stay, without a mark."""
        del hints, marked
        until = time.monotonic() + seconds
        pair = self._find_pair(seconds)
        return [self._ask(text, pair, max(until - time.monotonic(), 0.01)) for text in texts]

    def _ask(self, text: str, pair: str, seconds: float) -> Answer:
        form = {"q": text, "langpair": pair, "markUnknown": "no", "format": "txt"}
        found = self._transport.post("/translate", seconds, len(text), data=form)
        data = found.get("responseData") if isinstance(found, dict) else None
        if not isinstance(data, dict) or not isinstance(data.get("translatedText"), str):
            raise self._unexpected("a text")
        return Answer(data["translatedText"].removesuffix("\n"))

    def _find_pair(self, seconds: float) -> str:
        """Our languages by the server's codes, eng|spa: the plainest of its pairs that means them."""
        with self._lock:
            if self._pair is None:
                found = self._transport.get("/listPairs", seconds=seconds)
                listed = found.get("responseData") if isinstance(found, dict) else None
                known = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
                self._pair = self._choose(
                    [(str(each.get("sourceLanguage")), str(each.get("targetLanguage"))) for each in known]
                )
            return self._pair

    def _choose(self, pairs: list[tuple[str, str]]) -> str:
        source, target = self._languages.source, self._languages.target
        fitting = [f"{a}|{b}" for a, b in pairs if same_language(a, source) and same_language(b, target)]
        if not fitting:
            what, remedy = f"does not translate from {source} into {target}", "install that pair on the server"
            raise UnansweredError(what, where=self.name, remedy=remedy)
        return min(fitting, key=lambda pair: (len(pair), pair))
