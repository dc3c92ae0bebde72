"""Learning from trained models ([O] §4.8): a system that stays as it is, one that learns, one from nothing."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any, NamedTuple

from dragoman.interactive.session import Mode
from dragoman.measure import repetition
from dragoman.measure.significance import Interval
from dragoman.models.loglinear import PAPER_PRESET
from dragoman_laboratory.experiment import Cell, Experiment, Finding, Measured, Results, Row, Scale, Table, Text
from dragoman_laboratory.judging import Verdict, all_decided, around, less, shown
from dragoman_laboratory.simulation import MEASURES, simulated
from dragoman_laboratory.workspace import Workspace

SYSTEMS = ("conventional", "online", "scratch")
# With the seven features of [O], completions from word graphs alone, and of manuals as many words to train on
PAPERS = ("conventional, as in the paper", "online, as in the paper")
MODES: tuple[Mode, ...] = ("graph", "search")  # ways of completing what is typed
LANGUAGES = {"es": "English–Spanish", "fr": "English–French"}
TRAIN, DEVELOPMENT, TEST = (60_000, 4000), (1000, 100), (2000, 250)  # segments, full and quick


class Task(NamedTuple):
    """What to train on, tune on and translate for a task of [O]; the target language comes last."""

    paper: str  # the task of [O]
    train: str
    development: str
    test: str
    test_size: tuple[int, int] = TEST
    paper_train_size: tuple[int, int] = TRAIN  # with as many words as in [O], if there are so many


# "Europarl" of [O] are models of parliament, but its 3,003 and 3,000 segments to tune on and to translate are news: by
# their words, 72,988 and 64,809 in English, they are newstest2012 and newstest2013 of the workspace that it names.
TASKS = {
    "manuals": Task("XRCE", "pydocs-en", "pydocs-en", "pydocs-en", paper_train_size=(33_000, 4000)),  # 571,960 words
    "parliament": Task("Europarl", "europarl-en", "europarl-en", "europarl-en"),
    "news": Task("Europarl", "europarl-en", "newstest-en", "newstest-en", (3000, 250)),
    "shift": Task("EMEA with Europarl models", "europarl-en", "europarl-en", "pydocs-en"),
}

# [O] Tables 4, 6, 7: BLEU, WER, KSMR, each with its margin
PAPER = {
    ("XRCE", "es", "conventional"): (58.3, 2.4, 32.5, 1.9, 19.3, 1.2),
    ("XRCE", "es", "online"): (64.0, 2.4, 28.1, 1.7, 16.6, 1.1),
    ("XRCE", "fr", "conventional"): (32.2, 2.2, 63.7, 2.2, 36.7, 1.2),
    ("XRCE", "fr", "online"): (43.7, 2.3, 48.4, 2.2, 30.3, 1.2),
    ("Europarl", "es", "conventional"): (21.0, 0.5, 65.4, 0.7, 45.9, 0.4),
    ("Europarl", "es", "online"): (22.5, 0.6, 63.4, 0.7, 44.7, 0.4),
    ("Europarl", "fr", "conventional"): (21.2, 0.6, 64.4, 0.7, 44.4, 0.5),
    ("Europarl", "fr", "online"): (22.6, 0.6, 63.2, 0.7, 43.2, 0.5),
    ("EMEA with Europarl models", "es", "conventional"): (24.0, 0.8, 64.0, 0.9, 49.1, 0.6),
    ("EMEA with Europarl models", "es", "online"): (45.6, 1.2, 49.6, 1.4, 32.3, 0.8),
    ("EMEA with Europarl models", "es", "scratch"): (36.0, 1.2, 52.2, 1.0, 35.6, 0.8),
    ("EMEA with Europarl models", "fr", "conventional"): (18.3, 0.7, 69.4, 0.9, 52.3, 0.6),
    ("EMEA with Europarl models", "fr", "online"): (39.7, 1.3, 53.9, 1.3, 33.7, 0.8),
    ("EMEA with Europarl models", "fr", "scratch"): (30.0, 0.2, 59.5, 1.1, 41.2, 0.8),
}
# [O] Tables 1–3, source side: MRR, RRR, UNF
PAPER_REPETITION = {
    ("XRCE", "es"): (19.8, 13.4, 18.0),
    ("XRCE", "fr"): (25.9, 16.9, 18.8),
    ("Europarl", "es"): (10.7, 4.3, 20.7),
    ("Europarl", "fr"): (10.7, 4.3, 20.8),
    ("EMEA with Europarl models", "es"): (34.2, 30.3, 43.5),
    ("EMEA with Europarl models", "fr"): (34.5, 30.8, 44.0),
}
# [O] Table 5: KSMR of the engine that searches again at each key, and of online learning
PAPER_ENGINES = {("es", "conventional", "search"): 16.7, ("fr", "conventional", "search"): 35.8}
PAPER_ENGINES |= {("es", "online", "graph"): 16.6, ("fr", "online", "graph"): 30.3}


def texts(scale: Scale, name: str, language: str, system: str = "") -> dict[str, Text]:
    """Training and test text of a task, for a system."""
    task = TASKS[name]
    train_size = task.paper_train_size if system in PAPERS else TRAIN
    train = scale.text(f"{task.train}-{language}", "train", *train_size)
    return {"train": train, "test": scale.text(f"{task.test}-{language}", "test", *task.test_size)}


def parameters(scale: Scale, name: str, language: str, system: str) -> dict[str, Any]:
    """The parameters of a cell in which a system translates; on the full scale its weights are tuned, as in [O]."""
    found: dict[str, Any] = {"task": name, "language": language, **texts(scale, name, language, system)}
    if not scale.quick:
        found["development"] = scale.text(f"{TASKS[name].development}-{language}", "dev", *DEVELOPMENT)
    return found | {"system": system}


def translate(
    workspace: Workspace,
    task: str,
    language: str,
    train: Text,
    test: Text,
    system: str,
    mode: Mode,
    development: Text | None = None,
) -> Measured:
    """BLEU, WER, KSMR and learning time of one system; weights are tuned if there is a development set."""
    del task, language
    over = None if system == "scratch" else train
    preset = "thot" if system in PAPERS else PAPER_PRESET
    with workspace.engine(over, test.languages, preset=preset) as engine:
        if over is not None:
            engine.weights = workspace.weights(over, development, "mert", preset=preset)
        learn = not system.startswith("conventional")
        found = simulated(engine, workspace.pairs(test), learn=learn, mode=mode, guess=system not in PAPERS)
    return Measured([found.summary()], found.seconds(), [found.counts])


def repeated(workspace: Workspace, task: str, language: str, train: Text, test: Text) -> Measured:
    """MRR, RRR and UNF of the source side."""
    del task, language
    sides = [[source.split() for source, _ in workspace.pairs(text)] for text in (test, train)]
    found = repetition(*sides)
    return Measured([{"MRR": found.mrr, "RRR": found.rrr, "UNF": found.unf, "RR": found.rr}])


def translating(scale: Scale, name: str, systems: tuple[str, ...]) -> list[Cell]:
    """A cell for each language and system."""
    every = [parameters(scale, name, language, system) for language, system in product(LANGUAGES, systems)]
    return [Cell(translate, each | {"mode": "graph"}) for each in every]


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
        task, language, system = (str(row[name]) for name in ("task", "language", "system"))
        known = [f"{each.score:.1f} ± {each.margin:.1f}" for each in of_paper(task, language, system.split(",")[0])]
        ours = [f"{row[name]:.1f} ± {row[f'{name} margin']:.1f}" for name in MEASURES]
        learning = results.seconds("learning, median", task=task, language=language, system=system)
        shown = "" if system.startswith("conventional") else f"{1e3 * learning:.1f}"
        both = [cell for pair in zip(known, ours, strict=True) for cell in pair]
        rows.append((task, LANGUAGES[language], system, *both, shown))
    columns = [f"{name}, {who}" for name in MEASURES for who in ("paper", "ours")]
    return Table(("task", "languages", "system", *columns, "learning, ms, median"), rows)


def gains(
    results: Results, language: str, system: str = "online", to: str = "conventional", **where: str
) -> dict[str, Interval]:
    """By how many points a system is better than another, by each measure, on the same segments."""
    systems = [{"language": language, "system": each, **where} for each in (system, to)]
    return {name: results.difference(measure, name, *systems) for name, measure in MEASURES.items()}


def translating_findings(results: Results) -> list[Finding]:
    """Whether online learning helps, and on the full scale, whether as much as in the paper; task by task."""
    return [finding for task in results.distinct("task") for finding in task_findings(results, task)]


def task_findings(results: Results, task: str) -> list[Finding]:
    """The findings of one task; the news task shares a table with another, and is named."""
    which = ", news" if task == "news" else ""
    ours = {each: gains(results, each, task=task) for each in results.distinct("language", task=task)}
    said = "; ".join(f"{LANGUAGES[language]}: {_points(found)}" for language, found in ours.items())
    better = all_decided([gain for found in ours.values() for gain in found.values()])
    claim = f"online learning is better by BLEU, WER and KSMR{which}"
    answer = [Finding(f"online is better{which}", claim, said, better)]
    if results.select(task=task, system="scratch"):
        answer += scratch_finding(results)
    if "development" in results.rows[0]:  # few lines to train on gain more: a quick run cannot tell
        answer += [as_much(task, language, found, which) for language, found in ours.items()]
    if results.select(task=task, system=PAPERS[0]):
        there = {language: gains(results, language, *reversed(PAPERS), task=task) for language in ours}
        answer += [as_much(task, language, found, f"{which}, with its settings") for language, found in there.items()]
    return answer


def of_paper(task: str, language: str, system: str) -> list[Interval]:
    """BLEU, WER and KSMR in [O]."""
    numbers = PAPER[TASKS[task].paper, language, system]
    return [around(score, margin) for score, margin in zip(numbers[::2], numbers[1::2], strict=True)]


def paper_gains(task: str, language: str) -> list[Interval]:
    """The points that online learning gains in [O], by BLEU, WER and KSMR; its intervals are not paired."""
    before, after = (of_paper(task, language, system) for system in SYSTEMS[:2])
    apart = [less(one, other) for one, other in zip(after, before, strict=True)]
    return [around(abs(each.score), each.margin) for each in apart]


def as_much(task: str, language: str, ours: dict[str, Interval], how: str = "") -> Finding:
    """Whether the gains reach those of the paper; within the intervals of both it is undecided."""
    paper = paper_gains(task, language)
    short = [less(gain, theirs) for gain, theirs in zip(ours.values(), paper, strict=True)]
    enough: Verdict = all(each.score >= 0 for each in short)
    if not enough and all(each.high >= 0 for each in short):
        enough = None
    claim = f"by as many points as in the paper, or more, {LANGUAGES[language]}{how}"
    said = f"{_points(ours)}; paper {shown(paper, 1)}"
    return Finding(f"as much as the paper, {language}{how}", claim, said, enough)


def _points(found: dict[str, Interval]) -> str:
    return ", ".join(f"{name} {shown([gain], 1)}" for name, gain in found.items())


def scratch_finding(results: Results) -> list[Finding]:
    """Whether learning from nothing is better than fixed models of another domain."""
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
            paper = PAPER_REPETITION[TASKS[task].paper, language]
            both = [
                f"{x:.1f}" for p, name in zip(paper, ("MRR", "RRR", "UNF"), strict=True) for x in (p, row[name] or 0)
            ]
            rows.append((task, LANGUAGES[language], *both))
    columns = [f"{name}, {who}" for name in ("MRR", "RRR", "UNF") for who in ("paper", "ours")]
    return Table(("task", "languages", *columns), rows)


def usable(row: Row) -> float:
    """How much of the text is new and repeats, RRR · UNF, in percent."""
    return float(row["RRR"] or 0) * float(row["UNF"] or 0) / 100


def repetition_findings(results: Results) -> list[Finding]:
    """Whether RRR and UNF predict the ranking of the gains, where these are known."""
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
    """KSMR by system and completion method."""
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
    """Bars of each measure, a group for each task and pair of languages."""
    systems = results.distinct("system")
    groups = list(dict.fromkeys((row["task"], row["language"]) for row in results.rows))
    for axes, name in zip(figure.subplots(1, len(MEASURES)), MEASURES, strict=True):
        for place, system in enumerate(systems):
            both = [{"task": task, "language": language, "system": system} for task, language in groups]
            values, margins = ([results.value(column, **each) for each in both] for column in (name, f"{name} margin"))
            at = [n + place / (len(systems) + 1) for n in range(len(groups))]
            axes.bar(at, values, width=1 / (len(systems) + 1), yerr=margins, label=system, capsize=2)
        axes.set(title=name, ylabel="percent")
        labels = [f"{task}\n{language}" for task, language in groups]
        axes.set_xticks([n + 0.3 for n in range(len(groups))], labels, fontsize=7)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=len(systems), fontsize=7)


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
    """KSMR of each system and completion method."""
    axes = figure.subplots()
    names = [f"{row['language']} {row['system']} {row['mode']}" for row in results.rows]
    values, margins = ([row[name] for row in results.rows] for name in ("KSMR", "KSMR margin"))
    axes.barh(names, values, xerr=margins, capsize=2)
    axes.set(xlabel="KSMR")


def _translating(identity: str, tasks: tuple[str, ...], systems: tuple[str, ...], paper: str) -> Experiment:
    title = f"{', '.join(systems)}: {TASKS[tasks[0]].paper}"
    draw = translating_table, translating_findings, draw_translating

    def cells(scale: Scale) -> list[Cell]:
        every = systems if scale.quick else (*systems, *PAPERS)
        return [cell for task in tasks for cell in translating(scale, task, every)]

    return Experiment(identity, title, paper, cells, *draw)


def _repeating(identity: str, tasks: tuple[str, ...], *, with_gains: bool = False) -> Experiment:
    def cells(scale: Scale) -> list[Cell]:
        every = [cell for each in tasks for cell in repeating(scale, each)]
        return every + [cell for each in tasks if with_gains for cell in translating(scale, each, SYSTEMS[:2])]

    title = f"Repetition in the test set: {TASKS[tasks[-1]].paper}"
    if with_gains:
        title += ", and gains of all tasks"
    paper = "RRR and UNF predict what online learning gains; MRR does not."
    return Experiment(identity, title, paper, cells, repetition_table, repetition_findings, draw_repetition)


EXPERIMENTS = [
    _repeating("O-tab1", ("manuals",)),
    _repeating("O-tab2", ("parliament", "news")),
    _repeating("O-tab3", tuple(TASKS), with_gains=True),
    _translating(
        "O-tab4", ("manuals",), SYSTEMS[:2], "English–Spanish: 58.3 → 64.0 BLEU, 32.5 → 28.1 WER, 19.3 → 16.6 KSMR."
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
        "O-tab6",
        ("parliament", "news"),
        SYSTEMS[:2],
        "About one point by each measure: 21.0 → 22.5 BLEU (English–Spanish).",
    ),
    _translating(
        "O-tab7",
        ("shift",),
        SYSTEMS,
        "English–Spanish: 24.0 → 45.6 BLEU, 49.1 → 32.3 KSMR; from nothing 36.0 BLEU, still better than not learning.",
    ),
]
