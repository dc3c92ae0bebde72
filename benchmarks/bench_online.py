"""Does learning online pay off? A trained system that stays as it is, one that learns, one that starts from nothing.

    python benchmarks/bench_online.py pydocs                  # manuals, in domain: [O] Table 4
    python benchmarks/bench_online.py shift                   # Europarl models, manuals to translate: [O] Table 7
    python benchmarks/bench_online.py europarl                # little repetition: [O] Table 6
    python benchmarks/bench_online.py --shares --segments 600 # corrections weighted against the base, or summed with it
    python benchmarks/bench_online.py pydocs --repeats        # where gains come from: by likeness to segments before
    python benchmarks/bench_online.py pydocs --halves         # and from how far back
    python benchmarks/bench_online.py pydocs --preset thot    # with the seven features of [O]
    python benchmarks/bench_online.py desktop --peer          # 10,000 pairs, 500 segments; and sil-thot in the same run

Tokens lower-cased, post-editing as in [O] §4.2: translate, compare with the reference, learn it; the translation memory
is off. BLEU as sacrebleu computes it with tokenize none. Trained bases stay in benchmarks/out for the next run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from dragoman import kernels
from dragoman.engine import Engine
from dragoman.interactive.post_editing import post_edit
from dragoman.measure import Bleu, Wer, interval
from dragoman.models.language import Share
from dragoman.models.language_kernels import TYPES, WORDS
from dragoman.models.loglinear import DEFAULT, PRESETS
from dragoman.text.text_files import lines
from dragoman.text.tokens import split

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.thot_peer import trained_thot

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
OUT = Path(__file__).parent / "out"
LONGEST = 80  # words of a training sentence

SHARES: tuple[Share, ...] = (0.3, 0.5, 0.7, "auto")  # of n-grams
LIKENESS = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)  # bounds of the classes of `--repeats`

Pair = tuple[str, str]


class Setting(NamedTuple):
    """What is trained on, and what is translated."""

    train: str
    pairs: int
    test: str
    segments: int


SETTINGS = {
    "pydocs": Setting("pydocs-en-es", 60_000, "pydocs-en-es", 2_000),
    "shift": Setting("europarl-en-es", 60_000, "pydocs-en-es", 2_000),
    "europarl": Setting("europarl-en-es", 60_000, "europarl-en-es", 2_000),
    "desktop": Setting("desktop-en-es", 10_000, "desktop-en-es", 500),
    "menus": Setting("europarl-en-es", 60_000, "desktop-en-es", 1_000),
    "medical": Setting("europarl-en-es", 60_000, "tico19-en-es", 1_000),
    "news": Setting("europarl-en-es", 60_000, "newstest-en-es", 1_000),
}


def read(name: str, part: str, count: int) -> list[Pair]:
    """The first pairs of a corpus, as lower-cased tokens with spaces between; those with an empty side are left out."""
    texts = (lines(CORPORA / name / f"{part}.{side}.gz") for side in name.split("-")[-2:])
    both = ([" ".join(split(text.lower()).words) for text in pair] for pair in islice(zip(*texts, strict=True), count))
    return [(f, e) for f, e in both if f and e]


def trained(name: str, count: int) -> Path:
    """The project whose base was trained on the first pairs of a corpus."""
    path = OUT / f"project-{name}-{count}"
    if not path.is_dir():
        print(f"training on {count:,} lines of {name} …", flush=True)
        with Engine.create(path, source="en", target="es", tokens="words") as engine:
            engine.train(fitting(name, count), progress=True)
    return path


def fitting(name: str, count: int) -> list[Pair]:
    """The first training pairs of a corpus, without those that are too long."""
    return [pair for pair in read(name, "train", count) if max(len(side.split()) for side in pair) <= LONGEST]


def report(name: str, hypotheses: list[str], references: list[str], seconds: list[float]) -> None:
    """One line of the table."""
    measures = Bleu(tokenize="none"), Wer()
    figures = [str(interval(each, each.statistics(hypotheses, references))) for each in measures]
    learning = f"{1e3 * float(np.median(seconds)):.1f}" if any(seconds) else ""
    print(f"| {name} | {' | '.join(figures)} | {learning} |", flush=True)


def ours(base: Path, pairs: list[Pair], preset: str) -> None:
    """The three systems."""
    for name, over, learn in (("conventional", base, False), ("online", base, True), ("from scratch", None, True)):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "project"
            with Engine.create(path, source="en", target="es", tokens="words", base=over, preset=preset) as engine:
                work(name, engine, pairs, learn=learn)


def work(name: str, engine: Engine, pairs: list[Pair], *, learn: bool) -> None:
    """Post-edit a text, and print its line."""
    outcomes = list(post_edit(engine, pairs, learn=learn))
    texts = [each.translation for each in outcomes], [each.reference for each in outcomes]
    report(name, *texts, [each.learning for each in outcomes if learn])


def halved(setting: Setting, base: Path, pairs: list[Pair]) -> None:
    """The second half of a text: what having learned the first one is worth, and what learning in it."""
    first, second = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]
    known = fitting(setting.train, setting.pairs) + first
    for name, before, learn in (
        ("has learned nothing", [], False),
        ("has learned the first half", first, False),
        ("and goes on learning", first, True),
        ("learns in the second half only", [], True),
    ):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "project"
            with Engine.create(path, source="en", target="es", tokens="words", base=base) as engine:
                for pair in before:
                    engine.learn(*pair)
                work(name, engine, second, learn=learn)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "project"
        with Engine.create(path, source="en", target="es", tokens="words") as engine:
            engine.train(known, progress=True)
            work("trained anew with the first half", engine, second, learn=False)


def shared(base: Path, pairs: list[Pair]) -> None:
    """Online, the corrections weighted against the base by a share, that of the translation models or of all."""
    tried: dict[str, tuple[float | None, Share]] = {"summed": (None, None)}
    tried |= {f"share {share}": (share, None) for share in (0.3, 0.5, 0.7)}
    tried |= {f"share 0.5, of n-grams {share}": (0.5, share) for share in SHARES}
    new, words = 0, 1
    for name, shares in tried.items():
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "project"
            with Engine.create(path, source="en", target="es", tokens="words", base=base) as engine:
                engine.share, engine.language_share = shares
                outcomes = list(post_edit(engine, pairs))
                with engine.opened.reading() as state:
                    language = state.knowledge.models.language
                    new, words = language.scalars[WORDS], language.own_scalars[TYPES]
        report(name, [each.translation for each in outcomes], [each.reference for each in outcomes], [])
    print(f"\n{100 * new / words:.0f} % of the different words of the references were unknown to the base")


def repeated(base: Path, pairs: list[Pair]) -> None:
    """WER of both systems, by how like a source is to the likest one before it, and of what that one's reference was.

    The latter is what a memory would offer; where sources are the same, it is how far the references are apart.
    """
    translations = []
    for learn in (False, True):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "project"
            with Engine.create(path, source="en", target="es", tokens="words", base=base) as engine:
                translations.append([each.translation.split() for each in post_edit(engine, pairs, learn=learn)])
    sources, references = ([side.split() for side in sides] for sides in zip(*pairs, strict=True))
    counts = np.zeros((len(LIKENESS), 5), np.int64)  # segments, words, errors of both systems and of the likest
    for n, reference in enumerate(references):
        likeness, likest = max(
            ((Levenshtein.normalized_similarity(sources[n], source), m) for m, source in enumerate(sources[:n])),
            default=(0.0, 0),
        )
        offered = [*(each[n] for each in translations), references[likest] if n else []]
        errors = [Levenshtein.distance(each, reference) for each in offered]
        counts[np.searchsorted(LIKENESS, likeness, side="right") - 1] += [1, len(reference), *errors]
    print("| likeness of the likest source before | segments | words | conventional | online | its reference |")
    print("|---|---:|---:|---:|---:|---:|")
    for least, (segments, words, *errors) in zip(LIKENESS, counts.tolist(), strict=True):
        rates = " | ".join(f"{100 * each / max(words, 1):.1f}" for each in errors)
        print(
            f"| {f'{least:.0%} and more' if least < 1 else 'the same'} | {segments} | {words:,} | {rates} |", flush=True
        )


class Peer(NamedTuple):
    """A system of sil-thot."""

    translate: Callable[[str], str]
    learn: Callable[[str, str], Any]


def from_scratch() -> Peer:
    """sil-thot's incremental system, empty."""
    from thot.alignment import AlignmentModelType
    from thot.translation import SmtDecoder, SmtModel

    model = SmtModel(AlignmentModelType.INCR_HMM)
    decoder = SmtDecoder(model)

    def translate(source: str) -> str:
        assert model  # the decoder crashes when it is gone
        return " ".join(decoder.translate(source).target)

    return Peer(translate, decoder.train_sentence_pair)


