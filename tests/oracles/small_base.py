"""Which phrase pairs, n-grams and links a small base keeps, by looking at all others."""

from __future__ import annotations

from collections.abc import Mapping

Words = tuple[int, ...]
Pair = tuple[Words, Words]
Gram = tuple[str, ...]


def kept_pairs(counts: Mapping[Pair, int], options: int, longest_alone: int, likely: float) -> set[Pair]:
    """Of the `options` best of a source phrase, the pairs seen more than once and those that no two others make."""
    kept = set()
    for f in {source for source, _ in counts}:
        targets = [e for source, e in counts if source == f]
        best = sorted(targets, key=lambda e: (-counts[f, e], len(e), e))[:options]
        kept |= {(f, e) for e in best if _is_needed((f, e), counts, longest_alone, likely)}
    return kept


def _is_needed(pair: Pair, counts: Mapping[Pair, int], longest_alone: int, likely: float) -> bool:
    f, e = pair
    if counts[pair] > 1 or len(f) == 1 or len(e) == 1:
        return True
    is_alone = _total(counts, 0, f) == 1 == _total(counts, 1, e)
    return not (is_alone and len(f) > longest_alone) and not _is_made(pair, counts, likely)


def _is_made(pair: Pair, counts: Mapping[Pair, int], likely: float) -> bool:
    f, e = pair
    is_alone = _total(counts, 0, f) == 1 == _total(counts, 1, e)
    for j in range(1, len(f)):
        for i in range(1, len(e)):
            for one, other in (((f[:j], e[:i]), (f[j:], e[i:])), ((f[:j], e[i:]), (f[j:], e[:i]))):
                if one in counts and other in counts:
                    both = _likelihood(counts, one) * _likelihood(counts, other)
                    if not is_alone or both >= likely:
                        return True
    return False


def _total(counts: Mapping[Pair, int], side: int, phrase: Words) -> int:
    return sum(count for pair, count in counts.items() if pair[side] == phrase)


def _likelihood(counts: Mapping[Pair, int], pair: Pair) -> float:
    count = counts[pair]
    return count / _total(counts, 0, pair[0]) * (count / _total(counts, 1, pair[1]))


def can_be_made(pair: Pair, kept: set[Pair]) -> bool:
    """Whether a pair is kept, or consists of pairs that can be made, side by side or swapped."""
    f, e = pair
    return pair in kept or any(
        can_be_made(one, kept) and can_be_made(other, kept)
        for j in range(1, len(f))
        for i in range(1, len(e))
        for one, other in (((f[:j], e[:i]), (f[j:], e[i:])), ((f[:j], e[i:]), (f[j:], e[:i])))
    )


def kept_links(
    links: Mapping[tuple[int, int], int], totals: Mapping[int, int], least: float, share: float
) -> set[tuple[int, int]]:
    """Links of a target word with a source word that are expected often enough, or are enough of their word's total."""
    return {(e, f) for (e, f), amount in links.items() if amount >= least or amount >= share * totals[e]}


def kept_grams(counts: Mapping[Gram, int]) -> set[Gram]:
    """N-grams of one or two words, those counted more than once, and the beginnings and ends of all that are kept."""
    kept = {gram for gram, count in counts.items() if len(gram) < 3 or count > 1}
    while more := {part for gram in kept for part in (gram[:-1], gram[1:]) if part} - kept:
        kept |= more
    return kept
