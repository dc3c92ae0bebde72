"""Options that say nearly what was given at some place of a prefix, as compiled functions.

What an option would say is compared with the given words by the fewest surcharges that turn one into the other: words
are dropped, changed or added. Of the options of a span that come to the same words, the best is found.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dragoman.kernels import inlined, kernel, lean
from dragoman.models.language_kernels import EMPTY_HISTORY
from dragoman.search.lm_cache_kernels import say
from dragoman.search.options_kernels import ADDED, CHANGED, DROPPED, SURCHARGE

NONE = -1
REPLACED = 2  # source words, at most, that one given word may stand for

NEAR = np.dtype(
    [
        ("at", np.int64),  # words of the prefix that stand before it
        ("reached", np.int64),  # and with it
        ("option", np.int64),  # what it comes from
        ("dropped", np.int64),  # another option, of a source word beside it, of which nothing is said; or NONE
        ("start", np.int64),  # first source word
        ("end", np.int64),  # one past the last
        ("begin", np.int64),  # where its words stand in the text
        ("stop", np.int64),
        ("surcharges", np.int64),
        ("language", np.float64),  # log probability of the words that are not said, by themselves
        ("value", np.float64),  # its score
        ("after", np.int64),  # the next one of the same span, or NONE
    ],
    align=True,
)


class NearOptions(NamedTuple):
    """What has been found, and what is needed to find more."""

    row: np.ndarray  # [·] NEAR
    text: np.ndarray  # [·] int64, the prefix and then words of options that go beyond it
    sizes: np.ndarray  # [2] int64, of both
    head: np.ndarray  # [J, spans + 1] int64, the last one found of each span at this place, by start and length
    dropped: np.ndarray  # [J] int64, the option of each source word that is best not said, or NONE
    costs: np.ndarray  # [·, ·] int64, surcharges between the first words of an option and of what was given


@kernel
def find_near(options, weight, memo, lm, prefix, near, fixed):
    """(found [n] NEAR, text): what says nearly the words of a prefix, at each of its places.

    `weight` is that of the language model; near[at] is the range of source words to begin with, and `fixed` [J] are
    source words that must be copied.
    """
    J, spans = options.first.shape
    widest = np.int64((options.row["stop"] - options.row["begin"]).max())
    finding = NearOptions(
        np.empty(256, NEAR),
        np.empty(prefix.size + 1024, np.int64),
        np.array([0, prefix.size]),
        np.empty((J, spans + 1), np.int64),
        best_dropped(options, fixed),
        np.empty((widest + 1, widest + 2), np.int64),
    )
    finding.text[: prefix.size] = prefix
    for at in range(prefix.size):
        finding.head[:] = NONE
        for n in range(options.row.size):
            option = options.row[n]
            if near[at, 0] <= option.start < near[at, 1] and may_agree(options.words, option, prefix, at):
                finding = grown(finding, widest)
                if fill_costs(options.words, option, prefix, at, finding.costs):
                    offer_widened(finding, options, memo, lm, prefix, at, n)
                if not fixed[option.start : option.end].any():
                    offer_changed(finding, options, weight, memo, lm, prefix, at, n)
        for s in range(near[at, 0], near[at, 1]):
            finding = grown(finding, widest)
            offer_replaced(finding, options, weight, memo, lm, at, s, fixed)
    return finding.row[: finding.sizes[0]], finding.text[: finding.sizes[1]]


@kernel
def grown(finding, widest):
    """The same with room for all that one option or one source word can add."""
    row, text, more = finding.row, finding.text, 8 * widest + 8
    if finding.sizes[0] + more > row.size:
        row = np.empty(2 * (row.size + more), NEAR)
        row[: finding.row.size] = finding.row
    if finding.sizes[1] + more > text.size:
        text = np.empty(2 * (text.size + more), np.int64)
        text[: finding.text.size] = finding.text
    return NearOptions(row, text, finding.sizes, finding.head, finding.dropped, finding.costs)


@kernel
def best_dropped(options, fixed):
    """[J] the option of each source word by itself that it costs least to leave unsaid, or NONE."""
    best = np.full(fixed.size, NONE, np.int64)
    for s in range(fixed.size):
        if not fixed[s]:
            best[s] = least(options, s, 1, DROPPED, 0)
    return best


@lean
def least(options, s, length, each, more):
    """The best option of a span, if `each` of its words cost so many surcharges, and all of it some more; or NONE."""
    best, which = -np.inf, np.int64(NONE)
    for n in range(options.first[s, length - 1], options.first[s, length]):
        option = options.row[n]
        value = option.estimate + SURCHARGE * (each * (option.stop - option.begin) + more)
        if value > best:
            best, which = value, n
    return which


@lean
def may_agree(words, option, prefix, at):
    """Whether an option has a word in common with what was given, or this is its last word, which may be another."""
    if at + 1 == prefix.size:
        return True
    for i in range(option.begin, option.stop):
        for j in range(at, min(prefix.size, at + option.stop - option.begin + 1)):
            if words[i] == prefix[j]:
                return True
    return False


@lean
def fill_costs(words, option, prefix, at, costs):
    """Fill in the surcharges between beginnings of an option and what was given; returns whether they agree."""
    n = np.int64(option.stop) - option.begin
    m = min(prefix.size - at, n + 1)
    for j in range(m + 1):
        costs[0, j] = ADDED * j
    for i in range(1, n + 1):
        costs[i, 0] = DROPPED * i
        for j in range(1, m + 1):
            changed = 0 if words[option.begin + i - 1] == prefix[at + j - 1] else CHANGED
            costs[i, j] = min(costs[i - 1, j - 1] + changed, costs[i - 1, j] + DROPPED, costs[i, j - 1] + ADDED)
    both = min(n, m)
    return costs[both, both] == 0


@lean
def strange(i, j):
    """Surcharges between i words and j given words that have nothing in common."""
    return CHANGED * min(i, j) + DROPPED * max(i - j, 0) + ADDED * max(j - i, 0)


@lean
def forgiven(costs, i, j):
    """Whether the first i words of an option may stand for j given words: not all is strange, nor most of it."""
    return 0 < costs[i, j] <= max(ADDED, i, j) and costs[i, j] < strange(i, j)


@inlined
def offer_changed(finding, options, weight, memo, lm, prefix, at, n):
    """Offer what option n comes to if it may say other words: all of it, or its beginning before the prefix ends."""
    option, costs = options.row[n], finding.costs
    size = np.int64(option.stop) - option.begin
    m = min(prefix.size - at, size + 1)
    for j in range(1, m + 1):
        if forgiven(costs, size, j):
            say_given(finding, at, j)
            offer(finding, options, weight, memo, lm, n, size, costs[size, j], costs[size, j] / strange(size, j))
    if at + m == prefix.size and size > 1:
        furthest = 1
        for i in range(2, size):
            if costs[i, m] <= costs[furthest, m]:
                furthest = i
        if forgiven(costs, furthest, m) or (furthest == 1 and m == 1 and costs[1, 1] > 0):
            say_given(finding, at, m)
            go_beyond(finding, options.words, option, furthest)
            cost = costs[furthest, m]
            offer(finding, options, weight, memo, lm, n, furthest, cost, cost / strange(furthest, m))


@inlined
def offer_widened(finding, options, memo, lm, prefix, at, n):
    """Offer option n, which agrees with the prefix, for a source word beside its own as well."""
    option = options.row[n]
    size = np.int64(option.stop) - option.begin
    for side in range(2):
        s = np.int64(option.end) if side else np.int64(option.start) - 1
        if 0 <= s < finding.dropped.size and finding.dropped[s] != NONE:
            m = min(size, prefix.size - at)
            say_given(finding, at, m)
            if m < size:
                go_beyond(finding, options.words, option, m)
            drop(finding, options, memo, lm, n, finding.dropped[s])


@inlined
def offer_replaced(finding, options, weight, memo, lm, at, s, fixed):
    """Offer the given word at a place for what the one or two source words from s on would come to."""
    for length in range(1, min(REPLACED, options.first.shape[1] - 1, fixed.size - s) + 1):
        if fixed[s : s + length].any():
            break
        n = least(options, s, length, DROPPED, CHANGED - DROPPED)
        if n != NONE:
            size = np.int64(options.row[n].stop) - options.row[n].begin
            say_given(finding, at, 1)
            offer(finding, options, weight, memo, lm, n, size, strange(size, 1), 1.0)


@lean
def say_given(finding, at, count):
    """Begin the next row with some of the given words."""
    row = finding.row[finding.sizes[0]]
    row.at, row.reached, row.begin, row.stop = at, at + count, at, at + count


@lean
def go_beyond(finding, words, option, said):
    """Let the next row go on with the words of an option behind the first `said`."""
    row, end = finding.row[finding.sizes[0]], finding.sizes[1]
    for i in range(row.begin, row.stop):
        finding.text[end] = finding.text[i]
        end += 1
    for i in range(option.begin + said, option.stop):
        finding.text[end] = words[i]
        end += 1
    row.begin, row.stop = finding.sizes[1], end


@inlined
def offer(finding, options, weight, memo, lm, n, said, surcharges, share):
    """Complete the next row: option n at so many surcharges, of whose first `said` words a share is not said."""
    row, option = finding.row[finding.sizes[0]], options.row[n]
    unsaid = say(memo, lm, np.int64(EMPTY_HISTORY), options.words, option.begin, option.begin + said)[0]
    row.option, row.dropped, row.start, row.end = n, NONE, option.start, option.end
    row.surcharges, row.language = option.surcharges + surcharges, share * unsaid
    row.value = option.score + SURCHARGE * surcharges + weight * row.language
    keep_best(finding)


@inlined
def drop(finding, options, memo, lm, n, dropped):
    """Complete the next row: option n as it is, and another one beside it that is not said."""
    row, option, other = finding.row[finding.sizes[0]], options.row[n], options.row[dropped]
    row.option, row.dropped = n, dropped
    row.start, row.end = min(option.start, other.start), max(option.end, other.end)
    row.surcharges = option.surcharges + other.surcharges + DROPPED * (other.stop - other.begin)
    row.language = say(memo, lm, np.int64(EMPTY_HISTORY), options.words, other.begin, other.stop)[0]
    row.value = option.score + other.estimate + SURCHARGE * DROPPED * (other.stop - other.begin)
    keep_best(finding)


@lean
def keep_best(finding):
    """Keep the next row, unless one of the same span that says the same is as good; it takes the place of a worse."""
    size = finding.sizes[0]
    row = finding.row[size]
    span = finding.head[row.start]
    n = span[row.end - row.start]
    while n != NONE:
        other = finding.row[n]
        if same_words(finding.text, row, other):
            if row.value > other.value:
                row.begin, row.stop, row.after = other.begin, other.stop, other.after
                finding.row[n] = row
            return
        n = other.after
    row.after = span[row.end - row.start]
    span[row.end - row.start] = size
    finding.sizes[0] += 1
    finding.sizes[1] = max(finding.sizes[1], row.stop)


@lean
def same_words(text, one, other):
    """Whether two rows say the same."""
    size = one.stop - one.begin
    same = 0 if one.reached == other.reached and size == other.stop - other.begin else size + 1
    while same < size and text[one.begin + same] == text[other.begin + same]:
        same += 1
    return same == size
