"""Casing: share of lines whose words come back as written, and the time that takes, against sacremoses."""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dragoman.records import Sentence
from dragoman.text.casing import Casing
from dragoman.text.text_files import lines
from dragoman.text.tokens import split
from dragoman.text.vocabulary import Vocabulary

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
NAMES = ("desktop-en-es", "europarl-en-es", "europarl-en-fr", "pydocs-en-es", "pydocs-en-fr")
TRAIN = slice(0, 5000)
TEST = slice(1000, 2000)  # the lines before these were looked at when the rules were made

Pair = tuple[Sentence, Sentence]  # a sentence, and the one it is recased like


class Outcome(NamedTuple):
    """How many lines came back, in percent, and the time that took."""

    lines: float
    microseconds: float  # a line


def outcome(round_trip: Callable[[Sentence, Sentence], Sequence[str]], pairs: Sequence[Pair]) -> Outcome:
    start = time.process_time()
    results = [round_trip(sentence, like) for sentence, like in pairs]
    spent = time.process_time() - start
    same = sum(tuple(result) == sentence.words for result, (sentence, _) in zip(results, pairs, strict=True))
    return Outcome(100 * same / len(pairs), 1e6 * spent / len(pairs))


def ours(train: Sequence[Sentence]) -> Callable[[Sentence, Sentence], Sequence[str]]:
    casing = Casing(Vocabulary())
    for sentence in train:
        casing.add(sentence)
    return lambda sentence, like: casing.recase(casing.truecase(sentence), like, sentence.placeable)


def moses(train: Sequence[Sentence]) -> Callable[[Sentence, Sentence], Sequence[str]]:
    """Its truecaser and detruecaser; it splits at spaces, so those inside a token are replaced for it."""
    from sacremoses import MosesDetruecaser, MosesTruecaser

    truecaser, detruecaser = MosesTruecaser(), MosesDetruecaser()
    truecaser.train([[word.replace(" ", "_") for word in sentence.words] for sentence in train])

    def round_trip(sentence: Sentence, _: Sentence) -> Sequence[str]:
        given = [word.replace(" ", "_") for word in sentence.words]
        words: list[str] = detruecaser.detruecase(" ".join(truecaser.truecase(" ".join(given))))
        return sentence.words if words == given else words

    return round_trip


def row(directory: Path, language: str, other: str) -> str:
    def read(part: str, side: str, which: slice) -> list[Sentence]:
        return [split(line) for line in islice(lines(directory / f"{part}.{side}.gz"), which.start, which.stop)]

    train, test, source = read("train", language, TRAIN), read("test", language, TEST), read("test", other, TEST)
    both = list(zip(test, test, strict=True))
    round_trip = ours(train)
    seen = outcome(round_trip, list(zip(train, train, strict=True)))
    unseen = outcome(round_trip, both)
    translated = outcome(round_trip, list(zip(test, source, strict=True)))
    peer = outcome(moses(train), both)
    shares = f"{seen.lines:.2f} | {unseen.lines:.2f} | {translated.lines:.2f} | {peer.lines:.2f}"
    return f"| {directory.name}, {language} | {shares} | {unseen.microseconds:.0f} | {peer.microseconds:.0f} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpora", type=Path, default=CORPORA, help="directory of the corpora")
    corpora: Path = options.parse_args().corpora
    if not corpora.is_dir():
        print(f"bench_casing: no corpora at {corpora}; say where they are with --corpora")
        return
    if importlib.util.find_spec("sacremoses") is None:
        print('bench_casing: sacremoses is not installed; pip install "dragoman[bench]"')
        return

    print("| text | learned, % | unseen, % | like the source, % | sacremoses, unseen, % | µs a line | sacremoses, µs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in NAMES:
        one, other = name.split("-")[1:]
        print(row(corpora / name, one, other), flush=True)
        print(row(corpora / name, other, one), flush=True)


if __name__ == "__main__":
    main()
