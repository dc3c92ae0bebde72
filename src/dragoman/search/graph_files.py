"""Word graphs as text and as JSON.

As text, a graph has one line a thing, with fields separated by tabs, and words as JSON lists of strings:

    dragoman word graph 1
    source      ["the", "green", "button"]
    features    language  phrase_inverse  …
    arc         origin  target  first source word  one past the last  kind  score  surcharges  features …  words

State 0 is the first, the highest the end; arcs stand in the order of their origins and lead to higher states. The kind
is phrase, copy, given, inserted (see `Step`) or end, which the arcs at the end of a sentence are. Numbers are written
so that reading them gives back the same bits. JSON has the same fields by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from dragoman.errors import DamagedFileError
from dragoman.search import wordgraph_kernels as kernels
from dragoman.search.hypotheses import KINDS
from dragoman.search.wordgraph import WordGraph

FORMAT = "dragoman word graph 1"


def to_json(graph: WordGraph) -> dict[str, Any]:
    """A graph in the types of JSON."""
    columns = "origin", "target", "span", "kind", "score", "surcharges", "features"
    rows = zip(*(getattr(graph, name).tolist() for name in columns), strict=True)
    said = [graph.vocabulary[n] for n in graph.words]
    bounds = zip(graph.begin[:-1].tolist(), graph.begin[1:].tolist(), strict=True)
    arcs = [
        {
            "from": origin,
            "to": target,
            "source": span,
            "kind": KINDS[kind],
            "score": score,
            "surcharges": surcharges,
            "features": features,
            "words": said[begin:end],
        }
        for (origin, target, span, kind, score, surcharges, features), (begin, end) in zip(rows, bounds, strict=True)
    ]
    return {"format": FORMAT, "source": list(graph.source), "features": list(graph.names), "arcs": arcs}


def from_json(data: Mapping[str, Any]) -> WordGraph:
    """The graph whose `to_json` this is."""
    try:
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']!r}")
        return _checked(_built(data["source"], data["features"], data["arcs"]))
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise DamagedFileError(f"not a word graph: {error}") from None


def _built(source: list[str], names: list[str], arcs: list[dict[str, Any]]) -> WordGraph:
    vocabulary = sorted({word for arc in arcs for word in arc["words"]})
    place = {word: n for n, word in enumerate(vocabulary)}
    return WordGraph(
        source=tuple(source),
        names=tuple(names),
        vocabulary=tuple(vocabulary),
        origin=np.array([arc["from"] for arc in arcs], np.int64),
        target=np.array([arc["to"] for arc in arcs], np.int64),
        span=np.array([arc["source"] for arc in arcs], np.int64).reshape(len(arcs), 2),
        kind=np.array([KINDS.index(arc["kind"]) for arc in arcs], np.int64),
        score=np.array([arc["score"] for arc in arcs], np.float64),
        surcharges=np.array([arc["surcharges"] for arc in arcs], np.int64),
        features=np.array([arc["features"] for arc in arcs], np.float64).reshape(len(arcs), len(names)),
        begin=np.cumsum([0, *(len(arc["words"]) for arc in arcs)]),
        words=np.array([place[word] for arc in arcs for word in arc["words"]], np.int64),
    )


def _checked(graph: WordGraph) -> WordGraph:
    """The graph, if its arcs are in order and every one of them is on a way from the first state to the last."""
    origin, target = graph.origin, graph.target
    if not len(graph) or origin.min() < 0 or (np.diff(origin) < 0).any() or (target <= origin).any():
        raise ValueError("arcs out of order")
    if target.max() != graph.states - 1 or target.max() > len(graph):
        raise ValueError("states that no arc leads to")
    if not kernels.on_a_way(origin, target, np.ones(len(graph), np.bool_), graph.states, graph.states - 1).all():
        raise ValueError("arcs that lead nowhere")
    return graph


def to_text(graph: WordGraph) -> str:
    """A graph as lines of text."""
    data = to_json(graph)
    lines = [FORMAT, f"source\t{_dumped(data['source'])}", "\t".join(["features", *graph.names])]
    for arc in data["arcs"]:
        numbers = arc["from"], arc["to"], *arc["source"], arc["kind"], arc["score"], arc["surcharges"]
        lines.append("\t".join(["arc", *map(str, (*numbers, *arc["features"])), _dumped(arc["words"])]))
    return "\n".join(lines) + "\n"


def from_text(text: str) -> WordGraph:
    """The graph whose `to_text` this is."""
    try:
        (form,), source, features, *arcs = (line.split("\t") for line in text.removesuffix("\n").split("\n"))
        head = {"format": form, "source": json.loads(source[1]), "features": features[1:]}
        return from_json(head | {"arcs": [_arc_of(fields) for fields in arcs]})
    except (IndexError, ValueError) as error:
        raise DamagedFileError(f"not a word graph: {error}") from None


def _dumped(words: list[str]) -> str:
    """Words on one line, whatever characters they have: JSON escapes tabs and newlines."""
    return json.dumps(words, ensure_ascii=False)


def _arc_of(fields: list[str]) -> dict[str, Any]:
    _, origin, target, first, last, kind, score, surcharges, *features, words = fields
    return {
        "from": int(origin),
        "to": int(target),
        "source": [int(first), int(last)],
        "kind": kind,
        "score": float(score),
        "surcharges": int(surcharges),
        "features": [float(value) for value in features],
        "words": json.loads(words),
    }
