"""A corpus of any size made from a real one, for measuring what a million pairs cost where there are fewer.

    python benchmarks/grown_corpus.py europarl-en-es --check        # does it grow as real text does?

The real pairs come first, as they are. Every further pair is a walk through them:

1. Their words are aligned. A *cut* is a place where a pair falls into two, links on one side or the other.
2. A walk begins with the first words of a random pair. At each cut it goes on, with the probability JUMP, in another
   pair that has the same two words, source and target, before a cut; sometimes, with the probability LEAP, anywhere.
3. In every round of as many pairs as there are real ones, each rare word becomes, with the probability NEW_WORD, a new
   word, the same for the whole round; so vocabularies go on growing.

So word pairs and short phrases are those of the corpus, and what grows is what grows in real text: longer phrases,
n-grams and rare words. The three probabilities are set so that six thousand pairs grown to sixty thousand have about as
many words and n-grams as sixty thousand real ones (`--check`). The text means nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import NamedTuple

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
JUMP, LEAP, NEW_WORD = 0.2, 0.75, 0.5
RARE = 2  # occurrences
LONGEST = 80  # words of a side
SEED = 7

Pair = tuple[str, str]
Words = Sequence[str]
Place = tuple[int, int]  # number of a pair, number of one of its cuts


class Aligned(NamedTuple):
    """A real pair as words, and its cuts: (source words, target words) before each, the end included."""

    source: Words
    target: Words
    cuts: list[tuple[int, int]]


def corpus_files(corpus: str, part: str = "train") -> list[str]:
    """The two files of a part of a corpus."""
    return [str(CORPORA / corpus / f"{part}.{language}.gz") for language in corpus.split("-")[-2:]]


def read(corpus: str, part: str = "train", lines: int | None = None) -> list[Pair]:
    """The pairs of a part of a corpus."""
    from dragoman.cluster.corpus_files import read_corpus

    source, target = corpus.split("-")[-2:]
    return list(islice(read_corpus(corpus_files(corpus, part), (source, target)), lines))


def grow(pairs: list[Pair], aligned: list[Aligned]) -> Iterator[Pair]:
    """The pairs, and then walks through them without end."""
    chance = random.Random(SEED)
    places = list(_places(aligned))
    same: dict[tuple[str, str], list[Place]] = {}
    for pair, cut in places:
        same.setdefault(_before(aligned[pair], cut), []).append((pair, cut))
    rare = [_rare(pair.source for pair in aligned), _rare(pair.target for pair in aligned)]
    yield from pairs
    for round_number in count(1):
        new = [{word: f"{word}{round_number}" for word in side if chance.random() < NEW_WORD} for side in rare]
        for _ in pairs:
            source, target = _walk(aligned, places, same, chance)
            yield (
                " ".join(new[0].get(word, word) for word in source),
                " ".join(new[1].get(word, word) for word in target),
            )


def _rare(sentences: Iterable[Words]) -> list[str]:
    """The words that occur seldom."""
    return sorted(word for word, times in Counter(chain.from_iterable(sentences)).items() if times <= RARE)


def _places(aligned: list[Aligned]) -> Iterator[Place]:
    """Every cut that is not the end of its pair: (number of the pair, number of the cut)."""
    for n, pair in enumerate(aligned):
        for cut in range(len(pair.cuts) - 1):
            yield n, cut


def _before(pair: Aligned, cut: int) -> tuple[str, str]:
    """The two words before a cut."""
    source, target = pair.cuts[cut]
    return pair.source[source - 1], pair.target[target - 1]


def _walk(
    aligned: list[Aligned], places: list[Place], same: dict[tuple[str, str], list[Place]], chance: random.Random
) -> tuple[Words, Words]:
    """One new pair."""
    pair, cut = aligned[chance.randrange(len(aligned))], 0
    source, target, begin = list[str](), list[str](), (0, 0)
    while True:
        end = pair.cuts[cut]
        source += pair.source[begin[0] : end[0]]
        target += pair.target[begin[1] : end[1]]
        if cut == len(pair.cuts) - 1 or max(len(source), len(target)) > LONGEST:
            return source, target
        chosen = chance.random()
        if chosen < JUMP + LEAP:
            number, cut = chance.choice(places if chosen < LEAP else same[_before(pair, cut)])
            pair = aligned[number]
        begin, cut = pair.cuts[cut], cut + 1


def align(pairs: list[Pair], base: Path) -> list[Aligned]:
    """The pairs as words with their cuts, aligned by a base trained on them."""
    from dragoman.errors import BadInputError
    from dragoman.models.knowledge import Knowledge

    knowledge = Knowledge.open(base)
    models, found = knowledge.models, []
    for source, target in pairs:
        try:
            pair = knowledge.read_pair(source, target)
        except BadInputError:  # an empty or overlong side
            continue
        words = pair.source_words, pair.target_words
        links = models.align(models.source.ids(words[0]), models.target.ids(words[1])).tolist()
        found.append(Aligned(*words, cuts_of(links, len(words[0]), len(words[1]))))
    return found


def cuts_of(links: list[list[int]], source: int, target: int) -> list[tuple[int, int]]:
    """Where no link crosses, with a link right before it; the end of the pair is the last.

    >>> cuts_of([[0, 0], [1, 2], [2, 1], [3, 3]], 5, 4)
    [(1, 1), (3, 3), (5, 4)]
    """
    cuts, highest, reached = [], -1, 0
    lowest = [target] * (source + 1)  # of the targets linked from each word on
    ends = [-1] * source
    for j, i in links:
        lowest[j], ends[j] = min(lowest[j], i), max(ends[j], i)
    for j in range(source - 1, -1, -1):
        lowest[j] = min(lowest[j], lowest[j + 1])
    for j in range(source - 1):
        highest = max(highest, ends[j])
        if ends[j] >= 0 and reached <= highest < lowest[j + 1] and highest + 1 < target:
            cuts.append((j + 1, highest + 1))
            reached = highest + 1
    return [*cuts, (source, target)]


def types(pairs: list[Pair]) -> list[int]:
    """How many different words and n-grams, up to five words, the targets have."""
    seen: list[set[int]] = [set() for _ in range(5)]
    for _, target in pairs:
        words = target.lower().split()
        for n, known in enumerate(seen, start=1):
            known.update(hash(tuple(words[at : at + n])) for at in range(len(words) - n + 1))
    return [len(each) for each in seen]


def check(corpus: str, few: int, base: Path) -> None:
    """Print how many words and n-grams a grown corpus has, beside a real one of the same size."""
    pairs = read(corpus)
    aligned = align(pairs, base)
    real = [(" ".join(each.source), " ".join(each.target)) for each in aligned]
    grown = list(islice(grow(real[:few], aligned[:few]), len(real)))
    print("different n-grams of 1 … 5 target words")
    for name, texts in ((f"{few:,} real", real[:few]), (f"{len(real):,} real", real), ("grown", grown)):
        words = sum(len(target.split()) for _, target in texts)
        print(f"{name:14} {words:10,} words ", *(f"{each:10,}" for each in types(texts)))


def main() -> None:
    """Show how the corpus grows, or write one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", help="a directory in the corpora, with all pairs as seed")
    parser.add_argument("--base", type=Path, help="a base that was trained on them; one is trained otherwise")
    parser.add_argument("--check", action="store_true", help="compare its growth with that of real text")
    parser.add_argument("--pairs", type=int, default=20, help="how many to print, tab-separated")
    given = parser.parse_args()
    from dragoman.cluster.trainer import train

    with tempfile.TemporaryDirectory() as directory:
        base = given.base or Path(directory) / "base"
        if not given.base:
            train(read(given.corpus), base)
        if given.check:
            check(given.corpus, 6000, base)
            return
        pairs = read(given.corpus)
        for pair in islice(grow(pairs, align(pairs, base)), given.pairs):
            print(*pair, sep="\t")


if __name__ == "__main__":
    main()
