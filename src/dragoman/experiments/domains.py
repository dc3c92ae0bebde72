"""Learning from trained models ([O] §4.8): a system that stays as it is, one that learns, one from nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from dragoman.experiments.experiment import Cell, Experiment, Finding, Measured, Results, Row, Scale, Table, Text
from dragoman.experiments.judging import Verdict, all_decided, around, less, shown
from dragoman.experiments.working import MEASURES, work
from dragoman.experiments.workshop import Workshop
from dragoman.interactive.session import Mode
from dragoman.measure import repetition
from dragoman.measure.significance import Interval
from dragoman.models.loglinear import DEFAULT

SYSTEMS = ("conventional", "online", "scratch")
SEVEN = ("conventional, 7 features", "online, 7 features")  # the features of [O], fewer than our default has
MODES: tuple[Mode, ...] = ("graph", "search")  # ways of completing what is typed
LANGUAGES = {"es": "English–Spanish", "fr": "English–French"}
TRAIN, DEVELOPMENT, TEST = (60_000, 4000), (1000, 100), (2000, 250)  # segments, full and quick


class Task(NamedTuple):
    """What is trained on and translated in place of a task of [O]; the target language comes last."""

    paper: str  # the task of [O]
    train: str
    test: str


TASKS = {
    "manuals": Task("XRCE", "pydocs-en", "pydocs-en"),
    "parliament": Task("Europarl", "europarl-en", "europarl-en"),
    "shift": Task("EMEA with Europarl models", "europarl-en", "pydocs-en"),
}

# [O] Tables 4, 6, 7: (BLEU, WER, KSMR)
PAPER: dict[tuple[str, str, str], tuple[float, float, float]] = {
    ("manuals", "es", "conventional"): (58.3, 32.5, 19.3),
    ("manuals", "es", "online"): (64.0, 28.1, 16.6),
    ("manuals", "fr", "conventional"): (32.2, 63.7, 36.7),
    ("manuals", "fr", "online"): (43.7, 48.4, 30.3),
    ("parliament", "es", "conventional"): (21.0, 65.4, 45.9),
    ("parliament", "es", "online"): (22.5, 63.4, 44.7),
    ("parliament", "fr", "conventional"): (21.2, 64.4, 44.4),
    ("parliament", "fr", "online"): (22.6, 63.2, 43.2),
    ("shift", "es", "conventional"): (24.0, 64.0, 49.1),
    ("shift", "es", "online"): (45.6, 49.6, 32.3),
    ("shift", "es", "scratch"): (36.0, 52.2, 35.6),
    ("shift", "fr", "conventional"): (18.3, 69.4, 52.3),
    ("shift", "fr", "online"): (39.7, 53.9, 33.7),
    ("shift", "fr", "scratch"): (30.0, 59.5, 41.2),
}
# [O] Tables 1–3, source side: MRR, RRR, UNF
PAPER_REPETITION = {
    ("manuals", "es"): (19.8, 13.4, 18.0),
    ("manuals", "fr"): (25.9, 16.9, 18.8),
    ("parliament", "es"): (10.7, 4.3, 20.7),
    ("parliament", "fr"): (10.7, 4.3, 20.8),
    ("shift", "es"): (34.2, 30.3, 43.5),
    ("shift", "fr"): (34.5, 30.8, 44.0),
}
# [O] Table 5: KSMR of the engine that searches again at each key, and of online learning
PAPER_ENGINES = {("es", "conventional", "search"): 16.7, ("fr", "conventional", "search"): 35.8}
PAPER_ENGINES |= {("es", "online", "graph"): 16.6, ("fr", "online", "graph"): 30.3}


def texts(scale: Scale, name: str, language: str) -> dict[str, Text]:
    """Training and test text of a task."""
    task = TASKS[name]
    train = scale.text(f"{task.train}-{language}", "train", *TRAIN)
    return {"train": train, "test": scale.text(f"{task.test}-{language}", "test", *TEST)}


def translate(
    workshop: Workshop,
    task: str,
    language: str,
    train: Text,
    test: Text,
    system: str,
    mode: Mode,
    development: Text | None = None,
) -> Measured:
    """BLEU, WER, KSMR and the time of learning of one system; weights are tuned if there is a development set."""
    del task, language
    over = None if system == "scratch" else train
    preset = preset_of(system)
    with workshop.engine(over, test.languages, preset=preset) as engine:
        if over is not None:
            engine.weights = workshop.weights(over, development, "mert", preset=preset)
        found = work(engine, workshop.pairs(test), learn=not system.startswith("conventional"), mode=mode)
    return Measured([found.summary()], found.seconds(), [found.counts])


def preset_of(system: str) -> str:
    """The features of a system, by its name."""
    return "thot" if system.endswith(", 7 features") else DEFAULT


def repeated(workshop: Workshop, task: str, language: str, train: Text, test: Text) -> Measured:
    """MRR, RRR and UNF of the source side."""
    del task, language
    sides = [[source.split() for source, _ in workshop.pairs(text)] for text in (test, train)]
    found = repetition(*sides)
    return Measured([{"MRR": found.mrr, "RRR": found.rrr, "UNF": found.unf, "RR": found.rr}])


def translating(scale: Scale, name: str, systems: tuple[str, ...]) -> list[Cell]:
    """A cell for each language and system; on the full scale the weights are tuned, as in [O]."""
    cells = []
    for language in LANGUAGES:
        found: dict[str, Any] = texts(scale, name, language)
        if not scale.quick:
            found["development"] = scale.text(found["train"].corpus, "dev", *DEVELOPMENT)
        common = {"task": name, "language": language, **found}
        cells += [Cell(translate, common | {"system": system, "mode": "graph"}) for system in systems]
    return cells


def repeating(scale: Scale, name: str) -> list[Cell]:
    """A cell for each language."""
    return [Cell(repeated, {"task": name, "language": each, **texts(scale, name, each)}) for each in LANGUAGES]


def engines(scale: Scale) -> list[Cell]:
    """Word graphs and searching again, on manuals."""
    cells = translating(scale, "manuals", SYSTEMS[:2])
    return [Cell(cell.work, {**cell.parameters, "mode": mode}) for cell in cells for mode in MODES]


def translating_table(results: Results) -> Table:
    """The paper's BLEU, WER and KSMR beside ours, with margins."""
    rows = []
    for row in results.rows:
        paper = PAPER.get((str(row["task"]), str(row["language"]), str(row["system"]).split(",")[0]))
        known = [f"{value:.1f}" for value in paper] if paper else [""] * 3
        ours = [f"{row[name]:.1f} ± {row[f'{name} margin']:.1f}" for name in MEASURES]
        learning = results.seconds("learning, median", language=row["language"], system=row["system"])
        shown = "" if str(row["system"]).startswith("conventional") else f"{1e3 * learning:.1f}"
        both = [cell for pair in zip(known, ours, strict=True) for cell in pair]
        rows.append((LANGUAGES[str(row["language"])], str(row["system"]), *both, shown))
    columns = [f"{name}, {who}" for name in MEASURES for who in ("paper", "ours")]
    return Table(("languages", "system", *columns, "learning, ms, median"), rows)


