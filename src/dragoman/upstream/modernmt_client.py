"""`modernmt:`: ModernMT, or with a URL whatever speaks its interface. The key is in MODERNMT_API_KEY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from dragoman.upstream.contract import Answer, EngineName, Hints, Languages, Traits
from dragoman.upstream.credentials import Key, find_key
from dragoman.upstream.names import number, traits
from dragoman.upstream.remote import BILLED, Remote, with_alternatives

SERVICE = "https://api.modernmt.com"
BATCH = 100  # the service takes 128


class ModernMT(Remote):
    """ModernMT's interface; what must survive goes through it as XML tags."""

    def __init__(self, place: EngineName, languages: Languages, about: Traits, key: Key) -> None:
        headers = {"MMT-ApiKey": key.reveal(), "MMT-Platform": "dragoman"} if key else {}
        super().__init__(place, languages, about, address=place.address or SERVICE, key=key, headers=headers)
        self._alternatives = int(number(place, "nbest", 1, most=20)) - 1

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `modernmt:` names, at ModernMT or at a URL."""
        limits = {"is_metered": True} if place.address else BILLED
        about = traits(place, batch=BATCH, workers=2, markings=("tags", "words"), **limits)
        return cls(place, languages, about, find_key(place, "MODERNMT_API_KEY", is_needed=not place.address))

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """A translation of each text, with alternatives if `nbest` is more than 1."""
        del hints
        body: dict[str, Any] = {
            "q": list(texts),
            "source": self._languages.source,
            "target": self._languages.target,
            "format": "text/xml" if marked and any("<x " in text for text in texts) else "text/plain",
        }
        if self._alternatives:
            body["alt_translations"] = self._alternatives
        override = {"X-HTTP-Method-Override": "GET"}
        found = self._transport.post("/translate", seconds, sum(map(len, texts)), json=body, headers=override)
        listed = found.get("data") if isinstance(found, dict) else None
        entries = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        if len(entries) != len(texts) or not all(isinstance(each.get("translation"), str) for each in entries):
            raise self._unexpected(f"{len(texts)} texts")
        return [with_alternatives(each["translation"], each.get("altTranslations")) for each in entries]
