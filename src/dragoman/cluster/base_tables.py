"""From merged counts to the models' tables, in files: bit for bit the result of training on one machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.sorted_runs import LOW, Paths, SortedRun, merge, merge_paths
from dragoman.cluster.sorted_tables import check_size, chunks, index_of, table_arrays
from dragoman.models.contribution import MAX_PHRASE_WORDS
from dragoman.models.extraction_kernels import DISCONTINUOUS, MONOTONE, SWAP
from dragoman.models.language_kernels import DROPPED as DROPPED_GRAMS
from dragoman.models.language_kernels import FEW, FEW_TALLIES, GRAM, TALLIES, TOTAL, TYPES, WORDS
from dragoman.models.phrases import COUNTS
from dragoman.models.phrases_kernels import DROPPED, LONGEST_PLACE, SORTED, PairColumns
from dragoman.tables import ABSENT, Ids, Index
from dragoman.tables.table_kernels import WORD_BITS, find_many
from dragoman.text.vocabulary import END

Found = Sequence[ArrayTree]  # what `count_shard` found in each shard


# ── Phrases ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def build_phrases(found: Found, least: int, scratch: ScratchDirectory) -> ArrayTree:
    """`PhraseModel.arrays()` of the phrase pairs seen at least `least` times in all shards."""
    sources, targets = (_merge_side(found, name, least, scratch) for name in ("sources", "targets"))
    state = np.zeros(5, np.int64)
    state[[LONGEST_PLACE, SORTED]] = MAX_PHRASE_WORDS, 1
    orientations = np.zeros((2, 3), np.int64)
    runs = []
    for n, each in enumerate(found):
        own = each.under("pairs")
        if least > 1:
            often = sources.often[n][(own["keys"] >> WORD_BITS) - 1] & targets.often[n][own["keys"] & LOW]
            state[DROPPED] += int(own["counts"][~often].sum())
            own = scratch.keep_all({name: array[often] for name, array in own.items()})
        runs.append(SortedRun(own.pop("keys"), own, sources.ids[n], targets.ids[n]))
    keys, columns = _merge_pairs(runs, least, orientations, state, scratch)
    f, e = scratch.new(keys.size, np.int32), scratch.new(keys.size, np.int32)
    for part in chunks(keys.size):
        f[part], e[part] = (keys[part] >> WORD_BITS) - 1, keys[part] & LOW
    tree = ArrayTree(orientations=orientations, state=state)
    for name, side, phrases in (("sources", sources, f), ("targets", targets, e)):
        path_keys = side.paths.keys if least <= 1 else _leave_out_unused(side.paths, phrases, scratch)
        tree.put(name, phrase_table(path_keys, phrases, columns["counts"], name == "sources", scratch))
    for part in chunks(keys.size if least > 1 else 0):
        keys[part] = (f[part].astype(np.int64) + 1) << WORD_BITS | e[part]
    tree.put("pairs", table_arrays(index_of(keys, scratch), columns))
    return tree


class _Side(NamedTuple):
    """The phrases of one language."""

    paths: Paths
    ids: list[Ids]  # of each shard, [its phrases] the id of each here
    often: list[NDArray[np.bool_]]  # of each shard, [its phrases] whether it was kept; empty if all were


def _merge_side(found: Found, name: str, least: int, scratch: ScratchDirectory) -> _Side:
    """The phrases of all shards, without those seen less than `least` times, which cannot be in a pair that was."""
    phrases = [each.under(name) for each in found]
    runs = [Paths(own["keys"], own["ends"], {"total": own["total"]}) for own in phrases]
    paths, ids = merge_paths(runs, scratch)
    often = []
    if least > 1:
        needed = scratch.new(paths.keys.size, np.bool_)
        for part in chunks(needed.size):
            needed[part] = paths.columns["total"][part] >= least
        paths, new_ids = keep_paths(paths, needed, scratch)
        often = [scratch.keep(needed[own]) for own in ids]
        ids = [scratch.keep(new_ids[own]) for own in ids]
    check_size(paths.keys.size)
    return _Side(paths, ids, often)


def _merge_pairs(
    runs: Sequence[SortedRun], least: int, orientations: Ids, state: Ids, scratch: ScratchDirectory
) -> tuple[Ids, dict[str, NDArray[Any]]]:
    """Keys and columns of the pairs seen at least `least` times; sums of orientations and of what was left out.

    The pairs of a source phrase are adjacent, most frequent first, and linked into a ring.
    """
    keys = scratch.growing(np.int64)
    columns = {name: scratch.growing(np.int32) for name in PairColumns._fields}
    for piece in merge(runs, together=True):
        kept = np.flatnonzero(piece.columns["counts"] >= least)
        state[DROPPED] += int(piece.columns["counts"].sum() - piece.columns["counts"][kept].sum())
        f, counts = piece.keys[kept] >> WORD_BITS, piece.columns["counts"][kept]
        order = kept[np.lexsort((piece.keys[kept] & LOW, -counts, f))]
        starts = np.flatnonzero(np.diff(f, prepend=-1))  # in order of f, as it is after sorting too
        ends = np.append(starts, f.size)[1:]
        after, before = keys.size + np.arange(2, f.size + 2), keys.size + np.arange(f.size)
        after[ends - 1], before[starts] = keys.size + starts + 1, keys.size + ends
        keys.add(piece.keys[order])
        for name in COUNTS:
            columns[name].add(piece.columns[name][order])
        columns["after"].add(after)
        columns["before"].add(before)
        for direction, which in enumerate(("previous", "next")):
            monotone, swap = (int(piece.columns[f"{which}_{kind}"][kept].sum()) for kind in ("monotone", "swap"))
            orientations[direction, [MONOTONE, SWAP]] += monotone, swap
            orientations[direction, DISCONTINUOUS] += int(counts.sum()) - monotone - swap
    return keys.mapped(), {name: file.mapped() for name, file in columns.items()}


def _leave_out_unused(paths: Paths, phrases: NDArray[Any], scratch: ScratchDirectory) -> Ids:
    """Keys of the paths that phrases [pairs] still need; the phrases get their new ids."""
    needed = scratch.new(paths.keys.size, np.bool_)
    for part in chunks(phrases.size):
        needed[phrases[part]] = True
    kept, new_ids = keep_paths(paths, needed, scratch)
    for part in chunks(phrases.size):
        phrases[part] = new_ids[phrases[part]]
    return kept.keys


def keep_paths(paths: Paths, needed: NDArray[np.bool_], scratch: ScratchDirectory) -> tuple[Paths, Ids]:
    """The needed paths, including those they extend, and the new id of each path.

    A path that is left out gets the id of the last one kept before it, so new ids are in order.
    """
    for length in range(paths.ends.size, 1, -1):
        level = paths.level(length)
        for part in chunks(level.stop - level.start):
            own = slice(level.start + part.start, level.start + part.stop)
            needed[(paths.keys[own][needed[own]] >> WORD_BITS) - 1] = True
    new_ids, keys, ends = scratch.new(paths.keys.size, np.int64), scratch.growing(np.int64), []
    for length in range(1, paths.ends.size + 1):
        level = paths.level(length)
        for part in chunks(level.stop - level.start):
            own = slice(level.start + part.start, level.start + part.stop)
            new_ids[own] = keys.size + np.cumsum(needed[own]) - 1
            old = paths.keys[own][needed[own]]
            before = new_ids[(old >> WORD_BITS) - 1] if length > 1 else ABSENT
            keys.add((before + 1) << WORD_BITS | old & LOW)
        ends.append(keys.size)
    return Paths(keys.mapped(), np.array(ends, np.int64)), new_ids


def phrase_table(
    keys: Ids, phrases: NDArray[Any], counts: NDArray[Any], has_heads: bool, scratch: ScratchDirectory
) -> ArrayTree:
    """Table of the phrases of one side, given the phrase [pairs] and the count [pairs] of each pair."""
    columns = {name: scratch.new(keys.size, np.int32) for name in ("uses", "total")}
    for part in chunks(keys.size):
        before = (keys[part] >> WORD_BITS) - 1
        np.add.at(columns["uses"], before[before != ABSENT], 1)
    for part in chunks(phrases.size):
        np.add.at(columns["uses"], phrases[part], 1)
        np.add.at(columns["total"], phrases[part], counts[part])
    if has_heads:
        columns["head"] = _heads(phrases, keys.size, scratch)
    return table_arrays(index_of(keys, scratch), columns)


def _heads(f: NDArray[Any], size: int, scratch: ScratchDirectory) -> NDArray[Any]:
    """[source phrases] id + 1 of the first pair of each, 0 where there is none; f [pairs] in order."""
    heads = scratch.new(size, np.int32)
    last = -1
    for part in chunks(f.size):
        own = f[part]
        firsts = np.flatnonzero(np.diff(own, prepend=last))
        heads[own[firsts]] = part.start + firsts + 1
        last = int(own[-1])
    return heads


# ── n-grams ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def build_language(
    found: Found, order: int, least: int, scratch: ScratchDirectory, smoothing: str = "kneser-ney"
) -> ArrayTree:
    """`LanguageModel.arrays()` of all n-grams of all shards; of the longest, those seen at least `least` times."""
    inner, ids = merge_paths(
        [Paths(each["inner.keys"], each["inner.ends"], {"count": each["inner.count"]}) for each in found], scratch
    )
    runs = [
        SortedRun(each["outer.keys"], {"longest": each["outer.longest"]}, here if order > 1 else None)
        for each, here in zip(found, ids, strict=True)
    ]
    index, grams = index_of(inner.keys, scratch), scratch.new(inner.keys.size, GRAM)
    _find_suffixes(index, inner, grams)
    scalars = np.zeros(TALLIES + 2 * order, np.int64)
    keys, longest = scratch.growing(np.int64), scratch.growing(np.int32)
    for piece in merge(runs):
        kept = piece.columns["longest"] >= least
        scalars[DROPPED_GRAMS] += np.count_nonzero(~kept)
        keys.add(piece.keys[kept])
        longest.add(piece.columns["longest"][kept])
        if order > 1:  # n-grams that are left out still count as left contexts of shorter ones
            np.add.at(grams["count"], suffix_ids(index, piece.keys, grams["suffix"]), 1)
    outer, counts = index_of(keys.mapped(), scratch), longest.mapped()
    _sum_histories(inner, outer, counts, grams, scalars)
    tree, columns = ArrayTree(scalars=scalars), {"grams": grams}
    if smoothing == "modified":
        columns["few"] = scratch.new(inner.keys.size, FEW)
        tree["few_scalars"] = _count_few(inner, outer, counts, grams, columns["few"])
    tree.put("inner", table_arrays(index, columns))
    tree.put("outer", table_arrays(outer, {"longest": counts}))
    return tree


def _find_suffixes(index: Index, inner: Paths, grams: NDArray[Any]) -> None:
    """Find the suffix of each n-gram, which lacks its first word, and count how many n-grams share it.

    That is c_X, the number of distinct words to the left, unless the n-gram begins with `<s>` and has a true count.
    """
    grams["count"] = inner.columns["count"]
    suffixes = grams["suffix"]
    for length in range(1, inner.ends.size + 1):
        level = inner.level(length)
        for part in chunks(level.stop - level.start):
            own = slice(level.start + part.start, level.start + part.stop)
            suffixes[own] = suffix_ids(index, inner.keys[own], suffixes) if length > 1 else ABSENT
            if length > 1:
                np.add.at(grams["count"], suffixes[own], 1)


def suffix_ids(index: Index, keys: Ids, suffixes: NDArray[Any]) -> Ids:
    """Ids of n-grams of two words or more without their first word, given their keys."""
    shorter = suffixes[(keys >> WORD_BITS) - 1].astype(np.int64)
    found = np.empty(keys.size, np.int64)
    find_many(index, (shorter + 1) << WORD_BITS | keys & LOW, found)
    return found


def _sum_histories(inner: Paths, outer: Index, longest: NDArray[Any], grams: NDArray[Any], scalars: Ids) -> None:
    """Sum c_X over what follows each history, and count n-grams by their c_X."""
    for n, keys, count in _levels(inner, outer, longest, grams):
        history = (keys >> WORD_BITS) - 1
        if n == 0:
            scalars[TOTAL] += count.sum()
            scalars[TYPES] += np.count_nonzero(count)
            scalars[WORDS] += np.count_nonzero(count[keys != END])
        else:
            np.add.at(grams["total"], history, count)
            np.add.at(grams["types"], history[count > 0], 1)
        for times in (1, 2):
            scalars[TALLIES + 2 * n + times - 1] += np.count_nonzero(count == times)


def _count_few(inner: Paths, outer: Index, longest: NDArray[Any], grams: NDArray[Any], few: NDArray[Any]) -> Ids:
    """Count what modified smoothing needs: the words seen once and twice after each history; returns `few_scalars`."""
    scalars = np.zeros(FEW_TALLIES + 2 * (inner.ends.size + 1), np.int64)
    for n, keys, count in _levels(inner, outer, longest, grams):
        for place, (name, times) in enumerate((("once", 1), ("twice", 2))):
            if n == 0:
                scalars[place] += np.count_nonzero(count == times)
            else:
                np.add.at(few[name], (keys[count == times] >> WORD_BITS) - 1, 1)
            scalars[FEW_TALLIES + 2 * n + place] += np.count_nonzero(count == times + 2)
    return scalars


def _levels(inner: Paths, outer: Index, longest: NDArray[Any], grams: NDArray[Any]) -> Iterator[tuple[int, Ids, Ids]]:
    """The n-grams of one order after another, in pieces: their order less one, keys and c_X."""
    levels = [(inner.keys, grams["count"], inner.level(n)) for n in range(1, inner.ends.size + 1)]
    levels.append((outer.keys, longest, slice(0, outer.keys.size)))
    for n, (keys, counts, level) in enumerate(levels):
        for part in chunks(level.stop - level.start):
            own = slice(level.start + part.start, level.start + part.stop)
            yield n, keys[own], counts[own].astype(np.int64)
