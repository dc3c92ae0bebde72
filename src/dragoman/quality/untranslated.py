"""Words that were copied from the source: not translated, unless the project knows them in its target language."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dragoman.quality.finding import Finding
from dragoman.records import Sentence
from dragoman.text.tokens import LOWER, shape

SHORTEST = 3  # letters: shorter words are often the same in two languages
Known = Callable[[str], bool]


def find_untranslated(source: Sentence, target: Sentence, known: Known) -> Iterator[Finding]:
    """Ordinary words of the target that are words of the source; `known` tells which the target language has.

    Names, which have a capital, numbers and placeables are meant to be copied.

    >>> from dragoman.text.tokens import split
    >>> source, target = split("Open the flange of the motor."), split("Abra el flange del motor.")
    >>> [finding.what for finding in find_untranslated(source, target, {"motor"}.__contains__)]
    ['“flange” is not translated']
    """
    copied = {word for word, fixed in zip(source.words, source.placeable, strict=True) if not fixed}
    said: set[str] = set()
    for word, (start, end), fixed in zip(target.words, target.spans, target.placeable, strict=True):
        if fixed or word not in copied or word in said or not _is_ordinary(word) or known(word):
            continue
        said.add(word)
        yield Finding("untranslated", f"“{word}” is not translated", start, end)


def _is_ordinary(word: str) -> bool:
    return len(word) >= SHORTEST and shape(word) == LOWER and word.replace("-", "").isalpha()
