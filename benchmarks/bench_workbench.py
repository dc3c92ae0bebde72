"""The workbench in a real browser: from a key to the painted completion, while somebody types the rest of the sample.

python benchmarks/bench_workbench.py --segments 25 --write

The base is trained on a corpus, if that is there, and on the part of the sample that is not typed. The browser measures
by its own clock, from the time of the key event to the frame after the answer to that very key was drawn; keys whose
answer nobody sees, because the next one came before it, are not counted.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path

import httpx
from playwright.sync_api import Page, sync_playwright

from dragoman import sample
from dragoman.editor.document_store import DocumentStore
from dragoman.editor.sample_project import KNOWN
from dragoman.engine import Engine

CORPORA = Path(os.environ.get("DRAGOMAN_CORPORA", Path(__file__).parents[2] / "shared" / "corpora"))
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "interactive.md"
BEGIN, END = "<!-- figures of bench_workbench.py -->\n", "<!-- end -->\n"
CHROMIUM = os.environ.get("DRAGOMAN_CHROMIUM") or shutil.which("chromium")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
ENTRIES = "name => performance.getEntriesByName(name).map((entry) => entry.duration)"
Pairs = list[tuple[str, str]]


def corpus(name: str, count: int) -> Pairs:
    """The first pairs of a corpus, if it is there."""
    directory = CORPORA / name
    if not directory.is_dir():
        print(f"{directory} is not there: the base has the sample only")
        return []
    with gzip.open(directory / "train.en.gz", "rt") as one, gzip.open(directory / "train.es.gz", "rt") as other:
        pairs = ((source.strip(), target.strip()) for source, target in zip(one, other, strict=True))
        return list(islice(((s, t) for s, t in pairs if s and t and s != t and len(s.split()) <= 60), count))


def make(folder: Path, base: Pairs, typed: Pairs) -> None:
    """A project over a trained base, and a document to be typed."""
    with Engine.create(folder / "manual", source="en", target="es") as engine:
        engine.train(base)
    with closing(DocumentStore(folder / "manual" / "documents.db")) as documents:
        documents.add("rest.txt", [(str(n), source, "", "new") for n, (source, _) in enumerate(typed, start=1)])


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "dragoman", "serve", str(folder), "--port", address.rpartition(":")[2]]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            while True:
                with suppress(httpx.TransportError):
                    if httpx.get(f"{address}/ready", trust_env=False).status_code == 200:
                        break
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()


def work(page: Page, typed: Pairs, interval: float) -> int:
    """Type segment after segment until the completion is right, and confirm; how many keys that took."""
    keys = 0
    for number, (_, target) in enumerate(typed, start=1):
        page.get_by_role("heading", name=f"Segment {number}", exact=True).wait_for()
        page.wait_for_function("() => document.querySelector('.workspace').dataset.busy === 'no'")
        for character in target:
            if page.evaluate("document.querySelector('.cm-line').innerText.trim()") == target:
                break
            page.keyboard.insert_text(character) if ord(character) > 127 else page.keyboard.type(character)
            keys += 1
            time.sleep(interval)
        page.wait_for_function("() => document.querySelector('.workspace').dataset.busy === 'no'")
        page.keyboard.press("Control+End")
        page.keyboard.press("Control+Shift+Enter")
        keys += 2
    page.wait_for_function("count => document.querySelector('.progress progress').value >= count", arg=len(typed))
    return keys


def quantile(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def main() -> None:
    """Make a project, serve it, type in a browser, and tell how long keys took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, default=25)
    parser.add_argument("--interval", type=float, default=0.12, help="seconds between two keys")
    parser.add_argument("--corpus", default="pydocs-en-es")
    parser.add_argument("--pairs", type=int, default=5000, help="so many pairs of it are in the base")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/evidence/interactive.md")
    options = parser.parse_args()
    if CHROMIUM is None:
        print("there is no Chromium on this machine, and nothing is measured")
        return
    pairs = sample.pairs()
    base, typed = corpus(options.corpus, options.pairs) + pairs[:KNOWN], pairs[KNOWN : KNOWN + options.segments]
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as drivers:
        make(Path(directory), base, typed)
        with serving(Path(directory)) as address:
            browser = drivers.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            page = browser.new_page()
            page.goto(f"{address}/#/manual/1")
            keys = work(page, typed, options.interval)
            times = page.evaluate(ENTRIES, "key to ghost")
            browser.close()
    characters = sum(len(target) for _, target in typed)
    effort = f"{len(base):,} pairs | {len(typed)} | {keys:,} for {characters:,} characters"
    figures = " | ".join(f"{quantile(times, share):.0f} ms" for share in (0.5, 0.95, 0.99, 1.0))
    table = (
        "| base | segments | keys | key → ghost: median | p95 | p99 | worst |\n|---|---|---|---|---|---|---|\n"
        f"| {effort} | {figures} |\n"
    )
    print(table)
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
