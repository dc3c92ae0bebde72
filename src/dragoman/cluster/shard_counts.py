"""A shard's contribution once words can be aligned: phrase pairs, n-grams and lengths, as sorted runs.

Paths are found for all places of a text at once, word after word: the number of a path of k + 1 words comes from the
number of its first k and the last word, by sorting what occurs. So phrases and n-grams have ids that follow the order
of their keys, and runs are sorted without a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree
from dragoman.cluster.sorted_runs import Paths
from dragoman.models import extraction_kernels
from dragoman.models.alignment import AlignmentModel
from dragoman.models.contribution import MAX_PHRASE_WORDS
from dragoman.models.extraction_kernels import (
    MONOTONE,
    NEXT,
    PREVIOUS,
    SOURCE_END,
    SOURCE_START,
    SWAP,
    TARGET_END,
    TARGET_START,
)
from dragoman.models.lengths import LengthModel
from dragoman.models.modelset import NEARNESS, ModelSet
from dragoman.models.phrases import COUNTS
from dragoman.tables import Ids
from dragoman.tables.table_kernels import WORD_BITS
from dragoman.text.vocabulary import END, START


def find_paths(words: Ids, reach: Ids, longest: int) -> tuple[Paths, NDArray[np.int32]]:
    """All paths that start somewhere in a text and go on for up to `reach` [words] words.

    Returns them, and [longest, words] the ids of those that start at each place, by their number of words less one.
    """
    at_place = np.full((longest, words.size), -1, np.int32)
    before = np.zeros(words.size, np.int64)  # [words] id + 1 of the path so far
    keys: list[Ids] = []
    ends: list[int] = []
    size = 0
    for length in range(longest):
        at = np.flatnonzero(reach > length)
        found, ids = np.unique(before[at] << WORD_BITS | words[at + length], return_inverse=True)
        at_place[length, at] = size + ids
        before[at] = size + ids + 1
        size += found.size
        keys.append(found)
        ends.append(size)
    return Paths(np.concatenate([np.zeros(0, np.int64), *keys]), np.array(ends, np.int64)), at_place


def count_shard(shared: Mapping[str, Any], part: Mapping[str, Any]) -> ArrayTree:
    """Task: all counts of a shard, given the arrays of the alignment models under `inverse` and `direct`."""
    models = ModelSet(order=int(shared["order"]), symmetrisation=shared["symmetrisation"])
    for name in ("inverse", "direct"):
        model = AlignmentModel.from_arrays(ArrayTree(shared).under(name))
        model.nearness = NEARNESS
        setattr(models, name, model)
    source, target = part["source"].astype(np.int64), part["target"].astype(np.int64)
    ends = part["source_ends"], part["target_ends"]
    pairs = zip(np.split(source, ends[0][1:-1]), np.split(target, ends[1][1:-1]), strict=True)
    links = [models.align(f, e) for f, e in pairs]
    found = _count_phrases(source, target, *ends, links)
    found |= _count_grams(target, ends[1], models.language.order)
    lengths = LengthModel()
    lengths.add(np.diff(ends[0]), np.diff(ends[1]))
    lengths.compact()
    found.put("lengths", lengths.arrays())
    return found


def _count_phrases(
    source: Ids, target: Ids, source_ends: Ids, target_ends: Ids, links: list[NDArray[np.int32]]
) -> ArrayTree:
    link_ends = np.cumsum([len(each) for each in links])
    joined = np.concatenate(links)
    spans, span_ends = extraction_kernels.extract_many(
        joined, link_ends, source_ends[1:], target_ends[1:], MAX_PHRASE_WORDS
    )
    sentences = np.repeat(np.arange(span_ends.size), np.diff(span_ends, prepend=0))
    found = ArrayTree()
    ids = []
    for name, words, ends, start, end in (
        ("sources", source, source_ends, SOURCE_START, SOURCE_END),
        ("targets", target, target_ends, TARGET_START, TARGET_END),
    ):
        begin, length = ends[sentences] + spans[:, start], spans[:, end] - spans[:, start]
        reach = np.zeros(words.size, np.int64)
        np.maximum.at(reach, begin, length)
        paths, at_place = find_paths(words, reach, MAX_PHRASE_WORDS)
        ids.append(at_place[length - 1, begin].astype(np.int64))
        totals = np.bincount(ids[-1], minlength=paths.keys.size).astype(np.int32)
        found.put(name, {"keys": paths.keys, "ends": paths.ends, "total": totals})
    keys, which = np.unique((ids[0] + 1) << WORD_BITS | ids[1], return_inverse=True)
    found["pairs.keys"] = keys
    seen = (
        spans[:, PREVIOUS] == MONOTONE,
        spans[:, PREVIOUS] == SWAP,
        spans[:, NEXT] == MONOTONE,
        spans[:, NEXT] == SWAP,
    )
    for name, mask in zip(COUNTS, (slice(None), *seen), strict=True):
        found[f"pairs.{name}"] = np.bincount(which[mask], minlength=keys.size).astype(np.int32)
    return found


def _count_grams(target: Ids, ends: Ids, order: int) -> ArrayTree:
    """All n-grams of the sentences, between `<s>` and `</s>`, and how often those with true counts occur."""
    size = np.diff(ends) + 2
    stops = np.cumsum(size)
    words = np.empty(stops[-1], np.int64)
    words[stops - size], words[stops - 1] = START, END
    inside = np.ones(words.size, np.bool_)
    inside[stops - size] = inside[stops - 1] = False
    words[inside] = target
    left = np.repeat(stops, size) - np.arange(words.size)  # [words] words from each place to the end of its sentence
    paths, at_place = find_paths(words, left if order > 1 else np.zeros_like(left), order - 1)
    counts = np.zeros(paths.keys.size, np.int32)
    for length in range(2, order):  # `<s>` itself is never predicted
        from_start = at_place[length - 1, stops - size]
        counts += np.bincount(from_start[from_start >= 0], minlength=counts.size).astype(np.int32)
    at = np.flatnonzero(left >= order) if order > 1 else np.flatnonzero(words != START)
    before = at_place[order - 2, at].astype(np.int64) + 1 if order > 1 else np.zeros(at.size, np.int64)
    keys, occurrences = np.unique(before << WORD_BITS | words[at + order - 1], return_counts=True)
    found = ArrayTree()
    found.put("inner", {"keys": paths.keys, "ends": paths.ends, "count": counts})
    found.put("outer", {"keys": keys, "longest": occurrences.astype(np.int32)})
    return found
