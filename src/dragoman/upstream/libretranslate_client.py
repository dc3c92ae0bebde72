"""`libretranslate:http://127.0.0.1:5000`: LibreTranslate, or whatever speaks its interface.

The key, if the server wants one, is in LIBRETRANSLATE_API_KEY.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from dragoman.languages import primary, script
from dragoman.upstream.contract import Answer, EngineName, Hints, Languages, Traits
from dragoman.upstream.credentials import Key, find_key
from dragoman.upstream.names import number, traits
from dragoman.upstream.remote import Remote, with_alternatives


class LibreTranslate(Remote):
    """A server with the interface of LibreTranslate."""

    def __init__(self, place: EngineName, languages: Languages, about: Traits, key: Key) -> None:
        super().__init__(place, languages, about, address=place.address, key=key)
        self._key = key
        self._alternatives = int(number(place, "nbest", 1, most=20)) - 1

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `libretranslate:` and a URL name."""
        about = traits(place, batch=20, workers=2, is_metered=True)
        return cls(place, languages, about, find_key(place, "LIBRETRANSLATE_API_KEY"))

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """A translation of each text, with alternatives if `nbest` is more than 1."""
        del hints, marked
        languages = {"source": _code(self._languages.source), "target": _code(self._languages.target)}
        body: dict[str, Any] = {"q": list(texts), "format": "text"} | languages
        if self._alternatives:
            body["alternatives"] = self._alternatives
        if self._key:
            body["api_key"] = self._key.reveal()
        found = self._transport.post("/translate", seconds, sum(map(len, texts)), json=body)
        made = found.get("translatedText") if isinstance(found, dict) else None
        if not isinstance(made, list) or len(made) != len(texts) or not all(isinstance(each, str) for each in made):
            raise self._unexpected(f"{len(texts)} texts")
        others = found.get("alternatives")
        known = others if isinstance(others, list) else []
        return [with_alternatives(*each) for each in zip(made, [*known, *([[]] * len(texts))], strict=False)]


def _code(language: str) -> str:
    """The code as LibreTranslate has it: without the country, Chinese by its script.

    >>> _code("es-MX"), _code("zh_TW"), _code("zho")
    ('es', 'zh-Hant', 'zh')
    """
    named = script(language) if primary(language) == "zh" else None
    return f"zh-{named.title()}" if named else primary(language)