def gains(
    results: Results, language: str, system: str = "online", to: str = "conventional", **where: str
) -> dict[str, Interval]:
    """How many points a system is better than another, by each measure, on the same segments."""
    systems = [{"language": language, "system": each, **where} for each in (system, to)]
    return {name: results.difference(measure, name, *systems) for name, measure in MEASURES.items()}


def translating_findings(results: Results) -> list[Finding]:
    """Whether online learning helps, and on the full scale, whether as much as in the paper."""
    task, ours = str(results.rows[0]["task"]), {each: gains(results, each) for each in results.distinct("language")}
    said = "; ".join(f"{LANGUAGES[language]}: {_points(found)}" for language, found in ours.items())
    better = all_decided([gain for found in ours.values() for gain in found.values()])
    answer = [Finding("online is better", "online learning is better by BLEU, WER and KSMR", said, better)]
    if "scratch" in results.distinct("system"):
        answer += scratch_finding(results)
    if "development" in results.rows[0]:  # few lines to train on gain more: a quick run cannot tell
        answer += [as_much(task, language, found) for language, found in ours.items()]
    if SEVEN[0] in results.distinct("system"):
        own = {language: gains(results, language, *reversed(SEVEN)) for language in ours}
        answer += [as_much(task, language, found, ", with its features") for language, found in own.items()]
    return answer


def paper_gains(task: str, language: str) -> list[float]:
    """The points that online learning gains in [O], by BLEU, WER and KSMR."""
    before, after = (PAPER[task, language, system] for system in SYSTEMS[:2])
    return [abs(a - b) for a, b in zip(before, after, strict=True)]


