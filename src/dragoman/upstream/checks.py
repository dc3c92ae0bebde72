"""What makes an answer unusable, or worse than another attempt: lost marks, another language, repetition, a refusal.

>>> refuse("Press the green button.", "Нажмите зелёную кнопку.", "es")
<Silence.WRONG_LANGUAGE: 'wrong language'>
>>> refuse("Press the green button.", "Pulse el botón verde.", "es") is None
True
>>> missing("Open {name} on page 12.", "Abra {nombre} en la página 12.")
Missing(slots=['{name}', '{nombre}'], others=[])
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from dragoman.records import Sentence
from dragoman.text.identification import count_letters, count_scripts, find_other, scripts_of
from dragoman.text.markup import TAG, find_unopened
from dragoman.text.placeholders import slots_beyond, slots_of
from dragoman.text.tokens import is_slot, split
from dragoman.upstream.contract import Silence, TermPlace

LENGTH_RATIO, LENGTH_SLACK = 3.0, 40  # an answer may be so many times as long as its source, and so much longer
SHORT_RATIO = 5.0  # a source may be so many times as long as its answer, with the same slack
REPEATS, LONGEST_UNIT = 4, 8  # so often up to so many words may stand in a row, unless they do so in the source
MARKS = 8  # so many equal ones in a row, which the source does not have, are no translation
FOREIGN_LETTERS = 3  # of another script, from which on most letters decide
COPIED_WORDS = 4  # different ones in small letters, from which on a copy of the source is no translation
_APOLOGY = re.compile(
    r"\b(?:i'?m sorry|i am sorry|sorry|apolog\w+|i (?:can'?t|cannot|can not|won'?t)|(?:i'?m|i am) (?:not able|unable)"
    r"|unfortunately|cannot|can'?t|unable|as an ai|lo siento|lo lamento|no puedo|no podemos|(?:es )?tut mir leid"
    r"|ich kann|wir können|désolée?s?|je ne peux pas|mi dispiace|non posso|desculpe|não posso|sinto muito"
    r"|het spijt me|ik kan)\b",
    re.IGNORECASE,
)


class Missing(NamedTuple):
    """What a translation has lost, or has too much."""

    slots: list[str]  # tags and placeholders: without them a file or program breaks
    others: list[str]  # code, addresses, numbers, terms of the glossary


def missing(source: str, target: str, terms: Sequence[TermPlace] = ()) -> Missing:
    """What must be in the translation of a text and is not, or is and must not be."""
    one, other = split(source), split(target)
    ours, theirs = slots_of(one), slots_of(other)
    slots = slots_beyond(ours, theirs) + slots_beyond(theirs, ours)
    if not slots and _is_crossed(target) and not _is_crossed(source):
        slots = [word for word in dict.fromkeys(theirs) if TAG.fullmatch(word)]
    covered = [source[term.start : term.end] for term in terms]
    lost = Counter(_placeables(one)) - Counter(_placeables(other))
    others = [word for word in lost.elements() if not is_slot(word) and word not in covered]
    folded = target.casefold()
    others += [term.target for term in terms if term.target.casefold() not in folded]
    return Missing(sorted(slots), others + _lost_numbers(one, target))


def _placeables(sentence: Sentence) -> Iterable[str]:
    return (word for word, fixed in zip(sentence.words, sentence.placeable, strict=True) if fixed)


def _is_crossed(text: str) -> bool:
    """Whether tags are closed that are not open, or in the wrong order."""
    return find_unopened(found[0] for found in TAG.finditer(text)) is not None


def _lost_numbers(source: Sentence, target: str) -> list[str]:
    """Numbers of two digits and more whose digits are nowhere in the target; smaller ones may become words."""
    words = (word for word, fixed in zip(source.words, source.placeable, strict=True) if not fixed)
    numbers = [word for word in words if word.isascii() and sum(map(str.isdigit, word)) >= 2]
    digits = re.sub(r"(?<=\d)[.,:/\s'’\u00a0\u202f-](?=\d)", "", target)
    return [word for word in numbers if re.sub(r"\D", "", word) not in digits]


def refuse(source: str, target: str, language: str) -> Silence | None:
    """Why an answer is not used at all; `language` is the code of the target language."""
    return refuse_sentence(split(source), split(target), language) if is_text(target) else Silence.UNUSABLE


def refuse_sentence(one: Sentence, other: Sentence, language: str) -> Silence | None:
    """The same for texts that have been split."""
    if not is_text(other.text):
        return Silence.UNUSABLE
    if says_something(one) and not says_something(other):
        return Silence.EMPTY
    lengths = count_letters(one.words), count_letters(other.words)
    if lengths[0] > LENGTH_SLACK + SHORT_RATIO * lengths[1]:
        return Silence.EMPTY
    if lengths[1] > LENGTH_SLACK + LENGTH_RATIO * lengths[0] or _longest_run(other) > max(REPEATS, _longest_run(one)):
        return Silence.RAMBLING
    if is_run(one.text, other.text):
        return Silence.RAMBLING
    if is_refusal(one.text, other.text):
        return Silence.REFUSED
    if _in_other_script(one, other, language) or _is_copy(one, other):
        return Silence.WRONG_LANGUAGE
    return Silence.WRONG_LANGUAGE if find_other(_fresh(one, other), language) else None


def is_refusal(source: str, answer: str) -> bool:
    """Whether a model says that it will not translate: it begins with an apology, and the source has none.

    Of 187,000 translations in thirteen corpora, 22 begin so by chance.

    >>> is_refusal("Close the lid.", "I'm sorry, but I can't help with that.")
    True
    >>> is_refusal("Sorry, we cannot help you.", "Lo siento, no podemos ayudarle.")
    False
    """
    plain, asked = (text.replace("’", "'") for text in (answer, source))
    return _APOLOGY.match(plain.lstrip(" ¡\"'“«")) is not None and not _APOLOGY.search(asked)


def says_something(sentence: Sentence) -> bool:
    """Whether there is a letter or digit beside tags and placeholders."""
    words = zip(sentence.words, sentence.placeable, strict=True)
    return any(any(map(str.isalnum, word)) for word, fixed in words if not (fixed and is_slot(word)))


def is_text(text: str) -> bool:
    """Whether a string can be written as UTF-8: one of Python's can hold half a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _longest_run(sentence: Sentence) -> int:
    """The most times that one to eight words, with a letter among them, stand in a row.

    >>> _longest_run(split("de la caja de la caja de la caja"))
    3
    """
    words = [word.casefold() for word in sentence.words]
    most = 1
    for unit in range(1, LONGEST_UNIT + 1):
        run = 0  # words that equal the one a unit before them
        for at in range(unit, len(words)):
            run = run + 1 if words[at] == words[at - unit] else 0
            if run >= unit * most and any(map(str.isalpha, "".join(words[at - unit + 1 : at + 1]))):
                most = run // unit + 1
    return most


