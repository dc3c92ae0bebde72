"""What a row of the journal records of a correction: the same bytes as ever, read once."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from dragoman.adapt import Ridge
from dragoman.engine import Engine
from dragoman.errors import DamagedFileError
from dragoman.models.contribution import Contribution
from dragoman.models.trust import ChangeOutcome
from dragoman.project.correction_record import answer_from_bytes, answer_in, answer_to_bytes, records_of
from dragoman.store import Row
from tests.engine.support import assert_is_clean_replay

pytestmark = pytest.mark.kernels

SOURCE, TARGET, ANSWER = "Press the red button.", "Pulse el botón rojo.", "Apriete el botón rojo."


def rows(tmp_path: Path, *, adapts: bool, answer: str | None) -> list[Row]:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn("Press the green button.", "Pulse el botón verde.", upstream="Apriete el botón verde.")
        if adapts:
            engine.adapter = Ridge(nbest=10)
        engine.learn(SOURCE, TARGET, upstream=answer)
        return list(engine.corrections())


@pytest.mark.parametrize("adapts", [True, False])
@pytest.mark.parametrize("answer", [ANSWER, None])
def test_blocks_stand_before_the_contribution_in_a_fixed_order(
    tmp_path: Path, adapts: bool, answer: str | None
) -> None:
    row = rows(tmp_path, adapts=adapts, answer=answer)[-1]
    [record] = records_of(row)
    expected = b""
    if adapts:
        expected += struct.pack("<ii", -1, len(record.adaptation)) + record.adaptation
    if record.answer:
        block = answer_to_bytes(record.answer)
        expected += struct.pack("<ii", -2, len(block)) + block
    assert bool(record.adaptation) == adapts
    assert (record.answer.text if record.answer else None) == answer
    assert row.contribution == record.to_bytes() == expected + record.contribution.to_bytes()


def test_a_row_is_decoded_once_when_it_is_replayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learned = rows(tmp_path, adapts=True, answer=ANSWER)
    decoded, from_bytes = [], Contribution.from_bytes

    def counted(data: bytes) -> Contribution:
        decoded.append(data)
        return from_bytes(data)

    for snapshot in (tmp_path / "p" / "snapshots").iterdir():
        snapshot.rename(tmp_path / snapshot.name)
    monkeypatch.setattr(Contribution, "from_bytes", counted)
    with Engine.open(tmp_path / "p", write=False) as engine:
        assert engine.revision > len(learned)
    assert len(decoded) == 2 * len(learned)  # the correction's, and that of the answer


def test_a_row_without_what_it_must_have_is_named(tmp_path: Path) -> None:
    row = rows(tmp_path, adapts=False, answer=None)[-1]
    assert answer_in(row) is None
    for damaged, what in (replace(row, contribution=None), "contribution"), (replace(row, source=None), "texts"):
        with pytest.raises(DamagedFileError, match=f"row {row.id} of the journal has no {what}"):
            records_of(damaged)


def test_outcomes_of_changes_in_the_form_of_earlier_versions_are_not_counted(tmp_path: Path) -> None:
    [record] = records_of(rows(tmp_path, adapts=False, answer=ANSWER)[-1])
    assert record.answer
    known = replace(record.answer, outcomes=(ChangeOutcome(3, 2, 9, 0),))
    assert answer_from_bytes(answer_to_bytes(known)).outcomes == known.outcomes
    old = answer_to_bytes(known).replace(b"[[3, 2, 9, 0]]", b"[[3, 9, 0]]   ")
    assert answer_from_bytes(old).outcomes == ()


PARAGRAPH = (
    "Press the green button. Close the red lid now.\nWait a moment.",
    "Pulse el botón verde. Cierre la tapa.\nEspere.",
)


@pytest.mark.parametrize("answer", ["Apriete el botón verde. Cierre la tapadera.\nEspere un rato.", None])
def test_a_paragraph_is_learned_sentence_by_sentence_and_forgotten_as_one(tmp_path: Path, answer: str | None) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        engine.learn(SOURCE, TARGET, upstream=ANSWER)
        engine.adapter = Ridge(nbest=10)
        number = engine.learn(*PARAGRAPH, upstream=answer)
        records = records_of(engine.correction(number))
        assert [record.source for record in records] == [
            "Press the green button. ",
            "Close the red lid now.\n",
            "Wait a moment.",
        ]
        assert "".join(record.target for record in records) == PARAGRAPH[1]
        assert engine.answer_to(number) == answer
        assert engine.translate(PARAGRAPH[0]).text == PARAGRAPH[1]
        assert engine.translate("Close the red lid now.", memory=False).text == "Cierre la tapa."
        origins = engine.provenance(engine.translate("Close the red lid now.", memory=False))
        assert number in origins[0].corrections
        assert_is_clean_replay(engine, tmp_path / "replayed")
        assert engine.revise(number, PARAGRAPH[1].replace("Cierre", "Tape")) > number
        assert_is_clean_replay(engine, tmp_path / "revised")
        [newest, _] = engine.history(2)
        engine.forget(newest.id)
        assert_is_clean_replay(engine, tmp_path / "forgotten")


@pytest.mark.parametrize(
    "target", ["Pulse el botón verde y cierre la tapa.\nEspere.", "Sí. No.\n" + "Espere mucho, " * 9]
)
def test_a_paragraph_whose_sentences_do_not_match_is_learned_as_a_whole(tmp_path: Path, target: str) -> None:
    with Engine.create(tmp_path / "p", source="en", target="es") as engine:
        [record] = records_of(engine.correction(engine.learn(PARAGRAPH[0], target, force=True)))
        assert (record.source, record.target) == (PARAGRAPH[0], target)
