"""A language model as the other engine: what it gains from corrections in its prompt, and dragoman over it.

    python benchmarks/bench_language_model.py "openai:http://127.0.0.1:8000/v1#model" desktop --segments 200

Runs against any server of OpenAI's chat interface, with 0, 1 and 6 of the nearest corrections in the prompt. Every
segment is scored before its reference is learned, from nothing; what the model said is kept by no other run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from itertools import islice
from pathlib import Path

from dragoman.engine import Engine
from dragoman.measure import bleu
from dragoman.progress import bars
from dragoman.text.text_files import lines

SHARED = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora")).parent


def measure(name: str, pairs: list[tuple[str, str]], languages: tuple[str, str]) -> tuple[list[str], list[str]]:
    """What the model said, and what dragoman made of it, for each pair; references are learned as they come."""
    answers, fused = list[str](), list[str]()
    with tempfile.TemporaryDirectory() as folder, bars() as progress:
        source_code, target_code = languages
        with Engine.create(f"{folder}/p", source=source_code, target=target_code, upstream=name) as engine:
            for done, (source, reference) in enumerate(pairs, start=1):
                asked = engine.ask_ahead([source])
                if asked.silent:
                    print(f"segment {done}: {asked}", file=sys.stderr)
                found = engine.translate(source, memory=False)
                answers.append(found.upstream or "")
                fused.append(found.text)
                engine.learn(source, reference, force=True)
                progress("translating", done, len(pairs))
    return answers, fused


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", nargs="?", help="openai:http://…/v1#model")
    parser.add_argument("texts", nargs="*", default=["desktop"], help="such as desktop, pydocs, tico19")
    parser.add_argument("--segments", type=int, default=200)
    parser.add_argument("--part", default="test")
    parser.add_argument("--corrections", type=int, nargs="+", default=[0, 1, 6])
    given = parser.parse_args()
    if given.engine is None:
        print("no language model to ask; name one, such as openai:http://127.0.0.1:8000/v1#model")
        return
    print("| text | corrections in the prompt | model | with dragoman |\n|---|---|---|---|", flush=True)
    for text in given.texts:
        corpus = SHARED / "corpora" / f"{text}-en-es"
        sides = (islice(lines(corpus / f"{given.part}.{code}.gz"), given.segments) for code in ("en", "es"))
        pairs = [(one, other) for one, other in zip(*sides, strict=False) if one.strip() and other.strip()]
        for number in given.corrections:
            name = f"{given.engine}{'&' if '#' in given.engine else '#'}corrections={number}"
            references = [reference for _, reference in pairs]
            scores = [bleu(said, references) for said in measure(name, pairs, ("en", "es"))]
            print(f"| {text} | {number} | {scores[0]:.1f} | {scores[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
