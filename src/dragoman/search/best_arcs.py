"""What is kept of the search of a very long sentence: the arcs on the best paths.

The value of an arc is the score of the best path through it. All arcs of a path are worth at least its score, so the
best paths, and with them the beginning of an n-best list, survive as they were. Without this, a sentence of 20,000
words would take a gigabyte.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dragoman.search import wordgraph_kernels as graph_kernels
from dragoman.search.hypotheses_kernels import ARCS, FINAL, NONE, STATES, Workspace
from dragoman.search.options_kernels import SpanOptions
from dragoman.tables import Ids


def thinned(work: Workspace, options: SpanOptions, best: Ids, most: int) -> tuple[Workspace, SpanOptions]:
    """The most valuable arcs of a search, about so many, with the states and options that they need.

    `best` are the arcs of the best path, which are always kept.
    """
    arcs = np.flatnonzero(_kept(work, best, most))
    states, option = _used_states(work, arcs), work.arcs["option"][arcs]
    wanted = np.concatenate([option, work.states["kin"][states[:-1]]])  # the last state has no phrase before it
    chosen = np.unique(wanted[wanted != NONE])
    new_arcs, new_states = work.arcs[arcs], work.states[states]
    new_arcs["origin"] = np.searchsorted(states, new_arcs["origin"])
    new_arcs["target"] = np.searchsorted(states, new_arcs["target"])
    new_arcs["option"] = _renumbered(chosen, new_arcs["option"])
    new_states["kin"] = _renumbered(chosen, new_states["kin"])
    new_states["best"] = _renumbered(arcs, new_states["best"])
    sizes = work.sizes.copy()
    sizes[STATES], sizes[ARCS], sizes[FINAL] = states.size, arcs.size, states.size - 1
    return work._replace(sizes=sizes, arcs=new_arcs, states=new_states), _only(options, chosen)


def _kept(work: Workspace, best: Ids, most: int) -> NDArray[np.bool_]:
    """[arcs] which arcs are kept."""
    origin, target = work.arcs["origin"].astype(np.int64), work.arcs["target"].astype(np.int64)
    final, gain = int(work.sizes[FINAL]), work.arcs["gain"].copy()
    to_end = np.empty(final + 1)
    graph_kernels.fill_to_end(origin, target, gain, to_end)
    value = work.states["score"][origin] + gain + to_end[target]
    wanted = np.ones(value.size, np.bool_)
    if value.size > most:
        wanted = value > np.partition(value, value.size - most)[value.size - most]
    wanted[best] = True
    kept: NDArray[np.bool_] = graph_kernels.on_a_way(origin, target, wanted, final + 1, final)
    return kept


def _used_states(work: Workspace, arcs: Ids) -> Ids:
    used = np.zeros(work.states.size, np.bool_)
    used[work.arcs["origin"][arcs]] = used[work.arcs["target"][arcs]] = True
    return np.flatnonzero(used)


def _renumbered(kept: Ids, numbers: Ids) -> Ids:
    """The places of some numbers among those kept, in order; NONE for those that are not."""
    place = np.minimum(np.searchsorted(kept, numbers), kept.size - 1)
    return np.where(kept[place] == numbers, place, NONE)


def _only(options: SpanOptions, chosen: Ids) -> SpanOptions:
    """Only these options, given in order, renumbered from 0."""
    row = options.row[chosen]
    ends, words = graph_kernels.gather(row["begin"], row["stop"], options.words)
    row["begin"], row["stop"], row["kin"] = ends[:-1], ends[1:], np.arange(chosen.size)
    return options._replace(
        first=np.searchsorted(chosen, options.first),
        row=row,
        words=words,
        counts=options.counts[chosen],
        orientations=options.orientations[chosen],
        features=options.features[chosen],
    )
