"""One-shot and zero-shot recall equal a slow count; order matters, case and grammar do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import BadInputError
from dragoman.measure import ImmediateRecall, bootstrap, recall
from dragoman.measure.immediate import content_words
from tests.oracles.immediate import recalls

WORDS = ["press", "Press", "green", "button", "lid", "the", "12", "文件", "close", "."]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=8)


@given(texts, texts)
def test_counts_are_those_of_the_oracle(one: list[str], other: list[str]) -> None:
    size = min(len(one), len(other))
    hypotheses, references = one[:size], other[:size]
    total = ImmediateRecall().statistics(hypotheses, references).sum(0).tolist()
    expected = recalls(hypotheses, references, content_words)
    assert (tuple(total[:2]), tuple(total[2:])) == (expected[0], expected[1])


def test_a_term_learned_from_one_correction_counts_as_one_shot() -> None:
    references = ["Abra el fichero", "Cierre el fichero", "Borre el fichero"]
    learning = recall(["Abra el archivo", "Cierre el fichero", "Borre el fichero"], references)
    standing = recall(["Abra el archivo", "Cierre el archivo", "Borre el archivo"], references)
    assert (learning.r1, standing.r1) == (100.0, 0.0)
    assert learning.r0 == standing.r0 == 75.0
    assert learning.both == 80.0


def test_intervals_come_from_the_usual_bootstrap() -> None:
    references = [f"palabra nueva{n} otra{n // 2}" for n in range(60)]
    measure = ImmediateRecall("R1")
    none = measure.statistics([""] * 60, references)
    found = bootstrap(measure, none, measure.statistics(references, references))
    assert (found.difference.score, found.p_value < 0.05) == (100.0, True)


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(BadInputError, match="one to one"):
        recall(["a"], ["a", "b"])
    with pytest.raises(BadInputError, match="R0"):
        ImmediateRecall("R2")
