"""The guard: flags corrections that look like mistakes, so that they are not learned.

>>> from dragoman.text.tokens import split
>>> guard = Guard()
>>> guard.check(split("Press the green button."), split("Pulse el botón verde."), "es")
>>> guard.check(split("Press the green button."), split("Press the green button."), "es")
'the target is a copy of the source'
>>> guard.check(split("Press the green button."), split("Нажмите зелёную кнопку."), "es")
'the target is written in Cyrillic, but es uses Latin'
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields

from dragoman.errors import BadInputError
from dragoman.records import Sentence
from dragoman.text.casing import in_capitals
from dragoman.text.identification import count_letters, count_scripts, scripts_of
from dragoman.text.placeholders import find_placeholders
from dragoman.text.tokens import LOWER, UNCASED, UPPER, Mode, shape, split

_SIGN = re.compile(r"[<{%$@:#\[\\⟦_]")  # every placeholder has one of them
LONGEST_UNIT = 8  # characters of a repeated unit


class FlaggedError(BadInputError):
    """A correction looks like a mistake: it was recorded in the journal with the reason, but not learned."""

    def __init__(self, reason: str, number: int) -> None:
        super().__init__(f"not learned: {reason}", remedy="if it is correct, pass force=True")
        self.reason = reason
        self.id = number  # of its row in the journal


@dataclass(frozen=True)
class Guard:
    """The thresholds of the guard; `math.inf` switches a check off."""

    copied_words: float = 3  # lower-case words that make a target equal to its source suspicious
    length_ratio: float = 2.5  # how many times as long as the shorter side the longer one may be
    length_slack: float = 25  # letters allowed on top of that
    repeats: float = 4  # how often a few characters may be repeated in a row, unless the source does so
    foreign_letters: float = 3  # letters of another script that make a target suspicious, if most letters are

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value < 1:
                remedy = "give a number, or math.inf to switch the check off"
                raise BadInputError(f"{field.name} must be at least 1, not {value!r}", remedy=remedy)

    def check(self, source: Sentence, target: Sentence, language: str = "", mode: Mode = "text") -> str | None:
        """Why this pair looks wrong, or None; `language` is the code of the target language, `mode` that of tokens."""
        return (
            self._check_copy(source, target)
            or self._check_repetition(source, target)
            or self._check_script(source, target, language)
            or self._check_lengths(source, target)
            or (find_altered(source.text, target.text) if mode == "text" else None)
        )

    def _check_copy(self, source: Sentence, target: Sentence) -> str | None:
        same = [word.casefold() for word in source.words] == [word.casefold() for word in target.words]
        if same and _translatable(source) >= self.copied_words:
            return "the target is a copy of the source"
        return None

    def _check_repetition(self, source: Sentence, target: Sentence) -> str | None:
        times, unit = _repetition(target.text)
        if times > max(self.repeats, _repetition(source.text)[0]):
            return f"{unit!r} is repeated {times} times in a row in the target"
        return None

    def _check_script(self, source: Sentence, target: Sentence, language: str) -> str | None:
        """Words copied from the source, such as names, may be in any script."""
        expected = scripts_of(language)
        copied = {word.casefold() for word in source.words}
        counts = count_scripts("".join(word for word in _own_words(target) if word.casefold() not in copied))
        foreign = {script: count for script, count in counts.items() if script not in expected}
        number = sum(foreign.values())
        if expected and number >= self.foreign_letters and 2 * number > counts.total():
            found = max(foreign, key=lambda script: foreign[script])
            ours = " or ".join(script.title() for script in expected)
            return f"the target is written in {found.title()}, but {language} uses {ours}"
        return None

    def _check_lengths(self, source: Sentence, target: Sentence) -> str | None:
        one, other = count_letters(source.words), count_letters(target.words)
        shorter, longer = sorted((one, other))
        if longer > self.length_slack + self.length_ratio * shorter:
            how = "longer" if other > one else "shorter"
            return f"the target is much {how} than the source ({other} letters for {one})"
        return None


def find_altered(source: str, target: str) -> str | None:
    """What a target does to the placeholders of its source that breaks a program; tags may come and go.

    >>> find_altered("Open {name} on page {page}.", "Abra {nombre} en la página {page}.")
    'the target lacks {name} and has {nombre}, which the source lacks'
    """
    if not (_SIGN.search(source) or _SIGN.search(target)):
        return None
    ours, theirs = (find_placeholders(split(text)) for text in (source, target))
    lost = [slot for key, slot in ours.items() if key not in theirs and slot not in target]
    added = [slot for key, slot in theirs.items() if key not in ours and slot not in source]
    what = [f"lacks {', '.join(lost)}"] * bool(lost) + [f"has {', '.join(added)}, which the source lacks"] * bool(added)
    return f"the target {' and '.join(what)}" if what else None


def _own_words(sentence: Sentence) -> Iterable[str]:
    return (word for word, fixed in zip(sentence.words, sentence.placeable, strict=True) if not fixed)


def _translatable(sentence: Sentence) -> int:
    """The number of ordinary words: names and abbreviations do not count, unless everything is in capitals."""
    usual = (LOWER, UPPER) if in_capitals(sentence) else (LOWER,)
    shapes = [(shape(word), word) for word in _own_words(sentence)]
    return sum(kind in usual or (kind == UNCASED and any(map(str.isalpha, word))) for kind, word in shapes)


_REPETITION = re.compile(rf"(\D{{1,{LONGEST_UNIT}}}?)\1{{2,}}+")


def _repetition(text: str) -> tuple[int, str]:
    """How often a few characters are repeated in a row at most, and which; digits and mere spaces do not count.

    >>> _repetition("It works, ha ha ha ha!")
    (4, ' ha')
    """
    found = ((len(each[0]) // len(each[1]), each[1]) for each in _REPETITION.finditer(text) if not each[1].isspace())
    return max(found, key=lambda each: each[0], default=(0, ""))
