"""What a row of the journal records of a correction, and its form in bytes.

    [−1, size, adaptation] [−2, size, answer] contribution

The contribution is always there; blocks that there is no need for are left out. A contribution begins with a number of
words, so no negative number can be taken for its beginning. Integers are little-endian, of 32 bits.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from dragoman.errors import DamagedFileError
from dragoman.models.contribution import Contribution
from dragoman.store import Row
from dragoman.upstream.learned_answer import LearnedAnswer, answer_from_bytes, answer_to_bytes

ADAPTATION, ANSWER = -1, -2
HEAD = struct.Struct("<ii")


@dataclass(frozen=True)
class CorrectionRecord:
    """A correction: its texts, what it has added to the models, and what came with it."""

    source: str
    target: str
    contribution: Contribution
    answer: LearnedAnswer | None = None  # of another engine
    adaptation: bytes = b""  # how weights and factors were moved

    @classmethod
    def of(cls, row: Row) -> CorrectionRecord:
        """What a row records."""
        if row.source is None or row.target is None or row.contribution is None:
            lacking = "contribution" if row.contribution is None else "texts"
            remedy = "restore the journal from a copy"
            raise DamagedFileError(f"row {row.id} of the journal has no {lacking}", remedy=remedy)
        return cls(row.source, row.target, *_decoded(row.contribution))

    def to_bytes(self) -> bytes:
        """Everything but the texts, which are columns of their own."""
        blocks = {ADAPTATION: self.adaptation, ANSWER: answer_to_bytes(self.answer) if self.answer else b""}
        framed = (HEAD.pack(kind, len(block)) + block for kind, block in blocks.items() if block)
        return b"".join(framed) + self.contribution.to_bytes()


def answer_in(row: Row) -> LearnedAnswer | None:
    """What another engine had answered for the source of a correction, if that was recorded with it."""
    return _decoded(row.contribution)[1] if row.contribution else None


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
