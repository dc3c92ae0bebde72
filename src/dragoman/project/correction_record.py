"""What a row of the journal records of a correction, and its form in bytes.

    [−1, size, adaptation] [−2, size, answer] contribution

The contribution is always there; blocks that there is no need for are left out. A contribution begins with a number of
words, so no negative number can be taken for its beginning. Integers are little-endian, of 32 bits. A paragraph that
was learned sentence by sentence has such a record for each, in order, with the characters of both texts that are its:

    [−3, source characters, target characters, size, record] …

What another engine's translation m of a corrected source f teaches, and its form in the journal.

The alignment models learn from (f, m) too: from nothing they align badly, and every pair helps. Phrase, language and
length models do not: m is not a correction. Which pieces of m the correction kept or replaced is counted. A row of the
journal holds m, the engine's name and what (f, m) has added, so a replay needs no engine and gives the same bits.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.models.contribution import Contribution
from dragoman.models.evidence import Evidence, Replacements, alike, link
from dragoman.models.knowledge import Knowledge
from dragoman.models.trust import BONUSES, ChangeOutcome, Costs
from dragoman.records import Pair, Sentence
from dragoman.search.hypotheses import Shares
from dragoman.store import Row

ENTRIES = 40  # of the n-best list that shows what each level of trust would have said


@dataclass(frozen=True)
class LearnedAnswer:
    """Another engine's answer for a corrected source, and what the alignment models have learned from it."""

    text: str
    engine: str | None
    contribution: Contribution  # of (f, m); its links are those between the two
    costs: Costs | None = None  # word edits that each level of trust would have cost
    cases: tuple[int, int] = (0, 0)  # words whose case the engine had right, and those that dragoman would have had
    outcomes: tuple[ChangeOutcome, ...] = ()  # what the correction says of the changes that were proposed
    repeat: tuple[int, ...] = ()  # what earlier corrections of the same text would have left to edit, see `Repeat`
    when: int = 0  # the last row of the journal before it


def learn_answer(knowledge: Knowledge, pair: Pair, engine: str | None) -> LearnedAnswer:
    """Let the alignment models learn from a source and another engine's answer; before its correction is learned."""
    models = knowledge.models
    source, answer = models.source.ids(pair.source_words, add=True), models.target.ids(pair.target_words, add=True)
    inverse, direct = models.inverse.add_ids(source, answer), models.direct.add_ids(answer, source)
    links = np.argwhere(link(models, source, answer, alike(pair.source_words, pair.target_words))).astype(np.int32)
    return LearnedAnswer(pair.target.text, engine, Contribution(source, answer, links, inverse, direct))


def relearn_answer(knowledge: Knowledge, pair: Pair, answer: LearnedAnswer) -> None:
    """Learn the same again, given what it has added."""
    models, added = knowledge.models, answer.contribution
    ids = models.source.ids(pair.source_words, add=True), models.target.ids(pair.target_words, add=True)
    if not all(map(np.array_equal, ids, (added.source, added.target))):
        what = "an engine's translation was split into different words when it was learned, or belongs to another base"
        remedy = "learn all of them again with `dragoman project copy`, or restore the base that belongs to the journal"
        raise BadInputError(what, remedy=remedy)
    put_back_answer(knowledge, answer)


def put_back_answer(knowledge: Knowledge, answer: LearnedAnswer) -> None:
    """Undo `forget`."""
    models, added = knowledge.models, answer.contribution
    models.inverse.apply(added.source, added.target, added.inverse)
    models.direct.apply(added.target, added.source, added.direct)


def forget_answer(knowledge: Knowledge, answer: LearnedAnswer) -> None:
    """Take back what `learn` has added."""
    models, added = knowledge.models, answer.contribution
    models.inverse.apply(added.source, added.target, added.inverse, -1)
    models.direct.apply(added.target, added.source, added.direct, -1)


def count_replacements(
    replacements: Replacements, answer: LearnedAnswer, correction: Contribution, sign: int = 1
) -> None:
    """Count which pieces of the answer a correction kept or replaced, or take that back (sign −1)."""
    added = answer.contribution
    replacements.count(added.source, added.target, added.links, correction.target, correction.links, sign)


def count_changes(evidence: Evidence, answer: LearnedAnswer, correction: Contribution, sign: int = 1) -> None:
    """Count which changes a correction has made of the answer, or take that back (sign −1)."""
    added = answer.contribution
    linked = np.zeros((added.source.size, added.target.size), np.bool_)
    linked[added.links[:, 0], added.links[:, 1]] = True
    evidence.count(added.source, added.target, linked, correction.target, sign, when=answer.when)


def costs_of(shares: Shares, searched: float, answer: Sequence[str], correction: Sequence[str]) -> Costs:
    """[levels] the word edits from what each level would have said to a correction.

    `shares` come from a search with the bonus `searched`; `answer` is the engine's answer.
    """
    chosen = [int(np.argmax(shares.scores + (bonus - searched) * shares.taken)) for bonus in BONUSES]
    edits = {n: Levenshtein.distance(shares.words(n), correction) for n in sorted(set(chosen))}
    return np.array([*(edits[n] for n in chosen), Levenshtein.distance(answer, correction)], np.int64)


