"""Texts that come again and that people correct differently, as in chats: what is said next time, and what it costs.

    python benchmarks/bench_repeats.py
    python benchmarks/bench_repeats.py --segments 3000 --seeds 5

There is no chat among our corpora, so this one is made up: sources of the sample come again and again, the frequent
ones most often, and an engine says the sample's translation with a wrong word in it. One of six people corrects it:

- agreeing: everybody puts in the right word
- keeping: three in four times the engine's answer is left as it is, otherwise somebody says it in their own way
- majority: four people put in the right word, two have a way of their own
- everyone: each has a way of their own, and is as likely to come as any other

Word edits left in each hundred words of the corrections: by the engine, by the newest correction of the same source
always, by the most frequent one, by whichever of the three is best in hindsight, and by dragoman, as it is and with
`newest_first`. Means over seeds.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from dragoman.engine import Engine
from dragoman.sample import pairs
from dragoman.text.tokens import split

PEOPLE = ("vaya", "bueno", "claro", "pues", "venga", "mire")  # what each of them begins a text with
SOURCES = 60


class Turn(NamedTuple):
    """A text of the chat: its source, what the engine said, and what somebody made of it."""

    source: str
    answer: str
    correction: str


def own_way(text: str, person: int) -> str:
    """How a person says it: with a word of their own in front, and another at the end."""
    return f"{PEOPLE[person].capitalize()}, {text[0].lower()}{text[1:-1]} {PEOPLE[-1 - person]}{text[-1]}"


def corrected(kind: str, right: str, answer: str, rng: random.Random) -> str:
    """What becomes of an answer."""
    person = rng.randrange(len(PEOPLE))
    if kind == "agreeing":
        return right
    if kind == "keeping":
        return answer if rng.random() < 0.75 else own_way(answer, person)
    if kind == "majority":
        return right if person < 4 else own_way(right, person)
    return own_way(right, person)


def turns(kind: str, count: int, seed: int) -> Iterator[Turn]:
    """A chat."""
    rng = random.Random(seed)
    known = rng.sample([pair for pair in pairs() if 3 < len(pair[1].split()) < 12], SOURCES)
    answers = {}
    for source, target in known:
        words = target.split()
        words[1 + rng.randrange(len(words) - 2)] = "cosa"
        answers[source] = " ".join(words)
    often = [1 / (1 + n) for n in range(SOURCES)]
    for source, target in rng.choices(known, often, k=count):
        yield Turn(source, answers[source], corrected(kind, target, answers[source], rng))


def remembered(chat: list[Turn], choose: Callable[[list[str]], str]) -> list[str]:
    """What a memory says that chooses among the corrections of the same source."""
    known, said = dict[str, list[str]](), []
    for turn in chat:
        earlier = known.setdefault(turn.source, [])
        said.append(choose(earlier) if earlier else turn.answer)
        earlier.append(turn.correction)
    return said


def usual(texts: list[str]) -> str:
    """The newest of the most frequent texts."""
    times = Counter(texts)
    return max(enumerate(texts), key=lambda each: (times[each[1]], each[0]))[1]


def learned(chat: list[Turn], *, newest_first: bool) -> list[str]:
    """What dragoman says."""
    said = []
    with (
        tempfile.TemporaryDirectory() as directory,
        Engine.create(Path(directory) / "project", source="en", target="es") as engine,
    ):
        engine.newest_first = newest_first
        for turn in chat:
            said.append(engine.translate(turn.source, upstream=turn.answer).text)
            engine.learn(turn.source, turn.correction, upstream=turn.answer, force=True)
    return said


def left(chat: list[Turn], said: list[str]) -> float:
    """Word edits left in a hundred words."""
    words = [(split(text).words, split(turn.correction).words) for text, turn in zip(said, chat, strict=True)]
    return 100 * sum(Levenshtein.distance(*each) for each in words) / sum(len(right) for _, right in words)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=600)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    print(
        "| people | engine | newest | majority | best of these | dragoman | newest_first |\n|" + 7 * "---|", flush=True
    )
    for kind in ("agreeing", "keeping", "majority", "everyone"):
        rows = []
        for seed in range(given.seeds):
            chat = list(turns(kind, given.segments, seed))
            fixed = [
                left(chat, said)
                for said in (
                    [turn.answer for turn in chat],
                    remembered(chat, lambda texts: texts[-1]),
                    remembered(chat, usual),
                )
            ]
            ours = [left(chat, learned(chat, newest_first=newest)) for newest in (False, True)]
            rows.append([*fixed, min(fixed), *ours])
        print(f"| {kind} | {' | '.join(f'{value:.1f}' for value in np.mean(rows, axis=0))} |", flush=True)


if __name__ == "__main__":
    main()
