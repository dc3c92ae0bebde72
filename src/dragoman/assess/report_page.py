"""The report as files: `report.json`, and one HTML page that needs nothing else, to be sent around and printed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from dragoman.assess.charts import bar, legend, line_chart
from dragoman.assess.examples import side_by_side
from dragoman.assess.page_parts import figures, page, paragraph, plus_minus, signed, table
from dragoman.assess.system_names import OURS, SIMILAR
from dragoman.assess.systems import EDITING, TYPING, WORDS
from dragoman.assess.verdict import LITTLE, NO, WORTH
from dragoman.files import storage_errors, write_durably

LOOKS = {WORTH: "yes", LITTLE: "yes", NO: "no"}
COLUMNS = {
    WORDS: "words to correct ↓",
    EDITING: "strokes, editing ↓",
    TYPING: "strokes, completing ↓",
    "BLEU": "BLEU ↑",
    "chrF": "chrF ↑",
    "TER": "TER ↓",
    "R0": "new words, R0 ↑",
    "R1": "seen once, R1 ↑",
    "R0+1": "R0+1 ↑",
}
NOTE = (
    "Percent, with 95 % intervals by bootstrap over segments. Words to correct and strokes are for each hundred words "
    "and characters of the final translation. Editing is correcting in an ordinary editor; completing is typing while "
    "dragoman completes, by a simulated user."
)
HINDSIGHT = (
    " From which similarity on a match comes before the engine was chosen in hindsight, to the advantage of that way "
    "of working."
)


def write_report(found: dict[str, Any], directory: Path) -> Path:
    """Write the report of an assessment; the path of its page."""
    path = directory / "report.html"
    with storage_errors(directory):
        write_durably(directory / "report.json", json.dumps(found, indent=1, ensure_ascii=False).encode())
        write_durably(path, render(found).encode())
    return path


def render(found: dict[str, Any]) -> str:
    """The page of a report."""
    return page(f"Will dragoman pay off? {_name(found)}", _body(found))


def _name(found: dict[str, Any]) -> str:
    return f"{found.get('name', 'past translations')}, {found['text']['source']} to {found['text']['target']}"


def _body(found: dict[str, Any]) -> Iterator[str]:
    yield f"<h1>Will dragoman pay off?</h1>{paragraph(_name(found), quiet=True)}"
    several = len(found["parts"]) > 1
    if several:
        yield _overview(found["parts"], found["best engine"])
    for part in found["parts"]:
        yield from _part(part, found["options"]["words a day"], several=several)
    yield f"<h2>The text</h2>{paragraph(' '.join(_about(found['text'])))}"
    yield _times(found)
    yield f"<h2>How this was made</h2><pre>{escape(found.get('command', ''))}</pre>"
    yield paragraph(
        f"dragoman {found['version']}, text {found['text']['digest']}. Each segment was translated and scored before "
        "it was learned. The same command gives the same report, but for the times.",
        quiet=True,
    )


def _overview(parts: list[dict[str, Any]], best: str) -> str:
    """The engines beside each other."""
    rows = []
    for part in parts:
        verdict, systems = part["verdict"], part["systems"]
        scores = [plus_minus(systems[verdict[each]][WORDS]) for each in ("rival", "system")]
        rows.append([escape(part["engine"]), escape(verdict["kind"]), signed(verdict["saved"]["words"]), *scores])
    header = ["engine", "verdict", "words saved a day", "words to correct, best without dragoman", "with dragoman"]
    ours = [number for number, part in enumerate(parts) if part["engine"] == best]
    return f"{table(header, rows, ours)}{paragraph(f'Over {best}, dragoman leaves the least to correct.')}"


# ── One engine ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _part(part: dict[str, Any], words_a_day: int, *, several: bool) -> Iterator[str]:
    verdict = part["verdict"]
    if several:
        yield f"<h2>{escape(part['engine'])}</h2>"
    look = LOOKS.get(verdict["kind"], "")
    yield f'<div class="verdict {look}">{paragraph(verdict["sentence"])}{paragraph(verdict["reason"])}</div>'
    yield figures(_figures(part, words_a_day))
    yield _systems(part["systems"])
    yield _changes(part.get("changes"))
    yield _curve(part["curve"])
    yield _documents(part)
    yield _kinds(part)
    yield side_by_side(part["sources of gains"], verdict["rival"], verdict["system"])


def _figures(part: dict[str, Any], words_a_day: int) -> Iterator[tuple[str, str]]:
    verdict = part["verdict"]
    words = plus_minus(verdict["words"], sign=True)
    yield words, f"words saved in a hundred, compared with {verdict['rival']}"
    yield signed(verdict["saved"]["words"]), f"words a day that need no correction, of {words_a_day:,} translated"
    yield signed(verdict["saved"]["strokes"]), "key strokes and clicks saved a day"


def _systems(systems: dict[str, Any]) -> str:
    columns = [name for name in COLUMNS if any(name in scores for scores in systems.values())]
    rows = [[name, *(plus_minus(scores.get(each)) for each in columns)] for name, scores in systems.items()]
    ours = [number for number, name in enumerate(systems) if name in OURS]
    note = NOTE + (HINDSIGHT if SIMILAR in systems else "")
    header = ["starting from", *(COLUMNS[each] for each in columns)]
    return f"<h2>Ways to work</h2>{table(header, rows, ours)}{paragraph(note, quiet=True)}"


def _changes(changes: dict[str, Any] | None) -> str:
    if not changes:
        return ""
    rows = [
        [
            escape(name),
            *(f"{each[kind]:,}" for kind in ("changed", "better", "worse")),
            f"{each['better, percent']['low']:.0f}–{each['better, percent']['high']:.0f} %",
            plus_minus(each["saved"], 2, sign=True),
        ]
        for name, each in changes.items()
    ]
    shown = table(["segments", "changed", "better", "worse", "better of both", "edits saved each"], rows)
    note = "Segments whose text is not the engine's; better are those with fewer words to correct. 95 % intervals."
    return f"<h2>Changes of the engine's words</h2>{shown}{paragraph(note, quiet=True)}"


def _curve(curve: dict[str, Any]) -> str:
    places = [f"{number:,}" for number in curve["segments"]]
    chart = line_chart(curve["systems"], places, "words to correct in a hundred, over the segments")
    caption = "Words to correct in a hundred, in equal stretches of the text, up to the segment below."
    return (
        f"<h2>As the work goes on</h2><figure>{legend(list(curve['systems']))}{chart}"
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _documents(part: dict[str, Any]) -> str:
    documents = part["documents"]
    if len(documents) < 2:
        return ""
    rival, system = part["verdict"]["rival"], part["verdict"]["system"]
    gains = [each["systems"][rival] - each["systems"][system] for each in documents]
    most = max(map(abs, gains))
    rows = [
        [
            escape(each["name"]).replace("/", "/<wbr>"),
            signed(gain, 1) + bar(max(gain, 0), max(-gain, 0), most),
            f"{each['systems'][rival]:.1f}",
            f"{each['systems'][system]:.1f}",
            f"{each['segments']:,}",
        ]
        for each, gain in zip(documents, gains, strict=True)
    ]
    shown = table(["document", "words saved", rival, system, "segments"], rows)
    return f"<h2>By document</h2>{shown}{paragraph('Words to correct in a hundred.', quiet=True)}"


def _kinds(part: dict[str, Any]) -> str:
    gains, verdict = part["sources of gains"], part["verdict"]
    most = max(max(each.values()) for each in gains["kinds"].values())
    rows = [
        [kind, f"{each['gained']:,}", f"{each['lost']:,}", bar(each["gained"], each["lost"], most)]
        for kind, each in gains["kinds"].items()
    ]
    changed = gains["changed"]
    note = (
        f"Right words that {verdict['system']} has and {verdict['rival']} lacks, and the other way round. "
        f"{changed['better']:,} segments became better, {changed['worse']:,} worse; {changed['as good']:,} are "
        "different and as good. Terms are words that are not among the hundred commonest of the text, markup is tags, "
        "placeholders and code, and style is everything else."
    )
    shown = table(["right words", "gained", "lost", ""], rows)
    return f"<h2>Where gains come from</h2>{shown}{paragraph(note, quiet=True)}"


# ── The rest ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _about(text: dict[str, Any]) -> Iterator[str]:
    documents = f"{text['documents']:,} document{'s' if text['documents'] != 1 else ''}"
    order = f"{'by' if 'date' in text['order'] else 'in the'} {text['order']}"
    yield f"{text['segments']:,} finished translations with {text['words']:,} source words in {documents}, replayed"
    yield f"{order}."
    yield f"{text['repeated']:.0f} % of the segments had been translated before, word for word."
    yield f"In a window of 1,000 words, {text['repetition']['rr']:.1f} % of the distinct phrases come back."
    if text["sampled"] < text["segments"]:
        yield f"Of these, {text['sampled']:,} segments at equal distances were translated and scored; all were learned."
        yield "The intervals say how sure the scores are."
    if text["typed"]:
        yield f"A simulated user typed {text['typed']:,} of them key by key."
    if text["left out"]:
        yield f"Left out: {', '.join(f'{number:,} {reason}' for reason, number in text['left out'].items())}."


def _times(found: dict[str, Any]) -> str:
    header = ["milliseconds of one core", *next(iter(found["times"].values()))]
    rows = [[escape(name), *(f"{value:.1f}" for value in times.values())] for name, times in found["times"].items()]
    return f"<h2>Times</h2>{table(header, rows)}"
