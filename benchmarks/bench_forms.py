"""Whether guesses pay: unknown words translated like known forms of them, or like the parts of a compound.

    python benchmarks/bench_forms.py                                         # 2,000 and 10,000 lines, seven directions
    python benchmarks/bench_forms.py --lines 2000 --only captions --examples 30

Models are trained on the first lines of a corpus, and its development set is translated with and without guesses: BLEU
and chrF of the text as it is written, the difference with a 95 % interval by paired bootstrap, how many words were
guessed of those that would be copied, and how many times as much processor time that took. Default weights, profile
`fast`. No test set is read. Models are kept in benchmarks/out for the next run.
"""

from __future__ import annotations

import argparse
import random
import sys
from itertools import islice
from pathlib import Path
from time import process_time
from typing import NamedTuple

from dragoman.measure import Bleu, Chrf
from dragoman.measure.significance import bootstrap
from dragoman.models.defaults import CURRENT, starting_weights
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import DEFAULT as PRESET
from dragoman.search.decoder import Decoder, Hypothesis
from dragoman.text.text_files import lines

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.choose_defaults import CORPORA, OUT

DIRECTIONS = (
    ("captions-en-fr", "en", "fr"),
    ("captions-en-fr", "fr", "en"),
    ("pydocs-en-es", "en", "es"),
    ("pydocs-en-es", "es", "en"),
    ("europarl-en-es", "en", "es"),
    ("europarl-en-es", "es", "en"),
    ("desktop-en-es", "en", "es"),
)
SENTENCES = 600  # of a development set

Texts = list[tuple[str, str]]
Corpus = tuple[str, str, str]  # name, source language, target language


def read(corpus: Corpus, part: str, most: int) -> Texts:
    """The first pairs of a corpus."""
    name, source, target = corpus
    sides = (lines(CORPORA / name / f"{part}.{language}.gz") for language in (source, target))
    return [(one, other) for one, other in islice(zip(*sides, strict=True), most) if one.strip() and other.strip()]


def trained(corpus: Corpus, size: int) -> Knowledge:
    """What the first lines of a corpus teach, from an earlier run if there was one."""
    directory = OUT / f"forms-{corpus[0]}-{corpus[1]}-{size}"
    if not directory.is_dir():
        knowledge = Knowledge()
        knowledge.train(read(corpus, "train", size), threads=1)
        knowledge.save(directory)
    return Knowledge.open(directory)


class Translated(NamedTuple):
    """A development set, translated."""

    texts: list[str]
    found: list[Hypothesis]
    seconds: float  # of processor time

    def steps(self, kind: str) -> int:
        """How many steps are of a kind."""
        return sum(step.kind == kind for best in self.found for step in best.steps)


def translated(knowledge: Knowledge, texts: Texts, *, guess: bool) -> Translated:
    """Translate a development set."""
    weights = starting_weights({"preset": PRESET, "defaults": CURRENT}, classes=bool(knowledge.models.classes))
    decoder = Decoder(knowledge.models, weights, "fast", slots=knowledge.target.slots, guess=guess)
    written, found = list[str](), list[Hypothesis]()
    decoder.search(["warm", "up"])
    start = process_time()
    for text, _ in texts:
        sentence = knowledge.source.read(text)
        best = decoder.search(knowledge.source.model_words(sentence), sentence.placeable).best
        written.append(knowledge.target.write(best.words, like=sentence).text)
        found.append(best)
    return Translated(written, found, process_time() - start)


def examples(knowledge: Knowledge, texts: Texts, found: list[Hypothesis], most: int) -> None:
    """Print some guesses, chosen at random, with the reference."""
    guessed = []
    for (text, reference), best in zip(texts, found, strict=True):
        words = knowledge.source.model_words(knowledge.source.read(text))
        guessed += [(words[step.source[0]], step, reference) for step in best.steps if step.kind == "guess"]
    for word, step, reference in random.Random(1).sample(guessed, min(most, len(guessed))):
        print(f"    {word} → {' '.join(step.words)} ({step.account}) | {reference[:100]}")


def compared(corpus: Corpus, size: int, shown: int) -> None:
    """Print one line of the table."""
    knowledge, texts = trained(corpus, size), read(corpus, "dev", SENTENCES)
    without, guessing = (translated(knowledge, texts, guess=guess) for guess in (False, True))
    cells = [corpus[0], f"{corpus[1]} → {corpus[2]}", f"{size:,}"]
    cells += [f"{guessing.steps('guess')} of {without.steps('copy')}"]
    references = [reference for _, reference in texts]
    for measure in (Bleu(), Chrf()):
        one, other = (measure.statistics(each.texts, references) for each in (without, guessing))
        difference = bootstrap(measure, one, other).difference
        cells += [f"{measure.score(one.sum(0)):.2f}", f"{difference.score:+.2f} ± {difference.margin:.2f}"]
    cells.append(f"{guessing.seconds / without.seconds:.2f}")
    print("|", " | ".join(cells), "|", flush=True)
    examples(knowledge, texts, guessing.found, shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", nargs="*", type=int, default=[2_000, 10_000])
    parser.add_argument("--only", nargs="*", default=[""], help="corpora whose names begin with one of these")
    parser.add_argument("--examples", type=int, default=0, help="guesses to show for each line of the table")
    arguments = parser.parse_args()
    if not CORPORA.exists():
        raise SystemExit(f"{CORPORA} does not exist: the benchmark reads its corpora")
    for size in arguments.lines:
        for corpus in DIRECTIONS:
            if corpus[0].startswith(tuple(arguments.only)):
                compared(corpus, size, arguments.examples)


if __name__ == "__main__":
    main()
