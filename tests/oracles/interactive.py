"""Completion of a prefix by trying all ways through a word graph and all alignments of edits: slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dragoman.search.wordgraph import WordGraph

HIT = math.log(0.8)
EDIT = math.log(0.2 / 256)


def ways(graph: WordGraph, state: int = 0) -> Iterator[tuple[tuple[str, ...], float]]:
    """(words, score) of every way from a state to the end."""
    if state == graph.states - 1:
        yield (), 0.0
        return
    for arc in range(len(graph)):
        if graph.origin[arc] == state:
            said = tuple(graph.vocabulary[n] for n in graph.words[graph.begin[arc] : graph.begin[arc + 1]])
            for words, score in ways(graph, int(graph.target[arc])):
                yield said + words, float(graph.score[arc]) + score


def alignments(prefix: tuple[str, ...], words: tuple[str, ...]) -> Iterator[tuple[int, float]]:
    """(words used up, log probability) of every way to turn the first words of a translation into a prefix."""
    if not prefix:
        yield 0, 0.0
    if prefix:
        for used, score in alignments(prefix[1:], words):
            yield used, EDIT + score
    if prefix and words:
        for used, score in alignments(prefix, words[1:]):
            yield used + 1, EDIT + score
        for used, score in alignments(prefix[1:], words[1:]):
            yield used + 1, (HIT if prefix[0] == words[0] else EDIT) + score


def completions(
    graph: WordGraph, prefix: tuple[str, ...], unfinished: str = "", weight: float = 1.0, unfinished_weight: float = 1.0
) -> Iterator[tuple[float, tuple[str, ...]]]:
    """(score, words that follow the finished ones) of every completion.

    An unfinished word is left as it is, or taken for the next word, or for one behind words that are passed over.
    """
    for words, score in ways(graph):
        for used, edits in alignments(prefix, words):
            if not unfinished:
                yield score + weight * edits, words[used:]
                continue
            yield score + weight * edits + unfinished_weight * EDIT, words[used:]
            for passed, word in enumerate(words[used:]):
                total = weight * (edits + passed * EDIT) + unfinished_weight * fit(unfinished, word)
                yield score + total, words[used + passed :]


def fit(typed: str, word: str) -> float:
    """Log probability that an unfinished word is meant to become this one: wrong characters share an EDIT."""
    wrong = min(edit_distance(typed, word[:n]) for n in range(len(word) + 1)) / len(typed)
    return (1 - wrong) * HIT + wrong * EDIT


def edit_distance(one: str, other: str) -> int:
    """The fewest insertions, deletions and substitutions of characters from one string to another."""
    if not one or not other:
        return len(one) + len(other)
    if one[-1] == other[-1]:
        return edit_distance(one[:-1], other[:-1])
    return 1 + min(edit_distance(one[:-1], other), edit_distance(one, other[:-1]), edit_distance(one[:-1], other[:-1]))
