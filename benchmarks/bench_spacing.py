"""Spacing: share of gaps predicted right and of lines reproduced exactly, by rule, learned, and by sacremoses."""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from dragoman.records import Sentence
from dragoman.text.spacing import Spacing
from dragoman.text.text_files import lines
from dragoman.text.tokens import split
from dragoman.text.vocabulary import Vocabulary

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
NAMES = (
    "desktop-en-es",
    "europarl-en-es",
    "europarl-en-fr",
    "newstest-en-es",
    "newstest-en-fr",
    "pydocs-en-es",
    "pydocs-en-fr",
)
TRAIN = 5000
TEST = slice(1000, 2000)  # the lines before these were looked at when rules and priors were chosen


class Outcome(NamedTuple):
    """How much of a text came out right, in percent, and the time it took."""

    gaps: float
    lines: float
    microseconds: float  # a line


def outcome(spacing: Spacing, test: Sequence[Sentence]) -> Outcome:
    start = time.process_time()
    predicted = [spacing.space(sentence.words, sentence.placeable) for sentence in test]
    spent = time.process_time() - start
    gaps = [
        one == other
        for sentence, result in zip(test, predicted, strict=True)
        for one, other in zip(sentence.gaps[1:-1], result.gaps[1:-1], strict=True)
    ]
    exact = sum(result.text == sentence.text for sentence, result in zip(test, predicted, strict=True))
    return Outcome(100 * sum(gaps) / len(gaps), 100 * exact / len(test), 1e6 * spent / len(test))


def moses_lines(language: str, test: Sequence[Sentence]) -> float:
    from sacremoses import MosesDetokenizer, MosesTokenizer

    tokenizer, detokenizer = MosesTokenizer(language), MosesDetokenizer(language)
    exact: int = sum(detokenizer.detokenize(tokenizer.tokenize(line.text)) == line.text for line in test)
    return 100 * exact / len(test)


def row(directory: Path, language: str) -> str:
    train = [split(line) for line in islice(lines(directory / f"train.{language}.gz"), TRAIN)]
    test = [split(line) for line in islice(lines(directory / f"test.{language}.gz"), TEST.start, TEST.stop)]
    spacing = Spacing(Vocabulary())
    rules = outcome(spacing, test)
    for sentence in train:
        spacing.add(sentence)
    learned = outcome(spacing, test)
    by_rule, by_count = f"{rules.gaps:.2f} | {rules.lines:.1f}", f"{learned.gaps:.2f} | {learned.lines:.1f}"
    peer = f"{moses_lines(language, test):.1f}"
    return f"| {directory.name}, {language} | {by_rule} | {by_count} | {peer} | {learned.microseconds:.0f} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpora", type=Path, default=CORPORA, help="directory of the corpora")
    corpora: Path = options.parse_args().corpora
    if not corpora.is_dir():
        print(f"bench_spacing: no corpora at {corpora}; say where they are with --corpora")
        return
    if importlib.util.find_spec("sacremoses") is None:
        print('bench_spacing: sacremoses is not installed; pip install "dragoman[bench]"')
        return

    print("| text | rules: gaps, % | lines, % | learned: gaps, % | lines, % | sacremoses: lines, % | µs a line |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in NAMES:
        for language in name.split("-")[1:]:
            print(row(corpora / name, language), flush=True)


if __name__ == "__main__":
    main()
