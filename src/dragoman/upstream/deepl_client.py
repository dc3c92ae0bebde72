"""`deepl:`: DeepL, or with a URL whatever speaks version 2 of its interface. The key is in DEEPL_AUTH_KEY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from dragoman.languages import primary, script
from dragoman.upstream.contract import NO_HINTS, Answer, EngineName, Hints, Languages, Traits
from dragoman.upstream.credentials import Key, find_key
from dragoman.upstream.names import traits
from dragoman.upstream.remote import BILLED, Remote

PAID, FREE = "https://api.deepl.com", "https://api-free.deepl.com"
FREE_KEY = ":fx"  # so end the keys of the free service
BATCH, CHARACTERS = 50, 40_000  # texts in one request, which may have 128 KiB
LONGEST_CONTEXT = 2_000  # characters; they are not billed
OPTIONS = ("formality", "glossary-id")
COUNTRY = {"en": "EN-US", "pt": "PT-PT"}  # targets that need one


class DeepL(Remote):
    """DeepL's interface; what must survive goes through it as XML tags."""

    def __init__(self, place: EngineName, languages: Languages, about: Traits, key: Key) -> None:
        address = place.address or (FREE if key.reveal().endswith(FREE_KEY) else PAID)
        headers = {"Authorization": f"DeepL-Auth-Key {key.reveal()}"}
        self._options = {name: place.options[name] for name in OPTIONS if place.options.get(name)}
        self._shows_examples = place.options.get("examples") == "yes"
        super().__init__(place, languages, about, address=address.removesuffix("/v2"), key=key, headers=headers)
        chosen = ",".join(f"{name}={place.options[name]}" for name in (*OPTIONS, "examples") if name in place.options)
        self.version = " ".join(filter(None, (self.version, chosen)))  # other options are other answers

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `deepl:` names, at DeepL or at a URL."""
        about = traits(place, batch=BATCH, characters=CHARACTERS, workers=2, markings=("tags",), **BILLED)
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