def as_much(task: str, language: str, ours: dict[str, Interval], how: str = "") -> Finding:
    """Whether the gains are those of the paper, or more; within their intervals it is undecided."""
    paper = paper_gains(task, language)
    short = [around(gain.score - theirs, gain.margin) for gain, theirs in zip(ours.values(), paper, strict=True)]
    enough: Verdict = all(each.score >= 0 for each in short)
    if not enough and all(each.high >= 0 for each in short):
        enough = None
    claim = f"by as many points as in the paper, or more, {LANGUAGES[language]}{how}"
    said = f"{_points(ours)}; paper {', '.join(f'{points:.1f}' for points in paper)}"
    return Finding(f"as much as the paper, {language}{how}", claim, said, enough)


def _points(found: dict[str, Interval]) -> str:
    return ", ".join(f"{name} {shown([gain], 1)}" for name, gain in found.items())


def scratch_finding(results: Results) -> list[Finding]:
    """Whether it is better to start from nothing and learn than to stay with models of another domain."""
    ours = [gains(results, language, "scratch") for language in results.distinct("language")]
    claim = "learning from nothing is better than models of another domain that do not learn"
    better = all_decided([gain for each in ours for gain in each.values()])
    return [Finding("scratch is better", claim, "; ".join(map(_points, ours)), better)]


def repetition_table(results: Results) -> Table:
    """MRR, RRR and UNF, the paper's beside ours."""
    rows = []
    for row in results.rows:
        if "MRR" in row:
            task, language = str(row["task"]), str(row["language"])
            paper = PAPER_REPETITION[task, language]
            both = [
                f"{x:.1f}" for p, name in zip(paper, ("MRR", "RRR", "UNF"), strict=True) for x in (p, row[name] or 0)
            ]
            rows.append((task, LANGUAGES[language], *both))
    columns = [f"{name}, {who}" for name in ("MRR", "RRR", "UNF") for who in ("paper", "ours")]
    return Table(("task", "languages", *columns), rows)


def usable(row: Row) -> float:
    """How much of the text is new and comes back, RRR · UNF, in percent."""
    return float(row["RRR"] or 0) * float(row["UNF"] or 0) / 100


def repetition_findings(results: Results) -> list[Finding]:
    """Whether RRR and UNF rank the gains, where these are known."""
    said, right = [], []
    for language in results.distinct("language"):
        rows = [row for row in results.select(language=language) if "RRR" in row]
        known = [row for row in rows if results.select(language=language, task=row["task"], system="online")]
        ranked = sorted(known, key=usable)
        if len(ranked) < 2:
            continue
        found = [gains(results, language, task=str(row["task"]))["BLEU"] for row in ranked]
        right += [less(more, fewer) for fewer, more in pairwise(found)]
        pairs = (f"{row['task']} {usable(row):.1f} → {gain.score:.1f}" for row, gain in zip(ranked, found, strict=True))
        said.append(f"{LANGUAGES[language]}, RRR · UNF → points of BLEU gained: {', '.join(pairs)}")
    claim = "the more of the new is repeated (RRR, UNF), the more online learning gains"
    return [Finding("repetition predicts", claim, "; ".join(said), all_decided(right))] if right else []


def engines_table(results: Results) -> Table:
    """KSMR by system and way of completing."""
    rows = []
    for row in results.rows:
        paper = PAPER_ENGINES.get((str(row["language"]), str(row["system"]), str(row["mode"])))
        ours = f"{row['KSMR']:.1f} ± {row['KSMR margin']:.1f}"
        names = LANGUAGES[str(row["language"])], str(row["system"]), str(row["mode"])
        rows.append((*names, f"{paper:.1f}" if paper else "", ours))
    return Table(("languages", "system", "completes by", "KSMR, paper", "KSMR, ours"), rows)


def engines_findings(results: Results) -> list[Finding]:
    """Whether online learning with word graphs is better than any that does not learn."""
    search, online = list[Interval](), list[Interval]()
    for language in results.distinct("language"):

        def gain(better: tuple[str, str], worse: tuple[str, str], language: str = language) -> Interval:
            both = ({"language": language, "system": system, "mode": mode} for system, mode in (better, worse))
            return results.difference(MEASURES["KSMR"], "KSMR", *both)

        graph, again, learning = ("conventional", "graph"), ("conventional", "search"), ("online", "graph")
        search.append(gain(again, graph))
        online.append(min(gain(learning, graph), gain(learning, again), key=lambda each: each.score))
    said = [f"{shown(each, 1)} points of KSMR" for each in (online, search)]
    return [
        Finding("online best", "online with word graphs is best everywhere", said[0], all_decided(online)),
        Finding("search helps", "searching again completes better than word graphs", said[1], all_decided(search)),
    ]


