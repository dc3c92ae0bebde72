"""A test question for an engine: asked at once, whatever was kept before, and told in one sentence.

>>> from dragoman.upstream.recorded import Recorded
>>> from dragoman.upstream.upstream import Upstream
>>> upstream = Upstream(Recorded([("Close the lid.", "Cierre la tapa.", None)]), source="en", target="es")
>>> upstream.try_out().answer
'Cierre la tapa.'
>>> print(upstream.try_out("Open the file."))
recorded: gives no answer to “Open the file.”: empty
"""

from __future__ import annotations

from typing import NamedTuple

from dragoman.languages import same_language
from dragoman.upstream.contract import Silence

SLOW = 5.0  # seconds, after which a translation does not wait any longer for an answer
QUESTIONS = {
    "en": "Open the file.",
    "ca": "Obriu el fitxer.",
    "de": "Öffnen Sie die Datei.",
    "es": "Abra el archivo.",
    "et": "Avage fail.",
    "fr": "Ouvrez le fichier.",
    "it": "Apra il file.",
    "ja": "ファイルを開いてください。",
    "nl": "Open het bestand.",
    "pl": "Otwórz plik.",
    "pt": "Abra o arquivo.",
    "ro": "Deschideți fișierul.",
    "ru": "Откройте файл.",
    "zh": "请打开文件。",
}


def question_for(language: str) -> str:
    """A short text in a language, or in English if we have none."""
    return next((text for code, text in QUESTIONS.items() if same_language(code, language)), QUESTIONS["en"])


class Trial(NamedTuple):
    """What an engine made of a test question."""

    engine: str
    version: str | None
    text: str  # the question
    answer: str | None
    silence: Silence | None
    problem: str | None
    seconds: float
    prompt: list[dict[str, str]] | None = None  # what a language model was told, with the role of each message

    def __str__(self) -> str:
        if self.answer is None:
            why = (self.problem or str(self.silence)).removeprefix(f"{self.engine}: ")
            return f"{self.engine} gives no answer to “{self.text}”: {why}"
        slow = f"; translations do not wait longer than {SLOW:.0f} s for an answer" if self.seconds > SLOW else ""
        return f"{self.engine} translates “{self.text}” as “{self.answer}” ({self.seconds:.2f} s{slow})"
