"""Engines over HTTP: what they have in common, and a class for each interface.

- `apertium:http://127.0.0.1:2737`: a server of Apertium, APy. It has no keys.
- `deepl:`: DeepL, or with a URL whatever speaks version 2 of its interface. The key is in DEEPL_AUTH_KEY.
- `libretranslate:http://127.0.0.1:5000`: LibreTranslate, or whatever speaks its interface; the key, if the server wants
  one, is in LIBRETRANSLATE_API_KEY.
- `modernmt:`: ModernMT, or with a URL whatever speaks its interface. The key is in MODERNMT_API_KEY.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from dragoman.languages import primary, same_language, script
from dragoman.upstream.contract import NO_HINTS, Answer, EngineName, Hints, Languages, Scored, Traits, UnansweredError
from dragoman.upstream.names import number, traits
from dragoman.upstream.transport import Key, Meter, Transport, find_key

BILLED = {"is_metered": True, "requests_per_day": 20_000, "characters_per_day": 1_000_000}  # unless options say more
DEEPL, DEEPL_FREE = "https://api.deepl.com", "https://api-free.deepl.com"
FREE_KEY = ":fx"  # so end the keys of the free service
LONGEST_CONTEXT = 2_000  # characters; they are not billed
DEEPL_OPTIONS = ("formality", "glossary-id")
COUNTRY = {"en": "EN-US", "pt": "PT-PT"}  # targets that need one
MODERNMT = "https://api.modernmt.com"


class Remote:
    """An engine at an address."""

    def __init__(
        self,
        place: EngineName,
        languages: Languages,
        about: Traits,
        *,
        address: str,
        key: Key | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.version, self.traits = place.name, place.options.get("version", ""), about
        self._languages = languages
        self._transport = Transport(place, address, key, headers)

    def set_meter(self, meter: Meter) -> None:
        """Let each request be counted before it is sent."""
        self._transport.meter = meter

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def _unexpected(self, wanted: str) -> UnansweredError:
        return UnansweredError(f"did not answer with {wanted}", where=self.name, blames_texts=True)


def with_alternatives(text: str, others: Any) -> Answer:
    """An answer with its alternatives, which have no scores.

    >>> with_alternatives("Abra", ["Abre", "Abra", 3]).nbest
    (Scored(text='Abra', score=None), Scored(text='Abre', score=None))
    """
    known = [each for each in others if isinstance(each, str)] if isinstance(others, list) else []
    return Answer(text, tuple(Scored(each) for each in dict.fromkeys([text, *known])) if known else ())


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


class DeepL(Remote):
    """DeepL's interface; what must survive goes through it as XML tags."""

    def __init__(self, place: EngineName, languages: Languages, about: Traits, key: Key) -> None:
        address = place.address or (DEEPL_FREE if key.reveal().endswith(FREE_KEY) else DEEPL)
        headers = {"Authorization": f"DeepL-Auth-Key {key.reveal()}"}
        self._options = {name: place.options[name] for name in DEEPL_OPTIONS if place.options.get(name)}
        self._shows_examples = place.options.get("examples") == "yes"
        super().__init__(place, languages, about, address=address.removesuffix("/v2"), key=key, headers=headers)
        chosen = ",".join(
            f"{name}={place.options[name]}" for name in (*DEEPL_OPTIONS, "examples") if name in place.options
        )
        self.version = " ".join(filter(None, (self.version, chosen)))  # other options are other answers

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `deepl:` names, at DeepL or at a URL."""
        about = traits(place, batch=50, characters=40_000, workers=2, markings=("tags",), **BILLED)  # 128 KiB
        return cls(place, languages, about, find_key(place, "DEEPL_AUTH_KEY", is_needed=True))

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """A translation of each text; those with another context or formality go in a request of their own."""
        given = list(hints) or [NO_HINTS] * len(texts)
        ways = list(dict.fromkeys(map(self._way, given)))
        found: dict[int, Answer] = {}
        for way in ways:
            chosen = [at for at, each in enumerate(given) if self._way(each) == way]
            made = self._post([texts[at] for at in chosen], given[chosen[0]], seconds, marked)
            found |= zip(chosen, made, strict=True)
        return [found[at] for at in range(len(texts))]

    def _way(self, hints: Hints) -> tuple[str, str, object]:
        return hints.context or hints.around, hints.formality, hints.corrections if self._shows_examples else None

    def _post(self, texts: Sequence[str], hints: Hints, seconds: float, marked: bool) -> list[Answer]:
        body: dict[str, Any] = {
            "text": list(texts),
            "source_lang": primary(self._languages.source).upper(),
            "target_lang": _target(self._languages.target),
            "preserve_formatting": True,
        }
        if around := hints.context or hints.around:
            body["context"] = around[:LONGEST_CONTEXT]
        if formality := hints.formality or self._options.get("formality"):
            body["formality"] = formality
        if glossary := self._options.get("glossary-id"):
            body["glossary_id"] = glossary
        if self._shows_examples and hints.corrections:
            body["example_translations"] = [{"source": one, "target": other} for one, other in hints.corrections]
        if marked:
            body |= {"tag_handling": "xml", "ignore_tags": ["x"]}
        found = self._transport.post("/v2/translate", seconds, sum(map(len, texts)), json=body)
        listed = found.get("translations") if isinstance(found, dict) else None
        made = [each.get("text") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        answers = [Answer(text) for text in made if isinstance(text, str)]
        if len(answers) != len(texts):
            raise self._unexpected(f"{len(texts)} texts")
        return answers


def _target(language: str) -> str:
    """The code as DeepL has it for targets.

    >>> _target("en"), _target("pt_BR"), _target("spa"), _target("zh-TW")
    ('EN-US', 'PT-BR', 'ES', 'ZH-HANT')
    """
    code, rest = primary(language), language.replace("_", "-").upper().partition("-")[2]
    if code == "zh":
        return f"ZH-{(script(language) or 'hans').upper()}"
    return f"{code.upper()}-{rest}" if code in COUNTRY and len(rest) == 2 else COUNTRY.get(code, code.upper())


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


class ModernMT(Remote):
    """ModernMT's interface; what must survive goes through it as XML tags."""

    def __init__(self, place: EngineName, languages: Languages, about: Traits, key: Key) -> None:
        headers = {"MMT-ApiKey": key.reveal(), "MMT-Platform": "dragoman"} if key else {}
        super().__init__(place, languages, about, address=place.address or MODERNMT, key=key, headers=headers)
        self._alternatives = int(number(place, "nbest", 1, most=20)) - 1

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `modernmt:` names, at ModernMT or at a URL."""
        limits = {"is_metered": True} if place.address else BILLED
        about = traits(place, batch=100, workers=2, markings=("tags", "words"), **limits)  # the service takes 128
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
