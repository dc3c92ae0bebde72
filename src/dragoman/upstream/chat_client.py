"""`openai:http://127.0.0.1:8000/v1#model`: a language model behind OpenAI's interface for chats, whoever runs it.

It is told the terms of the glossary and the nearest corrections, and asked for a JSON object with one string for each
text; a server that does not know JSON schemas gets numbered lines. Preambles and emphasis are taken away, and what is
left is checked: one translation for each text, in the right language, with the tags and placeholders of the source. If
that fails the model is asked once more, and then text by text; what is still wrong is dropped. The key, if the server
wants one, is in OPENAI_API_KEY.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any, Self

from dragoman.errors import BadInputError
from dragoman.upstream import prompt
from dragoman.upstream.checks import missing, refuse
from dragoman.upstream.contract import NO_HINTS, Answer, EngineName, Hints, Languages, Traits, UnansweredError
from dragoman.upstream.http_engines import BILLED, Remote
from dragoman.upstream.names import number, traits
from dragoman.upstream.transport import Key, find_key

NUMBER = re.compile(r"\d+\s*[:.)]\s*(?=\S)")
SERVICE = "https://api.openai.com/v1"


class Chat(Remote):
    """A language model that is asked to translate."""

    def __init__(self, place: EngineName, languages: Languages, about: Traits, key: Key) -> None:
        headers = {"Authorization": f"Bearer {key.reveal()}"} if key else {}
        super().__init__(place, languages, about, address=place.address or SERVICE, key=key, headers=headers)
        self.version = place.options.get("version") or f"prompt {prompt.VERSION}"
        self._model = place.model
        self._temperature = number(place, "temperature", 0, least=0, most=2)
        self._is_structured = place.options.get("schema") != "no"  # until the server says that it cannot

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `openai:`, a URL and a model name."""
        if not place.model:
            raise BadInputError("no model is named", where=place.name, remedy="write openai:http://…/v1#model")
        about = traits(place, batch=8, characters=6_000, workers=4, markings=(), seconds=60.0, **BILLED)
        key = find_key(place, "OPENAI_API_KEY", is_needed=not place.address)
        return cls(place, languages, about, key)

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """The translations that passed the check, None for the others."""
        del marked
        until = time.monotonic() + seconds
        given = hints or [NO_HINTS] * len(texts)
        found = self._ask(texts, given, until)
        if len(texts) > 1:  # those that went wrong together may go right alone
            for at, answer in enumerate(found):
                if answer is None:
                    found[at] = self._ask(texts[at : at + 1], given[at : at + 1], until)[0]
        return found

    def prompt_for(self, texts: Sequence[str], hints: Sequence[Hints] = ()) -> list[prompt.Message]:
        """The messages that the model gets for some texts."""
        languages = self._languages.source, self._languages.target
        return prompt.write(texts, hints, *languages, structured=self._is_structured)

    def _ask(self, texts: Sequence[str], hints: Sequence[Hints], until: float) -> list[Answer | None]:
        messages = self.prompt_for(texts, hints)
        content = self._ask_model(messages, len(texts), until)
        found = _check(texts, content, self._languages.target)
        if None in found:
            again = prompt.write_again(messages, content, len(texts), self._languages.target)
            better = _check(texts, self._ask_model(again, len(texts), until), self._languages.target)
            found = [one or other for one, other in zip(found, better, strict=True)]
        return found

    def _ask_model(self, messages: list[prompt.Message], count: int, until: float) -> str:
        """What the model says; a server that refuses a schema is asked again without, and from then on."""
        if self._is_structured:
            try:
                return self._post(messages, until, {"response_format": prompt.schema(count)})
            except UnansweredError as error:
                if not error.blames_texts:
                    raise
            content = self._post(messages, until, {})
            self._is_structured = False
            return content
        return self._post(messages, until, {})

    def _post(self, messages: list[prompt.Message], until: float, form: dict[str, Any]) -> str:
        body = {"model": self._model, "messages": messages, "temperature": self._temperature, "stream": False}
        characters = sum(len(message["content"]) for message in messages)
        left = max(until - time.monotonic(), 0.01)
        found = self._transport.post("/chat/completions", left, characters, json=body | form)
        try:
            choice: Any = found["choices"][0]
            message = choice["message"]
            content = message["content"]
        except (KeyError, IndexError, TypeError):
            raise self._unexpected("a message") from None
        is_whole = choice.get("finish_reason") not in ("length", "content_filter") and not message.get("refusal")
        return content if isinstance(content, str) and is_whole else ""


def _check(texts: Sequence[str], content: str, language: str) -> list[Answer | None]:
    """An answer for each text for which there is a translation with the same tags and placeholders."""
    lines = prompt.read(content, len(texts)) or [""] * len(texts)
    found = [
        (text, _numbered(text, prompt.find_translation(text, line))) for text, line in zip(texts, lines, strict=True)
    ]
    return [Answer(line) if _is_good(text, line, language) else None for text, line in found]


def _is_good(text: str, line: str, language: str) -> bool:
    return bool(line) and not missing(text, line).slots and refuse(text, line, language) is None


def _numbered(text: str, line: str) -> str:
    """The line with the number that its source begins with, which may have been taken for that of the text."""
    number = NUMBER.match(text)
    return f"{number[0]}{line}" if number and line and not NUMBER.match(line) else line
