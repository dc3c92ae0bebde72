"""Terms of the glossary: where the source has one, the translation has what the glossary says and nothing forbidden."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence

from dragoman.project.glossary import FoundRule
from dragoman.quality.finding import Finding
from dragoman.records import Sentence, Term
from dragoman.text.tokens import split

Find = Callable[[Sequence[str], Sequence[bool]], list[Term]]  # the terms in the words of a sentence
FindRules = Callable[[Sequence[str], Sequence[bool]], list[FoundRule]]
ENDING = 3  # letters by which an inflected word may differ from the term
Words = Sequence[str]


def find_terms(
    source: Sentence, target: Sentence, find: Find, find_rules: FindRules = lambda *_: []
) -> Iterator[Finding]:
    """Terms that are not translated as the glossary says; whole words only, whatever their endings.

    Other translations that are admitted will do. A term that keeps its capitals has to have them.

    >>> from dragoman.project.glossary import Glossary
    >>> glossary = Glossary({"lid": "tapa", "cup": "taza"})
    >>> source = split("Open the lids: the lid of the cup.")
    >>> [finding.what for finding in find_terms(source, split("Abra la tapadera de las tazas."), glossary.find)]
    ['“lid” should be “tapa”']
    """
    words = [_folded(word) for word in target.words]
    admitted = {(each.start, each.end): each.rule.admitted for each in find_rules(source.words, source.placeable)}
    for term in find(source.words, source.placeable):
        others = (split(text).words for text in admitted.get((term.start, term.end), ()))
        if any(_places(each, words) for each in others):
            continue
        there = _occurs_exactly(term.words, target.words) if term.as_written else bool(_places(term.words, words))
        if not there:
            start, end = source.spans[term.start][0], source.spans[term.end - 1][1]
            exactly = ", with these capitals" if term.as_written and _places(term.words, words) else ""
            said = f"“{source.text[start:end]}” should be “{' '.join(term.words)}”{exactly}"
            yield Finding("glossary", said, source_start=start, source_end=end)


def find_forbidden(source: Sentence, target: Sentence, find: Find, find_rules: FindRules) -> Iterator[Finding]:
    """Translations that the glossary forbids for terms of the source, at each place.

    >>> from dragoman.project.glossary import TermRules
    >>> rules = TermRules()
    >>> rules.change({"lid": {"forbidden": ["tapadera"]}})
    >>> pair = split("Open the lid."), split("Abra la tapadera.")
    >>> [finding.what for finding in find_forbidden(*pair, lambda *_: [], rules.find)]
    ['“tapadera” must not be used for “lid”']
    """
    rules = find_rules(source.words, source.placeable)
    if not rules:
        return
    words = [_folded(word) for word in target.words]
    wanted = {(term.start, term.end): term.words for term in find(source.words, source.placeable)}
    for each in rules:
        right = wanted.get((each.start, each.end), ())
        better = f"; use “{' '.join(right)}”" if right else ""
        start, end = source.spans[each.start][0], source.spans[each.end - 1][1]
        allowed = {tuple(right), *(tuple(split(text).words) for text in each.rule.admitted)}
        for text in each.rule.forbidden:
            term = split(text).words
            for at in _places(term, words):
                said = tuple(target.words[at : at + len(term)])
                if said in allowed or (_same_letters(term, right) and said != tuple(term)):
                    continue
                begin, stop = target.spans[at][0], target.spans[at + len(term) - 1][1]
                what = f"“{target.text[begin:stop]}” must not be used for “{source.text[start:end]}”{better}"
                yield Finding("forbidden", what, begin, stop, start, end)


def _places(term: Words, words: list[str]) -> list[int]:
    """Where a term is among words without case and accents, whatever their endings."""
    wanted, size = [_folded(word) for word in term], len(term)
    return [at for at in range(len(words) - size + 1) if all(map(_is_form, wanted, words[at : at + size]))]


def _occurs_exactly(term: Words, words: Words) -> bool:
    return any(tuple(words[at : at + len(term)]) == tuple(term) for at in range(len(words) - len(term) + 1))


def _same_letters(one: Words, other: Words) -> bool:
    """Whether two terms differ in their capitals only, so that these have to be looked at."""
    return [word.casefold() for word in one] == [word.casefold() for word in other]


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
