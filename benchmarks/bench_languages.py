"""Other languages, from nothing: a person translates the messages of a program by typing, and everything is learned.

    pip download --no-deps django==5.2                         # public, BSD licence; nothing of it is in the repository
    python benchmarks/bench_languages.py Django-5.2-py3-none-any.whl
    python benchmarks/bench_languages.py Django-5.2-py3-none-any.whl ja th --segments 200

The catalogues of Django's packages are translations by people into many languages: labels, messages, a few sentences.
Each segment is first suggested as a whole (BLEU, chrF), then typed with completions
(KSMR: keys and mouse actions per character of the reference; 100 is typing all of it), then learned. BLEU counts
characters for Chinese, Japanese and Thai, which are written without spaces.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import zipfile
from pathlib import Path

from dragoman.engine import Engine
from dragoman.formats import read_document
from dragoman.interactive.simulation import Simulation
from dragoman.measure import Bleu, Chrf

LANGUAGES = {"zh_Hans": "zh", "ja": "ja", "th": "th", "ar": "ar", "fi": "fi", "tr": "tr", "ru": "ru"}
BY_CHARACTER = {"zh", "ja", "th"}
CATALOGUE = "LC_MESSAGES/django.po"


def read(wheel: Path, locale: str, count: int) -> list[tuple[str, str]]:
    """Messages and their translations, each message once, in the order of the files."""
    pairs: dict[str, str] = {}
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(f"/locale/{locale}/{CATALOGUE}"))
        for name in names:
            document = read_document(archive.read(name), "django.po", source="en", target=LANGUAGES.get(locale, locale))
            for segment in document.segments:
                if segment.target and segment.target.strip() and segment.source.strip():
                    pairs.setdefault(segment.source, segment.target)
    return list(pairs.items())[:count]


def measure(pairs: list[tuple[str, str]], language: str) -> tuple[Simulation, float]:
    """The simulated person, and the seconds of CPU time that all took."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Engine.create(Path(folder) / "p", source="en", target=language) as engine,
    ):
        began = time.thread_time()
        return engine.simulate(pairs, mode="interactive"), time.thread_time() - began


def row(locale: str, pairs: list[tuple[str, str]]) -> str:
    """A row of the table: all segments, and the second half of them."""
    language = LANGUAGES.get(locale, locale)
    done, seconds = measure(pairs, language)
    cells = []
    for outcomes in (done.outcomes, done.outcomes[len(pairs) // 2 :]):
        part = Simulation("interactive", outcomes)
        texts = [each.translation for each in outcomes], [each.reference for each in outcomes]
        bleu = Bleu("char" if language in BY_CHARACTER else "13a")(*texts)
        cells.append(f"{bleu:.1f} | {Chrf()(*texts):.1f} | {part.summary['KSMR']:.1f}")
    keys = f"{done.summary['key, ms, median']} / {done.summary['key, ms, 99 %']}"
    return f"| {locale} | {len(pairs)} | {' | '.join(cells)} | {keys} | {seconds:.0f} |"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, nargs="?", help="Django's wheel")
    parser.add_argument("locales", nargs="*", help=f"of those in it; {', '.join(LANGUAGES)} if none is given")
    parser.add_argument("--segments", type=int, default=1_000)
    given = parser.parse_args()
    if given.wheel is None:
        print("no catalogues to read; download Django's wheel and name it")
        return
    second = "second half: BLEU | chrF | KSMR"
    print(f"| language | segments | BLEU | chrF | KSMR | {second} | key, ms: median / 99 % | CPU s |\n|" + 10 * "---|")
    for locale in given.locales or LANGUAGES:
        print(row(locale, read(given.wheel, locale, given.segments)), flush=True)


if __name__ == "__main__":
    main()
