"""Hostile input: how much memory and time one request can take.

python benchmarks/bench_hostile.py --section engine
python benchmarks/bench_hostile.py --section server --seconds 30

In the section engine, each attack runs in a process of its own with a limited address space. For each, the peak of
memory beyond that of the open project and the time are printed; "refused" means that the input was rejected with an
error that says why. The section server is described in `hostile_server.py`.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks import hostile_server

from dragoman import sample
from dragoman.engine import Engine
from dragoman.errors import BadInputError

LIMIT = 8 << 30  # bytes of address space
PROSE = " ".join(source for source, _ in sample.pairs())
Attack = Callable[[Engine], object]


def punctuation(characters: int) -> str:
    """Random punctuation marks, each of which is a token."""
    return "".join(random.Random(1).choices(".,;:!?()[]{}<>", k=characters))


def prose(characters: int) -> str:
    """Ordinary text."""
    return (PROSE * (characters // len(PROSE) + 1))[:characters]


# ── The engine ───────────────────────────────────────────────────────────────────────────────────────────────────────


def typed(text: str, *prefixes: str) -> Attack:
    """A session for a text, in which some prefixes are typed one after another."""

    def attack(engine: Engine) -> object:
        session = engine.interact(text, memory=False)
        return [session.suggest(prefix).words for prefix in prefixes]

    return attack


def translated(text: str, n: int = 1) -> Attack:
    """A translation, with everything that can be asked about it."""

    def attack(engine: Engine) -> object:
        found = engine.translate_text(text, n=n)
        return engine.confidences(found), engine.provenance(found)

    return attack


def with_term(engine: Engine) -> object:
    """A text full of a term whose translation is very long."""
    engine.set_term(".", "punto " * 3_333)
    return engine.translate(punctuation(8_000))


def with_long_term(engine: Engine) -> object:
    """The same with the longest translation allowed."""
    engine.set_term(".", "punto " * 500)
    return engine.translate(punctuation(1_800))


def with_terms(terms: dict[str, str]) -> Attack:
    """A text of one word, with which all terms begin."""

    def attack(engine: Engine) -> object:
        engine.glossary = terms
        begin = time.perf_counter()
        engine.translate("the " * 2_000)
        print(f"translating {time.perf_counter() - begin:.1f} s", end="; ")
        begin = time.perf_counter()
        engine.set_term("lid", "tapa")
        return print(f"one term more {1000 * (time.perf_counter() - begin):.0f} ms", end="; ")

    return attack


def similar(engine: Engine) -> object:
    """A long text, after many corrections of long texts."""
    chance = random.Random(1)
    texts = [" ".join("".join(chance.choices("abcdefgh", k=48)) for _ in range(404)) for _ in range(200)]
    for number, text in enumerate(texts, start=1):
        engine.opened.state.memory.add(number, text, "…")
    begin = time.perf_counter()
    engine.matches(texts[0])
    return print(f"matching {1000 * (time.perf_counter() - begin):.0f} ms", end="; ")


def repeated(engine: Engine) -> object:
    """A correction as long as can be learned, whose text is translated again."""
    source, target = (" ".join(f"{side}{n}" for n in range(500)) for side in "st")
    engine.learn(source, target, force=True)
    begin = time.perf_counter()
    engine.translate(source)
    return print(f"translating {1000 * (time.perf_counter() - begin):.0f} ms", end="; ")


ENGINE: dict[str, Attack] = {
    "session, 4,900 marks, prefixes of 50 and 120": typed(punctuation(4_900), punctuation(50), punctuation(120)),
    "session, 8,000 marks, prefixes of 50 and 120": typed(punctuation(8_000), punctuation(50), punctuation(120)),
    "session, prose of 20,000 characters": typed(prose(20_000), "", "El"),
    "session, prose of 800 characters, prefix of 4,000": typed(prose(800), prose(4_000)),
    "translation, 20,000 marks": translated(punctuation(20_000)),
    "translation, prose of 20,000 characters": translated(prose(20_000)),
    "translation, prose of 20,000 characters, n = 100": translated(prose(20_000), 100),
    "translation, prose of 5,000 characters, n = 100": translated(prose(5_000), 100),
    "glossary term of 20,000 characters": with_term,
    "glossary term of 3,000 characters": with_long_term,
    "glossary, 50,000 terms that share a word": with_terms({f"the w{n}": "x" for n in range(50_000)}),
    "glossary, 5,000 terms the … the wN": with_terms(
        {" ".join([*["the"] * (1 + n % 29), f"w{n}"]): "x" for n in range(5_000)}
    ),
    "translation of a correction of 500 words": repeated,
    "similar texts, 200 of 19,800 characters": similar,
}

SECTIONS = {"engine": ENGINE}


def run(section: str, name: str, project: Path) -> None:
    """Carry out one attack in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    with Engine.open(project) as engine:
        engine.confidences(engine.translate("Press the green button.", n=5))
        before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
        try:
            SECTIONS[section][name](engine)
        except BadInputError as error:
            print("refused:", error.what, end="; ")
        except MemoryError:
            print("MemoryError", end="; ")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"{peak >> 10:,} MB, {time.perf_counter() - begin:.2f} s", flush=True)


def main() -> None:
    """Carry out all attacks of a section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--section", choices=[*SECTIONS, "server"], default="engine")
    parser.add_argument("--seconds", type=float, default=30.0, help="of the section server")
    parser.add_argument("--only", default="", help="attacks with this in their name")
    parser.add_argument("--attack", help=argparse.SUPPRESS)
    parser.add_argument("--project", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.attack:
        run(given.section, given.attack, given.project)
        return
    if given.section == "server":
        hostile_server.run(given.seconds, given.only)
        return
    with tempfile.TemporaryDirectory() as directory:
        for name in SECTIONS[given.section]:
            if given.only in name:
                project = Path(directory) / str(len(list(Path(directory).iterdir())))
                with Engine.create(project, source="en", target="es") as engine:
                    engine.train(sample.pairs()[:500])
                    for pair in sample.pairs()[500:520]:
                        engine.learn(*pair, force=True)
                print(f"{name}: ", end="", flush=True)
                command = sys.executable, __file__, "--section", given.section, "--attack", name
                subprocess.run([*command, "--project", project], check=False)


if __name__ == "__main__":
    main()
