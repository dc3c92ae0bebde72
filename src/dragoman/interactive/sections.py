"""Sections of a long word graph: what was typed is matched near the place that it has reached, not everywhere.

The graph of a long source is a row of graphs, one for each piece that was searched, joined at states that every path
passes. It is divided there into *sections*. A *window* is a section with its neighbours: a graph of its own, with nodes
numbered from 0. Each column of the error model is computed in one window, so that a typed word takes the same time
however long the source is. A graph of up to three sections is its own window, and then nothing is approximate.
"""

from __future__ import annotations

import numpy as np

from dragoman.interactive.error_model_kernels import IMPOSSIBLE, Column, Edges
from dragoman.search.wordgraph import WordGraph
from dragoman.tables import Ids

SECTION_EDGES = 10_000  # of a section, at least
MAX_WINDOWS = 4  # kept


class Window:
    """A part of a graph that begins and ends at states which every path passes."""

    def __init__(self, edges: Edges, states: tuple[int, int], inner: tuple[int, int], span: tuple[int, int]) -> None:
        """Number the states first … last, the nodes inside phrases, and the edges of a part of a graph."""
        self.states, self.inner, self.span = states, inner, span
        self.nodes = np.concatenate([np.arange(states[0], states[1] + 1), np.arange(*inner)])  # numbers in the graph
        self.is_last = states[1] == edges.end
        own = slice(*span)
        tail, head = self.places(edges.tail[own]), self.places(edges.head[own])
        end = states[1] - states[0]
        self.edges = Edges(tail, head, edges.word[own], edges.score[own], edges.arc[own], self.nodes.size, end)

    def places(self, nodes: Ids) -> Ids:
        """The numbers of nodes of the graph in this window."""
        (first, last), inside = self.states, self.inner[0]
        return np.where(nodes <= last, nodes - first, nodes - inside + last - first + 1)

    def new_column(self) -> Column:
        """A column for the nodes of this window."""
        nodes = self.nodes.size
        return Column(np.empty(nodes), np.empty(nodes, np.int64), np.empty(nodes), np.empty(nodes, np.int64))

    def moved(self, column: Column, window: Window) -> Column:
        """A column of this window in another one; nodes that are in that one only cannot have been reached."""
        if window is self:
            return column
        return Column(*(self._moved(each, window) for each in column))

    def _moved(self, numbers: np.ndarray, window: Window) -> np.ndarray:
        nodes = int(max(self.nodes[-1], window.nodes[-1], self.states[1], window.states[1])) + 1
        whole = np.full(nodes, IMPOSSIBLE if numbers.dtype == np.float64 else 0, numbers.dtype)
        whole[self.nodes] = numbers
        found: np.ndarray = whole[window.nodes]
        return found


class Sections:
    """The sections of a graph that was cut into edges."""

    def __init__(self, graph: WordGraph, edges: Edges) -> None:
        self._edges = edges
        self.states = _boundaries(graph, edges)  # [sections + 1] states between which they are
        arcs = graph.first[self.states]
        self.spans = np.searchsorted(edges.arc, arcs)  # [sections + 1] edges
        # Each arc has one node less inside than edges; these are numbered after the states.
        self.inner = graph.states + self.spans - arcs
        self._windows: dict[int, Window] = {}

    def __len__(self) -> int:
        return self.states.size - 1

    def window(self, section: int) -> Window:
        """The section with its neighbours."""
        if section not in self._windows:
            while len(self._windows) >= MAX_WINDOWS:
                self._windows.pop(next(iter(self._windows)))
            self._windows[section] = self._new_window(section)
        return self._windows[section]

    def _new_window(self, section: int) -> Window:
        first, last = max(section - 1, 0), min(section + 2, len(self))
        if len(self) <= 3:
            first, last = 0, len(self)
        each = self.states, self.inner, self.spans
        states, inner, span = ((int(bounds[first]), int(bounds[last])) for bounds in each)
        return Window(self._edges, states, inner, span)

    def of_node(self, node: int) -> int:
        """The section of a node; that before it, if it is between two."""
        bounds = self.states if node <= self._edges.end else self.inner
        return max(int(np.searchsorted(bounds, node, side="left" if bounds is self.states else "right")) - 1, 0)


def _boundaries(graph: WordGraph, edges: Edges) -> Ids:
    """States that every path passes, from the first to the last, with at least SECTION_EDGES edges between them."""
    reached = np.maximum.accumulate(graph.target)
    inside = np.arange(1, graph.states - 1)
    passed = inside[reached[graph.first[inside] - 1] <= inside]
    before = np.searchsorted(edges.arc, graph.first[passed])  # edges before each of them
    chosen, begun = [0], 0
    for state, edge in zip(passed.tolist(), before.tolist(), strict=True):
        if edge - begun >= SECTION_EDGES and edges.tail.size - edge >= SECTION_EDGES:
            chosen.append(state)
            begun = edge
    return np.array([*chosen, graph.states - 1], np.int64)