def draw_translating(figure: Any, results: Results) -> None:
    """Bars of each measure, a group for each pair of languages."""
    systems, languages = results.distinct("system"), results.distinct("language")
    for axes, name in zip(figure.subplots(1, len(MEASURES)), MEASURES, strict=True):
        for place, system in enumerate(systems):
            values = [results.value(name, language=each, system=system) for each in languages]
            margins = [results.value(f"{name} margin", language=each, system=system) for each in languages]
            at = [n + place / (len(systems) + 1) for n in range(len(languages))]
            axes.bar(at, values, width=1 / (len(systems) + 1), yerr=margins, label=system, capsize=2)
        axes.set(title=name, ylabel="percent")
        axes.set_xticks([n + 0.3 for n in range(len(languages))], languages)
    axes.legend(fontsize=7)


def draw_repetition(figure: Any, results: Results) -> None:
    """MRR, RRR and UNF of each task."""
    axes = figure.subplots()
    rows = [row for row in results.rows if "MRR" in row]
    for place, name in enumerate(("MRR", "RRR", "UNF")):
        axes.bar([n + place / 4 for n in range(len(rows))], [row[name] for row in rows], width=0.25, label=name)
    axes.set_xticks([n + 0.25 for n in range(len(rows))], [f"{row['task']} {row['language']}" for row in rows])
    axes.set(ylabel="percent")
    axes.legend()


def draw_engines(figure: Any, results: Results) -> None:
    """KSMR of each system and way of completing."""
    axes = figure.subplots()
    names = [f"{row['language']} {row['system']} {row['mode']}" for row in results.rows]
    values, margins = ([row[name] for row in results.rows] for name in ("KSMR", "KSMR margin"))
    axes.barh(names, values, xerr=margins, capsize=2)
    axes.set(xlabel="KSMR")


def _translating(identity: str, name: str, systems: tuple[str, ...], paper: str) -> Experiment:
    title = f"{', '.join(systems)}: {TASKS[name].paper}"
    draw = translating_table, translating_findings, draw_translating

    def cells(scale: Scale) -> list[Cell]:
        return translating(scale, name, systems if scale.quick else (*systems, *SEVEN))

    return Experiment(identity, title, paper, cells, *draw)


def _repeating(identity: str, name: str) -> Experiment:
    def cells(scale: Scale) -> list[Cell]:
        if name != "shift":
            return repeating(scale, name)
        every = [cell for each in TASKS for cell in repeating(scale, each)]
        return every + [cell for each in TASKS for cell in translating(scale, each, SYSTEMS[:2])]

    title = f"Repetition in the test set: {TASKS[name].paper}"
    if name == "shift":
        title += ", and gains of all tasks"
    paper = "RRR and UNF predict what online learning gains; MRR does not."
    return Experiment(identity, title, paper, cells, repetition_table, repetition_findings, draw_repetition)


EXPERIMENTS = [
    _repeating("O-tab1", "manuals"),
    _repeating("O-tab2", "parliament"),
    _repeating("O-tab3", "shift"),
    _translating(
        "O-tab4", "manuals", SYSTEMS[:2], "English–Spanish: 58.3 → 64.0 BLEU, 32.5 → 28.1 WER, 19.3 → 16.6 KSMR."
    ),
    Experiment(
        "O-tab5",
        "KSMR of engines that complete by word graphs or by searching again",
        "Online learning with word graphs is best everywhere.",
        engines,
        engines_table,
        engines_findings,
        draw_engines,
    ),
    _translating(
        "O-tab6", "parliament", SYSTEMS[:2], "About one point by each measure: 21.0 → 22.5 BLEU (English–Spanish)."
    ),
    _translating(
        "O-tab7",
        "shift",
        SYSTEMS,
        "English–Spanish: 24.0 → 45.6 BLEU, 49.1 → 32.3 KSMR; from nothing 36.0 BLEU, still better than not learning.",
    ),
]
