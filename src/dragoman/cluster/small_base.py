"""A small base: what hardly matters is left out, and what is kept is as in the full base.

1. Of the translations of a source phrase, those stay that a search considers: the twenty seen most often.
2. Of these, a phrase pair seen once is left out if two other pairs make it together. Two phrases that were never seen
   apart, so that nothing else speaks for them (Johnson et al. 2007), are left out if the two pairs that make them are
   likely, and also if the source phrase is long: what was seen once in so many words is hardly seen again.
3. An n-gram of three words or more that was counted once is left out, unless a longer one that is kept begins or ends
   with it.
4. A link of the alignment models is left out if next to nothing was ever expected of it.

Counts, totals and tallies of what is kept are those of the full base. So a phrase pair or n-gram that is kept has the
same probability, and what belonged to the others goes to nobody: after pruning, probabilities sum to less than one.

H. Johnson, J. Martin, G. Foster, R. Kuhn: Improving Translation Quality by Discarding Most of the Phrasetable, 2007
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree
from dragoman.cluster import small_base_kernels as kernels
from dragoman.cluster.base_tables import keep_paths, phrase_table, suffix_ids
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.small_base_kernels import FullPhrases, PruningRule
from dragoman.cluster.sorted_runs import LOW, THREADS, Paths
from dragoman.cluster.sorted_tables import chunks, index_of, table_arrays
from dragoman.kernels import exercise
from dragoman.models.alignment_kernels import DROPPED as DROPPED_LINKS
from dragoman.models.alignment_kernels import UNIT
from dragoman.models.contribution import MAX_PHRASE_WORDS
from dragoman.models.phrases import COUNTS, PhraseModel
from dragoman.models.phrases_kernels import DROPPED
from dragoman.search.decoder import Beam
from dragoman.tables import ABSENT, Ids, Index
from dragoman.tables.table_kernels import WORD_BITS

RULE = PruningRule(MAX_PHRASE_WORDS, options=Beam().options, longest_alone=4, likely=0.3)  # p(e|f) · p(f|e), multiplied
SHORTEST = 3  # words of an n-gram that may be left out
LEAST = 2  # how often it is counted to be kept for its own sake
FAINT = 0.1, 0.001  # a link expected less often than the first, and with less than the second of its word's total


# ── Phrases ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def small_phrases(full: ArrayTree, scratch: ScratchDirectory) -> ArrayTree:
    """`PhraseModel.arrays()` of a trained model without the pairs that RULE leaves out."""
    pairs, kept = full.under("pairs"), _kept_pairs(full, scratch)
    columns = {name: _chosen(pairs[f"column.{name}"], kept, scratch) for name in COUNTS}
    keys = _chosen(pairs["keys"], kept, scratch)
    state = full["state"].copy()
    state[DROPPED] += int(full["pairs.column.counts"].sum(dtype=np.int64) - columns["counts"].sum(dtype=np.int64))
    f, e = scratch.new(keys.size, np.int32), scratch.new(keys.size, np.int32)
    for part in chunks(keys.size):
        f[part], e[part] = (keys[part] >> WORD_BITS) - 1, keys[part] & LOW
    tree = ArrayTree(orientations=full["orientations"], state=state)
    for name, phrases in (("sources", f), ("targets", e)):
        tree.put(name, _small_side(full.under(name), phrases, columns["counts"], name == "sources", scratch))
    for part in chunks(keys.size):
        keys[part] = (f[part].astype(np.int64) + 1) << WORD_BITS | e[part]
    columns |= {name: scratch.new(keys.size, np.int32) for name in ("after", "before")}
    kernels.link_rings(keys, columns["after"], columns["before"])
    tree.put("pairs", table_arrays(index_of(keys, scratch), columns))
    return tree


def _kept_pairs(full: ArrayTree, scratch: ScratchDirectory) -> NDArray[np.bool_]:
    """[pairs] whether each is kept; judged by several threads, since each only looks at the full table."""
    table = _full_table(full)
    kept = scratch.new(table.counts.size, np.bool_)

    def judge(part: slice) -> None:
        kernels.mark_kept(table, RULE, part.start, part.stop, kept)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(judge, chunks(kept.size)))
    return kept


def _full_table(full: ArrayTree) -> FullPhrases:
    sources, targets, pairs = (_index(full.under(name)) for name in ("sources", "targets", "pairs"))
    totals = full["sources.column.total"], full["targets.column.total"]
    heads = full["sources.column.head"]
    return FullPhrases(sources, targets, pairs, full["pairs.column.counts"], heads, *totals)


def _small_side(
    full: ArrayTree, phrases: NDArray[Any], counts: NDArray[Any], has_heads: bool, scratch: ScratchDirectory
) -> ArrayTree:
    """The phrases of one side that pairs [pairs] still need, with the totals of the full base; ids are replaced."""
    paths = Paths(full["keys"], level_ends(full["keys"]))
    needed = scratch.new(paths.keys.size, np.bool_)
    for part in chunks(phrases.size):
        needed[phrases[part]] = True
    kept, new_ids = keep_paths(paths, needed, scratch)
    for part in chunks(phrases.size):
        phrases[part] = new_ids[phrases[part]]
    table = phrase_table(kept.keys, phrases, counts, has_heads, scratch)
    table["column.total"] = _chosen(full["column.total"], needed, scratch)
    return table


# ── n-grams ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def small_language(full: ArrayTree, scratch: ScratchDirectory) -> ArrayTree:
    """`LanguageModel.arrays()` of a trained model without the n-grams counted once that no other needs."""
    inner, grams = Paths(full["inner.keys"], level_ends(full["inner.keys"])), full["inner.column.grams"]
    kept = scratch.new(full["outer.keys"].size, np.bool_)
    least = LEAST if inner.ends.size + 1 >= SHORTEST else 1
    for part in chunks(kept.size):
        kept[part] = full["outer.column.longest"][part] >= least
    outer_keys = _chosen(full["outer.keys"], kept, scratch)
    needed = _needed_grams(inner, grams, _index(full.under("inner")), outer_keys, scratch)
    paths, new_ids = keep_paths(inner, needed, scratch)
    columns = {name: _chosen(column, needed, scratch) for name, column in full.under("inner.column").items()}
    for part in chunks(paths.keys.size):
        suffix = columns["grams"]["suffix"][part]
        columns["grams"]["suffix"][part] = np.where(suffix == ABSENT, ABSENT, new_ids[suffix])
    if inner.keys.size:
        for part in chunks(outer_keys.size):
            outer_keys[part] = (new_ids[(outer_keys[part] >> WORD_BITS) - 1] + 1) << WORD_BITS | outer_keys[part] & LOW
    tree = ArrayTree({name: array for name, array in full.items() if not name.startswith(("inner.", "outer."))})
    # Nothing counts as dropped: an n-gram that is not here has nothing beneath it, so a layer can erase it again.
    tree.put("inner", table_arrays(index_of(paths.keys, scratch), columns))
    longest = _chosen(full["outer.column.longest"], kept, scratch)
    tree.put("outer", table_arrays(index_of(outer_keys, scratch), {"longest": longest}))
    return tree


def _needed_grams(
    inner: Paths, grams: NDArray[Any], index: Index, outer_keys: Ids, scratch: ScratchDirectory
) -> NDArray[np.bool_]:
    """[inner] which n-grams are kept, given the keys of those of the highest order that are."""
    needed = scratch.new(inner.keys.size, np.bool_)
    for part in chunks(outer_keys.size if inner.keys.size else 0):
        needed[(outer_keys[part] >> WORD_BITS) - 1] = True
        needed[suffix_ids(index, outer_keys[part], grams["suffix"])] = True
    for length in range(inner.ends.size, 0, -1):
        for own in _pieces(inner.level(length)):
            needed[own] |= grams["count"][own] >= LEAST if length >= SHORTEST else True
            if length > 1:
                needed[(inner.keys[own][needed[own]] >> WORD_BITS) - 1] = True
                needed[grams["suffix"][own][needed[own]]] = True
    return needed


# ── Links ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def small_alignment(full: ArrayTree, scratch: ScratchDirectory) -> ArrayTree:
    """`AlignmentModel.arrays()` of a trained model without faint links; totals stay."""
    keys, amounts = full["links.keys"], full["links.column.amount"]
    words, totals = full["targets.keys"], full["targets.column.amount"]  # in order
    kept = scratch.new(keys.size, np.bool_)
    for part in chunks(keys.size):
        own = totals[np.searchsorted(words, keys[part] >> WORD_BITS)]
        kept[part] = (amounts[part] >= FAINT[0] * UNIT) | (amounts[part] >= FAINT[1] * own)
    tree = ArrayTree({name: array for name, array in full.items() if not name.startswith("links.")})
    tree["lost"] = full["lost"].copy()
    tree["lost"][DROPPED_LINKS] += np.count_nonzero(~kept)
    index = index_of(_chosen(keys, kept, scratch), scratch)
    tree.put("links", table_arrays(index, {"amount": _chosen(amounts, kept, scratch)}))
    return tree


# ── Common to all ───────────────────────────────────────────────────────────────────────────────────────────────────


def level_ends(keys: Ids) -> Ids:
    """[lengths] one past the last path of each length, given the keys of paths in canonical order."""
    ends: list[int] = []
    while not ends or ends[-1] < keys.size:
        ends.append(int(np.searchsorted(keys, ((ends[-1] if ends else 0) + 1) << WORD_BITS)))
    return np.array(ends, np.int64)


def _index(table: ArrayTree) -> Index:
    return Index(table["keys"], table["slots"], table["state"])


def _pieces(level: slice) -> Iterator[slice]:
    """A level, a chunk at a time."""
    return (slice(level.start + part.start, level.start + part.stop) for part in chunks(level.stop - level.start))


def _chosen(array: NDArray[Any], chosen: NDArray[np.bool_], scratch: ScratchDirectory) -> NDArray[Any]:
    """The chosen entries of an array, in a file."""
    file = scratch.growing(array.dtype)
    for part in chunks(array.size):
        file.add(array[part][chosen[part]])
    return file.mapped()


@exercise
def _exercise() -> None:
    model = PhraseModel()
    model.train([([4, 5], [7, 8], [[0, 0], [1, 1]])])
    model.compact()
    table = _full_table(model.arrays())
    size = table.counts.size
    kernels.mark_kept(table, RULE, 0, size, np.zeros(size, np.bool_))
    kernels.link_rings(table.pairs.keys, np.zeros(size, np.int32), np.zeros(size, np.int32))
