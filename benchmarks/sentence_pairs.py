"""Sentences of two texts that translate each other, matched by their lengths (Gale and Church 1993).

>>> spanish = split("Sí. Yo también lo creo, Sr. Evans. Gracias.")
>>> pairs = match(split("Yes. I feel so too, Mr Evans. Thank you."), spanish)
>>> [source for source, _ in pairs]
['Yes.', 'I feel so too, Mr Evans.', 'Thank you.']
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

# A stop, perhaps quotes or brackets, spaces, and then what can begin a sentence
_END = re.compile(r"(?<=[.!?…])([\"'”’»)\]]*)\s+(?=[\"'“‘«(\[¿¡]*[A-ZÀ-ÖØ-Þ0-9])")
_SHORT = re.compile(r"(^|[\s(¿¡])(Mr|Mrs|Ms|Dr|Sr|Sra|Srta|Sres|D|M|MM|Mme|No|Nos|Art|art|St|p|pp|vol|[A-Z])\.$")
# Kinds of matches with their probabilities (table 5 of the paper, each of two kinds its half)
KINDS = {(1, 1): 0.89, (1, 0): 0.00495, (0, 1): 0.00495, (2, 1): 0.0445, (1, 2): 0.0445, (2, 2): 0.011}
KEPT = {(1, 1), (1, 2), (2, 1)}
VARIANCE = 6.8  # of the length of a translation, for each character
COSTLY = 8.0  # a match this unlikely is not one


def split(text: str) -> list[str]:
    """The sentences of a paragraph."""
    pieces = _END.split(text.strip())
    whole = [piece + mark for piece, mark in zip(pieces[::2], [*pieces[1::2], ""], strict=True)]
    found: list[str] = []
    for sentence in whole:
        if found and _SHORT.search(found[-1]):
            found[-1] += f" {sentence}"
        else:
            found.append(sentence)
    return found


@lru_cache(maxsize=1 << 18)
def _surprise(source: int, target: int) -> float:
    """−log p that texts of these lengths match, whatever the kind of match."""
    mean = (source + target) / 2
    if not mean:
        return 0.0
    apart = abs(target - source) / math.sqrt(VARIANCE * mean)
    return -math.log(max(math.erfc(apart / math.sqrt(2)), 1e-300))


def match(source: Sequence[str], target: Sequence[str]) -> list[tuple[str, str]]:
    """The likeliest matches of one or two sentences with one or two; others are left out."""
    lengths = [len(each) for each in source], [len(each) for each in target]
    best = {(0, 0): (0.0, (0, 0), 0.0)}
    for j in range(len(source) + 1):
        for i in range(len(target) + 1):
            for (m, n), share in KINDS.items():
                if (before := best.get((j - m, i - n))) is None or m + n == 0:
                    continue
                alone = _surprise(sum(lengths[0][j - m : j]), sum(lengths[1][i - n : i]))
                cost = before[0] - math.log(share) + alone
                if (j, i) not in best or cost < best[j, i][0]:
                    best[j, i] = cost, (m, n), alone
    found = []
    at = len(source), len(target)
    while at != (0, 0):
        _, (m, n), alone = best[at]
        if (m, n) in KEPT and alone < COSTLY:
            found.append((" ".join(source[at[0] - m : at[0]]), " ".join(target[at[1] - n : at[1]])))
        at = at[0] - m, at[1] - n
    return found[::-1]
