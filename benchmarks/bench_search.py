"""Search: sentences a second, model score and BLEU by beam, the cost of n-best lists and word graphs, and sil-thot.

    python benchmarks/bench_search.py                                # pydocs-en-es, 30,000 lines, about five minutes
    python benchmarks/bench_search.py --corpus europarl-en-es --train 20000
    python benchmarks/bench_search.py --peer 5000                    # and sil-thot, both trained on so many lines
    python benchmarks/bench_search.py --corpus captions-en-fr --train 29000 --presets    # what word classes cost

One thread, processor time, tokens lower-cased, BLEU as sacrebleu computes it with tokenize none. What is trained stays
in benchmarks/out for the next run; so do the curve (search-<corpus>.csv) and its plot (search-<corpus>.svg), if
matplotlib is there. The peer comes with `pip install sil-thot sil-machine`.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from dragoman.kernels import warm
from dragoman.measure import bleu
from dragoman.models.loglinear import Weights
from dragoman.models.modelset import ModelSet
from dragoman.search.constrained import Prefix
from dragoman.search.decoder import PROFILES, Beam, Decoder
from dragoman.text.text_files import lines
from dragoman.text.tokens import split

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.thot_peer import trained_thot

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
OUT = Path(__file__).parent / "out"
LONGEST = 80  # words of a training sentence
POPS = (5, 10, 25, 50, 100, 200, 400, 800)  # the curve; stacks are a quarter of it

Words = tuple[str, ...]
Pair = tuple[Words, Words]


@dataclass(frozen=True)
class Result:
    """One setting on the whole test set."""

    name: str
    speed: float  # sentences a second
    score: float  # mean model score
    bleu: float


def read(folder: Path, part: str, count: int) -> list[Pair]:
    """The first pairs of a corpus, as lower-cased tokens; those with an empty side are left out."""
    source, target = folder.name.split("-")[-2:]
    texts = (lines(folder / f"{part}.{language}.gz") for language in (source, target))
    pairs = [tuple(split(text.lower()).words for text in pair) for pair in islice(zip(*texts, strict=True), count)]
    return [(f, e) for f, e in pairs if f and e]


def trained(folder: Path, count: int) -> ModelSet:
    """Models of the first `count` lines, from the run before if there was one."""
    directory = OUT / f"models-{folder.name}-{count}"
    if not directory.is_dir():
        print(f"training on {count:,} lines of {folder.name} …", flush=True)
        models = ModelSet()
        models.train([pair for pair in read(folder, "train", count) if max(map(len, pair)) <= LONGEST])
        models.save(directory)
    return ModelSet.open(directory)


def timed(work: Callable[[Words], Any], sentences: Iterable[Words]) -> tuple[float, list[Any]]:
    """Seconds of processor time for a sentence, and what came out."""
    began = time.process_time()
    found = [work(words) for words in sentences]
    return (time.process_time() - began) / len(found), found


def bleu_of(translations: Iterable[Sequence[str]], pairs: list[Pair]) -> float:
    joined = [" ".join(words) for words in translations]
    return float(bleu(joined, [" ".join(target) for _, target in pairs], tokenize="none"))


def measured(name: str, decoder: Decoder, pairs: list[Pair]) -> Result:
    seconds, found = timed(lambda words: decoder.search(words).best, [source for source, _ in pairs])
    score = sum(best.score for best in found) / len(found)
    result = Result(name, 1 / seconds, score, bleu_of((best.words for best in found), pairs))
    print(f"| {result.name} | {result.speed:.0f} | {result.score:.3f} | {result.bleu:.2f} |", flush=True)
    return result


def curve(models: ModelSet, weights: Weights, pairs: list[Pair], name: str) -> None:
    """Model score and BLEU against time, by beam; the named profiles first."""
    print("\n| beam | sentences/s | model score | BLEU |\n|---|---:|---:|---:|")
    results = [measured(profile, Decoder(models, weights, profile), pairs) for profile in PROFILES]
    results += [
        measured(f"pops {pops}", Decoder(models, weights, Beam(pops=pops, stack=max(pops // 4, 1))), pairs)
        for pops in POPS
    ]
    OUT.mkdir(exist_ok=True)
    with (OUT / f"search-{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["beam", "sentences_per_second", "model_score", "bleu"])
        writer.writerows([result.name, result.speed, result.score, result.bleu] for result in results)
    plot(results, OUT / f"search-{name}.svg", name)


def plot(results: list[Result], path: Path, name: str) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no plot: pip install matplotlib")
        return
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axes, value in zip(figure.subplots(1, 2), ("score", "bleu"), strict=True):
        beams = [result for result in results if result.name not in PROFILES]
        axes.plot([1000 / result.speed for result in beams], [getattr(result, value) for result in beams], "o-")
        for result in results:
            if result.name in PROFILES:
                axes.plot(1000 / result.speed, getattr(result, value), "s", label=result.name)
        axes.set(xlabel="ms a sentence", ylabel={"score": "mean model score", "bleu": "BLEU"}[value])
        axes.grid(alpha=0.3)
        axes.legend()
    figure.suptitle(f"{name}: quality against time, by beam")
    figure.savefig(path)


def costs(models: ModelSet, weights: Weights, pairs: list[Pair]) -> None:
    """What n-best lists, word graphs and constrained searches cost, as multiples of the best translation alone."""
    half = {source: target[: len(target) // 2] for source, target in pairs}
    whole = {source: Prefix(target, whole=True) for source, target in pairs}
    wanted: dict[str, Callable[[Decoder, Words], Any]] = {
        "500-best": lambda decoder, words: decoder.search(words).nbest(500),
        "500 distinct": lambda decoder, words: decoder.search(words).nbest(500, distinct=True),
        "500 distinct, with the words of all": lambda decoder, words: (
            decoder.search(words).nbest(500, distinct=True).words
        ),
        "500 distinct, every entry made": lambda decoder, words: decoder.search(words).nbest(500, distinct=True)[:],
        "word graph": lambda decoder, words: decoder.search(words).graph(),
        "half of the reference as prefix": lambda decoder, words: decoder.search(words, prefix=half[words]).best,
        "the reference, forced": lambda decoder, words: decoder.search(words, prefix=whole[words]).best,
    }
    print(f"\n| times the cost of the best translation | {' | '.join(PROFILES)} |\n|---|{'---:|' * len(PROFILES)}")
    sentences = [source for source, _ in pairs]
    decoders = [Decoder(models, weights, profile) for profile in PROFILES]
    alone = [timed(partial(_best, decoder), sentences)[0] for decoder in decoders]
    for name, work in wanted.items():
        taken = [timed(partial(work, decoder), sentences)[0] for decoder in decoders]
        print(f"| {name} | {' | '.join(f'{t / one:.2f}' for t, one in zip(taken, alone, strict=True))} |", flush=True)


def presets(models: ModelSet, pairs: list[Pair]) -> None:
    """The presets with and without word classes, all sentences by one and then by the other; the best of three rounds.

    Not sentence by sentence: what one search has asked of the language model, the next need not look up.
    """
    names, sentences = ("moses", "classes"), [source for source, _ in pairs]
    print(f"| sentences/s | {' | '.join(names)} | ratio |\n|---|---:|---:|---:|")
    for profile in PROFILES:
        decoders = [Decoder(models, Weights(name), profile) for name in names]
        rounds = [[1 / timed(partial(_best, decoder), sentences)[0] for decoder in decoders] for _ in range(3)]
        without, speed = map(max, zip(*rounds, strict=True))
        print(f"| {profile} | {without:.0f} | {speed:.0f} | {speed / without:.2f} |", flush=True)


def _best(decoder: Decoder, words: Words) -> Words:
    return decoder.search(words).best.words


def compare(folder: Path, count: int, pairs: list[Pair], weights: Weights) -> None:
    """Both systems trained on the same lines."""
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        peer = _peer(folder, count)
    except ImportError:
        print("no peer: pip install sil-thot sil-machine")
        return
    models = trained(folder, count)
    sentences = [source for source, _ in pairs]
    seconds, found = timed(peer, sentences)
    print(f"\n| trained on {count:,} lines | sentences/s | times sil-thot | BLEU |\n|---|---:|---:|---:|")
    print(f"| sil-thot | {1 / seconds:.1f} | 1 | {bleu_of(found, pairs):.2f} |")
    for profile in PROFILES:
        ours, found = timed(partial(_best, Decoder(models, weights, profile)), sentences)
        print(f"| {profile} | {1 / ours:.0f} | {seconds / ours:.1f} | {bleu_of(found, pairs):.2f} |")


def _peer(folder: Path, count: int) -> Callable[[Words], Sequence[str]]:
    """sil-thot's decoder, as a function, with models of the first `count` lines; those of the run before, if any."""
    from machine.translation.thot.thot_utils import to_sentence, to_target_tokens

    pairs = (pair for pair in read(folder, "train", count) if max(map(len, pair)) <= LONGEST)
    lines = ((" ".join(source), " ".join(target)) for source, target in pairs)
    model = trained_thot(OUT / f"thot-{folder.name}-{count}", lines)
    decoder = model._get_decoder()  # its `translate` adds alignments and confidences

    def translate(words: Words) -> Sequence[str]:
        assert model  # the decoder crashes when it is gone
        return list(to_target_tokens(decoder.translate(to_sentence(words)).target))

    return translate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, default=CORPORA)
    parser.add_argument("--corpus", default="pydocs-en-es")
    parser.add_argument("--train", type=int, default=30_000, help="lines to train on (default 30000)")
    parser.add_argument("--test", type=int, default=1000, help="test lines to translate (default 1000)")
    parser.add_argument("--preset", default="moses")
    parser.add_argument("--presets", action="store_true", help="only compare the presets moses and classes")
    parser.add_argument("--peer", type=int, default=0, help="lines to train sil-thot on, 0 for no peer (default)")
    parser.add_argument("--peer-test", type=int, default=500, help="test lines for the peer (default 500)")
    arguments = parser.parse_args()
    folder = arguments.corpora / arguments.corpus
    if not folder.is_dir():
        print(f"no corpus at {folder}; name the directory of the corpora with --corpora")
        return
    weights = Weights(arguments.preset)
    models, pairs = trained(folder, arguments.train), read(folder, "test", arguments.test)
    words = sum(len(source) for source, _ in pairs) / len(pairs)
    print(f"{folder.name}: {arguments.train:,} training lines, {len(pairs):,} test lines of {words:.1f} words")
    warm()
    if arguments.presets:
        presets(models, pairs)
        return
    curve(models, weights, pairs, folder.name)
    costs(models, weights, pairs[:200])
    if arguments.peer:
        compare(folder, arguments.peer, pairs[: arguments.peer_test], weights)


if __name__ == "__main__":
    main()
