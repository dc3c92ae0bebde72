"""Tokens: speed of `split`, and how many lines come back unchanged, against sacremoses on real text."""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dragoman.text.text_files import lines
from dragoman.text.tokens import join, split

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
TEXTS = [
    ("pydocs-en-es", "en"),
    ("pydocs-en-es", "es"),
    ("europarl-en-fr", "en"),
    ("europarl-en-fr", "fr"),
    ("desktop-en-es", "en"),
    ("desktop-en-es", "es"),
]
LINES, ROUNDS = 10_000, 5


class Peer(NamedTuple):
    """One way to cut text into tokens and to put it together again."""

    tokenise: Callable[[str], object]
    round_trip: Callable[[str], str]


def ours() -> Peer:
    return Peer(split, lambda line: join(split(line)))


def moses(language: str) -> Peer:
    from sacremoses import MosesDetokenizer, MosesTokenizer

    tokenizer, detokenizer = MosesTokenizer(language), MosesDetokenizer(language)
    return Peer(tokenizer.tokenize, lambda line: detokenizer.detokenize(tokenizer.tokenize(line)))


def seconds(peer: Peer, text: list[str]) -> float:
    start = time.process_time()
    for line in text:
        peer.tokenise(line)
    return time.process_time() - start


def unchanged(peer: Peer, text: list[str]) -> float:
    return 100 * sum(peer.round_trip(line) == line for line in text) / len(text)


def row(name: str, language: str, text: list[str]) -> str:
    peers = ours(), moses(language)
    rounds = [[seconds(peer, text) for peer in peers] for _ in range(ROUNDS)]  # by turns, under the same load
    fast, slow = (min(times) for times in zip(*rounds, strict=True))
    speeds = f"| {len(text) / fast:,.0f} | {len(text) / slow:,.0f} | {slow / fast:.1f} "
    came_back = f"| {unchanged(peers[0], text):.2f} | {unchanged(peers[1], text):.2f} |"
    return f"| {name}, {language} {speeds}{came_back}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpora", type=Path, default=CORPORA, help="directory of the corpora")
    corpora: Path = options.parse_args().corpora
    if not corpora.is_dir():
        print(f"bench_tokens: no corpora at {corpora}; say where they are with --corpora")
        return
    if importlib.util.find_spec("sacremoses") is None:
        print('bench_tokens: sacremoses is not installed; pip install "dragoman[bench]"')
        return

    print("| text | split, lines/s | sacremoses, lines/s | ratio | unchanged, % | sacremoses, % |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, language in TEXTS:
        text = list(islice(lines(corpora / name / f"train.{language}.gz"), LINES))
        print(row(name, language, text), flush=True)


if __name__ == "__main__":
    main()