def trained_peer(name: str, count: int) -> Peer:
    """sil-thot with models of the first lines of a corpus; those of the run before, if any."""
    model = trained_thot(OUT / f"thot-{name}-{count}", read(name, "train", count))
    return Peer(
        lambda source: " ".join(model.translate(source.split()).target_tokens),
        lambda source, target: model.train_segment(source.split(), target.split()),
    )


def peers(setting: Setting, pairs: list[Pair]) -> None:
    """sil-thot in the three ways."""

    def run(name: str, peer: Peer, learn: bool) -> None:
        hypotheses, seconds = [], []
        for source, target in pairs:
            hypotheses.append(peer.translate(source))
            began = time.perf_counter()
            if learn:
                peer.learn(source, target)
                seconds.append(time.perf_counter() - began)
        report(f"sil-thot, {name}", hypotheses, [target for _, target in pairs], seconds)

    for name, learn in (("conventional", False), ("online", True)):
        run(name, trained_peer(setting.train, setting.pairs), learn)
    run("from scratch", from_scratch(), True)


def chosen(names: list[str]) -> Iterator[tuple[str, Setting]]:
    """The settings asked for, all of them if none was."""
    yield from ((name, SETTINGS[name]) for name in names or SETTINGS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="*", choices=[*SETTINGS, []], help="which settings (default all)")
    parser.add_argument("--segments", type=int, default=0, help="so many test segments instead")
    parser.add_argument("--shares", action="store_true", help="try shares of the corrections instead")
    parser.add_argument("--repeats", action="store_true", help="errors by likeness to earlier segments instead")
    parser.add_argument("--halves", action="store_true", help="what the first half is worth for the second instead")
    parser.add_argument("--preset", choices=[*PRESETS], default=DEFAULT, help=f"features (default {DEFAULT})")
    parser.add_argument("--peer", action="store_true", help="run sil-thot too")
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    if not CORPORA.is_dir():
        print(f"no corpora at {CORPORA}")
        return
    kernels.warm()
    for name, setting in chosen(arguments.settings):
        pairs = read(setting.test, "test", arguments.segments or setting.segments)
        base = trained(setting.train, setting.pairs)
        print(f"\n{name}: {setting.train}, {setting.pairs:,} pairs → {setting.test}, {len(pairs):,} segments\n")
        if arguments.repeats:
            repeated(base, pairs)
            continue
        print("| | BLEU | WER | learning, ms, median |\n|---|---:|---:|---:|", flush=True)
        if arguments.shares:
            shared(base, pairs)
        elif arguments.halves:
            halved(setting, base, pairs)
        else:
            ours(base, pairs, arguments.preset)
        if arguments.peer:
            peers(setting, pairs)


if __name__ == "__main__":
    main()
