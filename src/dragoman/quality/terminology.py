"""Terms of the glossary: where the source has one, the translation has what the glossary says."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence

from dragoman.quality.finding import Finding
from dragoman.types import Sentence, Term

Find = Callable[[Sequence[str], Sequence[bool]], list[Term]]  # the terms in the words of a sentence
ENDING = 3  # letters by which an inflected word may differ from the term


def find_terms(source: Sentence, target: Sentence, find: Find) -> Iterator[Finding]:
    """Terms that are not translated as the glossary says; whole words only, whatever their endings.

    >>> from dragoman.text.tokens import split
    >>> from dragoman.project.glossary import Glossary
    >>> glossary = Glossary({"lid": "tapa", "cup": "taza"})
    >>> source = split("Open the lids: the lid of the cup.")
    >>> [finding.what for finding in find_terms(source, split("Abra la tapadera de las tazas."), glossary.find)]
    ['“lid” should be “tapa”']
    """
    words = [_folded(word) for word in target.words]
    for term in find(source.words, source.placeable):
        if not _occurs([_folded(word) for word in term.words], words):
            start, end = source.spans[term.start][0], source.spans[term.end - 1][1]
            said = f"“{source.text[start:end]}” should be “{' '.join(term.words)}”"
            yield Finding("glossary", said, source_start=start, source_end=end)


def _occurs(term: list[str], words: list[str]) -> bool:
    size = len(term)
    return any(all(map(_is_form, term, words[at : at + size])) for at in range(len(words) - size + 1))


def _is_form(term: str, word: str) -> bool:
    """Whether a word is a term or differs from it in a short ending only."""
    if term == word:
        return True
    same = next((n for n, (one, other) in enumerate(zip(term, word, strict=False)) if one != other), None)
    stem = min(len(term), len(word)) if same is None else same
    return stem >= max(3, len(term) - 2) and max(len(term), len(word)) - stem <= ENDING


def _folded(word: str) -> str:
    """Without case and accents, which endings move: botón, botones."""
    apart = unicodedata.normalize("NFD", word.casefold())
    return "".join(each for each in apart if not unicodedata.combining(each))
