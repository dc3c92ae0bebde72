"""What another engine's translation m of a corrected source f teaches (SPEC §8.3–4), and its form in the journal.

The alignment models learn from (f, m) too: from nothing they align badly, and every pair helps. Phrase, language and
length models do not: m is not a correction. Which pieces of m the correction kept or replaced is counted. A row of the
journal holds m, the engine's name and what (f, m) has added, so a replay needs no engine and gives the same bits.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass

import numpy as np

from dragoman.errors import BadInputError
from dragoman.models.contribution import Contribution
from dragoman.models.knowledge import Knowledge
from dragoman.models.replacements import Replacements
from dragoman.search.upstream_links import alike, link
from dragoman.types import Pair
from dragoman.upstream.fusion_trust import Costs

MARK = struct.pack("<i", -2)  # no contribution begins with it, nor an adaptation


@dataclass(frozen=True)
class Said:
    """What another engine said of a corrected source, and what the alignment models have learned from it."""

    text: str
    engine: str | None
    contribution: Contribution  # of (f, m); its links are those between the two
    costs: Costs | None = None  # word edits that each level of trust would have cost
    cases: tuple[int, int] = (0, 0)  # words whose case the engine had right, and those that dragoman would have had


def learn(knowledge: Knowledge, pair: Pair, engine: str | None) -> Said:
    """Let the alignment models learn from a source and what another engine said; before its correction is learned."""
    models = knowledge.models
    source, said = models.source.ids(pair.source_words, add=True), models.target.ids(pair.target_words, add=True)
    inverse, direct = models.inverse.add_ids(source, said), models.direct.add_ids(said, source)
    links = np.argwhere(link(models, source, said, alike(pair.source_words, pair.target_words))).astype(np.int32)
    return Said(pair.target.text, engine, Contribution(source, said, links, inverse, direct))


def relearn(knowledge: Knowledge, pair: Pair, said: Said) -> None:
    """Learn the same again, given what it has added."""
    models, added = knowledge.models, said.contribution
    ids = models.source.ids(pair.source_words, add=True), models.target.ids(pair.target_words, add=True)
    if not all(map(np.array_equal, ids, (added.source, added.target))):
        what = "an engine's translation was split into different words when it was learned, or belongs to another base"
        remedy = "learn all of them again with `dragoman copy`, or restore the base that belongs to the journal"
        raise BadInputError(what, remedy=remedy)
    put_back(knowledge, said)


def put_back(knowledge: Knowledge, said: Said) -> None:
    """Undo `forget`."""
    models, added = knowledge.models, said.contribution
    models.inverse.apply(added.source, added.target, added.inverse)
    models.direct.apply(added.target, added.source, added.direct)


def forget(knowledge: Knowledge, said: Said) -> None:
    """Take back what `learn` has added."""
    models, added = knowledge.models, said.contribution
    models.inverse.apply(added.source, added.target, added.inverse, -1)
    models.direct.apply(added.target, added.source, added.direct, -1)


def count(replacements: Replacements, said: Said, correction: Contribution, sign: int = 1) -> None:
    """Count which pieces of what was said a correction kept or replaced, or take that back (sign −1)."""
    heard = said.contribution
    replacements.count(heard.source, heard.target, heard.links, correction.target, correction.links, sign)


def with_said(contribution: bytes, said: Said | None) -> bytes:
    """What a row of the journal holds of a correction: its contribution, and before it what the engine said.

    >>> apart_from_said(with_said(b"contribution", None))
    (b'contribution', None)
    """
    if said is None:
        return contribution
    costs = None if said.costs is None else said.costs.tolist()
    about = json.dumps([said.engine, said.text, costs, *([said.cases] if any(said.cases) else [])]).encode()
    block = struct.pack("<i", len(about)) + about + said.contribution.to_bytes()
    return MARK + struct.pack("<i", len(block)) + block + contribution


def apart_from_said(data: bytes) -> tuple[bytes, Said | None]:
    """The contribution of a correction, and what the engine said, if it is known."""
    if not data.startswith(MARK):
        return data, None
    (size,) = struct.unpack_from("<i", data, 4)
    block, rest = data[8 : 8 + size], data[8 + size :]
    (length,) = struct.unpack_from("<i", block)
    engine, text, costs, *cases = json.loads(block[4 : 4 + length])
    levels = None if costs is None else np.array(costs, np.int64)
    contribution = Contribution.from_bytes(block[4 + length :])
    return rest, Said(text, engine, contribution, levels, tuple(cases[0]) if cases else (0, 0))
