"""Why adapting weights gains what it gains, and what it does to the effort of a simulated user; see bench_adapt.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from benchmarks.adapt_common import METHODS, SETS, chosen_on, picked, rates, system, tested, texts

from dragoman.adapt import Bayes, Ridge
from dragoman.adapt.adaptation import Adaptation
from dragoman.measure import Bleu, Ter, Wer, bootstrap
from dragoman_laboratory.adapter_cells import run_of
from dragoman_laboratory.graph_ridge import GraphRidge
from dragoman_laboratory.interactive_adaptation import interact
from dragoman_laboratory.reranking import Lists, live, rerank, table


def reasons() -> None:
    """Measurements behind what the tables show."""
    for corpus in SETS:
        lengths(corpus)
    print("\n| TER, difference to none | as it is (p) | shuffled | seen before | half with least of that | with most |")
    print("|---|---:|---:|---:|---:|---:|")
    for corpus in SETS:
        for name in ("PA, u", "perceptron, u", "Bayes, λ"):
            repetition(corpus, name)
    print("\n| TER, difference to none | pairs adapted before | third of segments with fewest | next | with most |")
    print("|---|---:|---:|---:|---:|")
    for corpus in SETS:
        for name in ("PA, u", "perceptron, u"):
            reuse(corpus, name)
    print("\n| | changes of phrase pairs that best entries ask for | of a pair again | in the same direction |")
    print("|---|---:|---:|---:|")
    for corpus in SETS:
        agreement(corpus)
    samples()
    drift()


def lengths(corpus: str) -> None:
    """What BLEU is made of, where the loss is TER and where it is BLEU."""
    found, best = tested(corpus), rates()
    print(f"\n{corpus}, 500-best\n\n| | TER | BLEU | words per reference word | precision of words | brevity penalty |")
    print("|---|---:|---:|---:|---:|---:|")
    runs = {"none": rerank(found, None, 500)}
    for name in ("ridge, λ", "Bayes, λ"):
        for measure in ("ter", "bleu"):
            runs[f"{name}, loss {measure.upper()}"] = rerank(
                found, replace(METHODS[name](best[name]), measure=measure), 500
            )
    for name, run in runs.items():
        parts = Bleu("none").parts(run.counts["bleu"].sum(0))
        scores = f"{run.score('ter'):.2f} | {run.score('bleu'):.2f}"
        rest = f"{parts.length_ratio:.3f} | {parts.precisions[0]:.1f} | {parts.brevity_penalty:.3f}"
        print(f"| {name} | {scores} | {rest} |", flush=True)


def seen_before(corpus: str) -> np.ndarray:
    """[segments] the share of the source trigrams of each that an earlier segment has."""
    seen, shares = set[tuple[str, ...]](), []
    for source, _ in texts(corpus, "test", SETS[corpus]):
        words = source.split()
        grams = {tuple(words[k : k + 3]) for k in range(max(len(words) - 2, 1))}
        shares.append(len(grams & seen) / len(grams))
        seen |= grams
    return np.array(shares)


def repetition(corpus: str, name: str) -> None:
    """The gain of a method as the text is, shuffled, and for segments that repeat little or much of earlier ones.

    The last two are texts of their own, of as many segments: what is repeated is left out, or nothing else is kept.
    """
    found, best, shares = tested(corpus), rates(), seen_before(corpus)
    random = np.random.default_rng(1)
    by_share = np.argsort(shares, kind="stable")
    half = len(shares) // 2
    shuffled = [gain(picked(found, random.permutation(len(found))), name, best[name]) for _ in range(3)]
    parts = [gain(picked(found, np.sort(part)), name, best[name]) for part in (by_share[:half], by_share[half:])]
    whole = gain(found, name, best[name])
    cells = [f"{np.mean([g for g, _ in shuffled]):+.2f}", f"{100 * shares.mean():.0f} %"]
    cells += [f"{difference:+.2f} ({p:.3f})" for difference, p in parts]
    print(f"| {corpus}, {name} | {whole[0]:+.2f} ({whole[1]:.3f}) | {' | '.join(cells)} |", flush=True)


def reuse(corpus: str, name: str) -> None:
    """How many phrase pairs of what the system chooses have a factor by then; the gain where they are few and many."""
    found, base = tested(corpus), rerank(tested(corpus), None, 500).counts["ter"]
    adaptation = Adaptation(METHODS[name](rates()[name]).settings() | {"mode": "rerank"}, found.weights)
    chosen, shares = [], []
    for sentence in range(len(found)):
        offered = found.candidates(sentence, 500, factors=True)
        used = offered.pairs[offered.scores[0] != 0]
        shares.append(np.isin(used, adaptation.factors.keys).mean() if used.size else 0.0)
        chosen.append(adaptation.choose(offered))
        adaptation.learn(offered, found.losses("ter", sentence, 500), chosen[-1])
    counts = run_of(found, chosen, 500).counts["ter"]
    thirds = np.array_split(np.argsort(shares, kind="stable"), 3)
    gains = (Ter().score(counts[part].sum(0)) - Ter().score(base[part].sum(0)) for part in thirds)
    cells = " | ".join(f"{difference:+.2f}" for difference in gains)
    print(f"| {corpus}, {name} | {100 * np.mean(shares):.0f} % | {cells} |", flush=True)


def agreement(corpus: str) -> None:
    """How often the best entries of later lists ask for a phrase pair again, more of it or less, and agree on that."""
    found, last = tested(corpus), dict[int, float]()
    asked, again, agreed = 0, 0, 0
    for sentence in range(len(found)):
        offered, losses = found.candidates(sentence, 500, factors=True), found.losses("ter", sentence, 500)
        wanted = np.sign(offered.scores[np.argmin(losses)] - offered.scores[0])
        for pair, sign in zip(offered.pairs.tolist(), wanted.tolist(), strict=True):
            if sign:
                asked, again, agreed = asked + 1, again + (pair in last), agreed + (last.get(pair) == sign)
                last[pair] = sign
    print(f"| {corpus} | {asked} | {100 * again / asked:.0f} % | {100 * agreed / again:.0f} % of these |", flush=True)


def gain(found: Lists, name: str, rate: float) -> tuple[float, float]:
    """Difference of TER to no adaptation, and its p."""
    row = table({"none": rerank(found, None, 500), name: rerank(found, METHODS[name](rate), 500)})[1]
    return row["ter difference"], row["ter p"]


def samples() -> None:
    """How many samples Bayes needs."""
    sizes, best = (25, 50, 100, 200, 400), rates()["Bayes, λ"]
    print(f"\n| TER, Bayes with so many samples, 500-best | {' | '.join(map(str, sizes))} |")
    print(f"|---|{'---:|' * len(sizes)}")
    sets = {"newstest-en-es, dev": chosen_on()} | {corpus: tested(corpus) for corpus in SETS}
    for name, found in sets.items():
        runs = (rerank(found, Bayes(delta=1 / best, samples=size), 500).score("ter") for size in sizes)
        print(f"| {name} | {' | '.join(f'{ter:.2f}' for ter in runs)} |", flush=True)


def drift(count: int = 400, step: int = 100) -> None:
    """How live search fares in the course of a text, by ridge regression."""
    (knowledge, weights), head = system("es"), picked(tested("newstest-en-es"), range(count))
    segments, hundreds = texts("newstest-en-es", "test", count), range(0, count, step)
    what = "ridge, λ: TER to none, words per reference word, precisions of words and pairs"
    print(f"\n| {what} | {' | '.join(f'from {k + 1}' for k in hundreds)} |")
    print(f"|---|{'---:|' * len(hundreds)}")
    base = rerank(head, None, 500)
    for rate in (0.003, 0.01, 0.03):
        adapter = Ridge(alpha=rate)
        runs = {"rerank": rerank(head, adapter, 500), "live": live(knowledge, weights, segments, adapter)}
        for mode, run in runs.items():
            cells = []
            for part in (slice(k, k + step) for k in hundreds):
                terms = (Ter().score(each.counts["ter"][part].sum(0)) for each in (run, base))
                made_of = Bleu("none").parts(run.counts["bleu"][part].sum(0))
                one, two = made_of.precisions[:2]
                cells.append(f"{next(terms) - next(terms):+.1f}, {made_of.length_ratio:.2f}, {one:.0f}, {two:.0f}")
            print(f"| {mode}, α = {rate:g} | {' | '.join(cells)} |", flush=True)


def interactive(corpus: str, count: int) -> None:
    """KSMR of a simulated user, with the sizes and rates of [I], and with greater rates."""
    knowledge, weights = system(corpus.split("-")[-1])
    segments = texts(corpus, "test", count)
    methods: dict[str, Ridge | GraphRidge] = {}
    for alpha in (0.01, 0.1):
        methods[f"n-best lists of 5,000 by TER, α = {alpha:g}"] = Ridge(alpha=alpha, nbest=5000)
    for alpha in (0.0001, 0.01, 0.1):
        methods[f"simplex Λ of at most 70, α = {alpha:g}"] = GraphRidge(strategy="simplex", size=70, alpha=alpha)
    for alpha in (0.001, 0.1):
        methods[f"Gaussian Λ of 201, α = {alpha:g}"] = GraphRidge(strategy="gaussian", size=201, alpha=alpha)
    base = interact(knowledge, weights, segments, None)
    print(f"\n{corpus}, {len(base.counts)} segments\n")
    print("| | KSMR | difference | p | s a segment |\n|---|---:|---:|---:|---:|")
    print(f"| none | {base.ksmr:.2f} | | | |", flush=True)
    for name, method in methods.items():
        found = interact(knowledge, weights, segments, method)
        compared = bootstrap(Wer(), base.counts, found.counts)  # a rate of sums, as KSMR is
        score = f"{found.ksmr:.2f}±{compared.system.margin:.1f} | {compared.difference.score:+.2f}"
        print(f"| {name} | {score} | {compared.p_value:.3f} | {found.seconds:.2f} |", flush=True)
