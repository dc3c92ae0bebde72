"""`openai:http://127.0.0.1:8000/v1#model`: a language model behind OpenAI's interface for chats, whoever runs it.

It is told the terms of the glossary and the nearest corrections. What it says is checked: one line for each line, and
the tags and placeholders of the source. If that fails it is asked once more, and then line by line; what is still wrong
is dropped. The key, if the server wants one, is in OPENAI_API_KEY.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self

from dragoman.errors import BadInputError
from dragoman.upstream import prompt
from dragoman.upstream.checks import missing
from dragoman.upstream.contract import NO_HINTS, Answer, Hints, Languages, Place, Traits
from dragoman.upstream.credentials import Key, find_key
from dragoman.upstream.names import number, traits
from dragoman.upstream.remote import BILLED, Remote

SERVICE = "https://api.openai.com/v1"
QUOTES = ('""', "“”", "«»", "''", "‘’", "「」", "``")


class Chat(Remote):
    """A language model that is asked to translate."""

    def __init__(self, place: Place, languages: Languages, about: Traits, key: Key) -> None:
        headers = {"Authorization": f"Bearer {key.reveal()}"} if key else {}
        super().__init__(place, languages, about, address=place.address or SERVICE, key=key, headers=headers)
        self.version = place.options.get("version") or f"prompt {prompt.VERSION}"
        self._model = place.model
        self._temperature = number(place, "temperature", 0, least=0, most=2)

    @classmethod
    def from_place(cls, place: Place, languages: Languages) -> Self:
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

    def _ask(self, texts: Sequence[str], hints: Sequence[Hints], until: float) -> list[Answer | None]:
        messages = prompt.write(texts, hints, self._languages.source, self._languages.target)
        said = self._say(messages, until)
        found = _check(texts, said)
        if None in found:
            better = _check(texts, self._say(prompt.write_again(messages, said, len(texts)), until))
            found = [one or other for one, other in zip(found, better, strict=True)]
        return found

    def _say(self, messages: list[prompt.Message], until: float) -> str:
        body = {"model": self._model, "messages": messages, "temperature": self._temperature, "stream": False}
        characters = sum(len(message["content"]) for message in messages)
        left = max(until - time.monotonic(), 0.01)
        found = self._transport.post("/chat/completions", left, characters, json=body)
        try:
            choice: Any = found["choices"][0]
            content = choice["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise self._unexpected("a message") from None
        return content if isinstance(content, str) and choice.get("finish_reason") != "length" else ""


def _check(texts: Sequence[str], said: str) -> list[Answer | None]:
    """An answer for each text for which there is a line with the same tags and placeholders."""
    lines = prompt.read(said, len(texts)) or [""] * len(texts)
    bare = [_without_quotes(text, line) for text, line in zip(texts, lines, strict=True)]
    return [
        Answer(line) if line and not missing(text, line).slots else None for text, line in zip(texts, bare, strict=True)
    ]


def _without_quotes(text: str, line: str) -> str:
    """The line without quotation marks around it that its source does not have."""
    for quotes in QUOTES:
        if len(line) > 2 and line[0] + line[-1] == quotes and text[:1] not in "\"“«'‘「`":
            return line[1:-1]
    return line
