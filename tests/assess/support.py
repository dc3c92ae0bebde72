"""Small past work for the tests: the sample's manual, and an engine that always translates word by word."""

from __future__ import annotations

from pathlib import Path

from dragoman import sample
from dragoman.assess.past_work import PastPair, PastWork

WORDS = {"the": "la", "machine": "maquinaria", "button": "tecla", "press": "oprima", "water": "agua", "and": "y"}


def shipped(size: int) -> PastWork:
    """The first segments of the sample, in documents of ten."""
    pairs = [PastPair(*pair, f"part {n // 10}") for n, pair in enumerate(sample.pairs()[:size])]
    return PastWork(pairs, "en", "es", "order of the file", {})


def said(text: str) -> str:
    """What the engine says."""
    return " ".join(WORDS.get(word, word) for word in text.lower().split())


def recorded(work: PastWork, file: Path) -> str:
    """The name of an engine with an answer for each segment."""
    lines = dict.fromkeys(f"{pair.source}\t{said(pair.source)}\n" for pair in work.pairs)
    file.write_text("".join(lines), encoding="utf-8")
    return f"recorded:{file}"