def is_run(source: str, answer: str) -> bool:
    """Whether one mark or letter stands in a row in an answer far more often than in its source.

    >>> is_run("Use * or **.", "Use * o **."), is_run("Use * or **.", "Use * o **** * * * *")
    (False, True)
    """
    return _longest_row(answer) >= max(MARKS, 2 * _longest_row(source) + 1)


def _longest_row(text: str) -> int:
    """The most times that a character other than a digit stands in a row, spaces between them or not."""
    rows = groupby(character for character in text if not character.isspace())
    return max((sum(1 for _ in row) for mark, row in rows if not mark.isdigit()), default=0)


def _in_other_script(source: Sentence, target: Sentence, language: str) -> bool:
    """Whether most letters belong to no script of the language; words of the source, such as names, do not count."""
    expected = scripts_of(language)
    counts = count_scripts(_fresh(source, target), wide=3)
    foreign = sum(count for script, count in counts.items() if script not in expected)
    return bool(expected) and foreign >= FOREIGN_LETTERS and 2 * foreign > counts.total()


def _fresh(source: Sentence, target: Sentence) -> str:
    """The words of a translation that are neither code nor words of the source, such as names."""
    copied = {word.casefold() for word in source.words}
    words = zip(target.words, target.placeable, strict=True)
    return " ".join(word for word, fixed in words if not fixed and word.casefold() not in copied)


def _is_copy(source: Sentence, target: Sentence) -> bool:
    if [word.casefold() for word in source.words] != [word.casefold() for word in target.words]:
        return False
    own = (word for word, fixed in zip(source.words, source.placeable, strict=True) if not fixed)
    return len({word for word in own if word.isalpha() and word == word.lower()}) >= COPIED_WORDS