def count_cases(answer: Sentence, recased: Sequence[str], correction: Sentence) -> tuple[int, int]:
    """How often a correction writes a word as the other engine did, and how often as it was `recased` instead.

    Only words count that the correction keeps and the two write differently.

    >>> from dragoman.text.tokens import split
    >>> count_cases(split("abra el usb"), ("Abra", "el", "Usb"), split("Abra el usb"))
    (1, 1)
    """
    if list(answer.words) == list(recased):
        return 0, 0
    ours, theirs = ([word.casefold() for word in each.words] for each in (answer, correction))
    engine = own = 0
    for block in LCSseq.opcodes(ours, theirs):
        if block.tag == "equal":
            for at in range(block.src_start, block.src_end):
                place = at - block.src_start + block.dest_start
                if answer.words[at] != recased[at]:
                    engine += answer.words[at] == correction.words[place]
                    own += recased[at] == correction.words[place]
    return engine, own


def answer_to_bytes(answer: LearnedAnswer) -> bytes:
    """What a row of the journal holds of an answer."""
    costs = None if answer.costs is None else answer.costs.tolist()
    more: list[Sequence[object]] = [answer.cases, answer.outcomes, answer.repeat, [answer.when]]
    while more and not any(more[-1]):
        more.pop()
    about = json.dumps([answer.engine, answer.text, costs, *more]).encode()
    return struct.pack("<i", len(about)) + about + answer.contribution.to_bytes()


def answer_from_bytes(block: bytes) -> LearnedAnswer:
    """The answer whose bytes these are."""
    (length,) = struct.unpack_from("<i", block)
    engine, text, costs, *more = json.loads(block[4 : 4 + length])
    levels = None if costs is None else np.array(costs, np.int64)
    contribution = Contribution.from_bytes(block[4 + length :])
    filled: list[Any] = more + [(0, 0), (), (), (0,)][len(more) :]
    (engine_right, own_right), outcomes, repeat, (when,) = filled
    proposed = tuple(
        ChangeOutcome(*each) for each in outcomes if len(each) == len(ChangeOutcome._fields)
    )  # as earlier: fewer
    return LearnedAnswer(text, engine, contribution, levels, (engine_right, own_right), proposed, tuple(repeat), when)


ADAPTATION, ANSWER, PART = -1, -2, -3
HEAD, PART_HEAD = struct.Struct("<ii"), struct.Struct("<iiii")


@dataclass(frozen=True)
class CorrectionRecord:
    """A correction, or one sentence of it: its texts, what it has added to the models, and what came with it."""

    source: str
    target: str
    contribution: Contribution
    answer: LearnedAnswer | None = None  # of another engine
    adaptation: bytes = b""  # how weights and factors were moved

    def to_bytes(self) -> bytes:
        """Everything but the texts, which are columns of their own."""
        blocks = {ADAPTATION: self.adaptation, ANSWER: answer_to_bytes(self.answer) if self.answer else b""}
        framed = (HEAD.pack(kind, len(block)) + block for kind, block in blocks.items() if block)
        return b"".join(framed) + self.contribution.to_bytes()


def records_of(row: Row) -> list[CorrectionRecord]:
    """What a row records: one for each sentence if it was learned sentence by sentence, otherwise one."""
    if row.source is None or row.target is None or row.contribution is None:
        lacking = "contribution" if row.contribution is None else "texts"
        remedy = "restore the journal from a copy"
        raise DamagedFileError(f"row {row.id} of the journal has no {lacking}", remedy=remedy)
    data, found, at, source, target = row.contribution, list[CorrectionRecord](), 0, 0, 0
    while len(data) >= at + PART_HEAD.size and (head := PART_HEAD.unpack_from(data, at))[0] == PART:
        _, ours, theirs, size = head
        at += PART_HEAD.size
        one, other = row.source[source : source + ours], row.target[target : target + theirs]
        found.append(CorrectionRecord(one, other, *_decoded(data[at : at + size])))
        at, source, target = at + size, source + ours, target + theirs
    return found or [CorrectionRecord(row.source, row.target, *_decoded(data))]


def records_to_bytes(records: Sequence[CorrectionRecord]) -> bytes:
    """What the journal holds of a correction."""
    if len(records) == 1:
        return records[0].to_bytes()
    return b"".join(
        PART_HEAD.pack(PART, len(each.source), len(each.target), len(data)) + data
        for each, data in ((each, each.to_bytes()) for each in records)
    )


def answer_in(row: Row) -> LearnedAnswer | None:
    """What another engine had answered for the source of a correction, if that was recorded with it."""
    answers = [record.answer for record in records_of(row)] if row.contribution else []
    known = [answer for answer in answers if answer]
    if not known or len(known) < len(answers):
        return None
    return replace(known[0], text="".join(answer.text for answer in known)) if len(known) > 1 else known[0]


def _decoded(data: bytes) -> tuple[Contribution, LearnedAnswer | None, bytes]:
    """Contribution, answer and adaptation."""
    blocks, at = {ADAPTATION: b"", ANSWER: b""}, 0
    while len(data) >= at + HEAD.size and (head := HEAD.unpack_from(data, at))[0] in blocks:
        kind, size = head
        at += HEAD.size
        blocks[kind] = data[at : at + size]
        at += size
    answer = answer_from_bytes(blocks[ANSWER]) if blocks[ANSWER] else None
    return Contribution.from_bytes(data[at:]), answer, blocks[ADAPTATION]
