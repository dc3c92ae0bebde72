"""The phrase options of one sentence with all that can be known of them before searching: features and estimates.

1. `collect` walks the phrase table from every word on and copies what it finds into flat arrays, in order of spans.
2. `fill_features` computes the features of each option, the HMM-smoothed phrase probabilities among them;
   `score_options` its weighted score and a language-model estimate.
3. `order_options` puts the options of each span best first; `fill_future` estimates what uncovered words will cost.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dragoman.kernels import inlined, kernel, lean
from dragoman.models.alignment_kernels import NULL, lexical
from dragoman.models.language_kernels import EMPTY_HISTORY
from dragoman.models.lattice_kernels import phrase_sum
from dragoman.models.loglinear_kernels import (
    CLASS_LANGUAGE,
    FEATURES,
    FLOOR,
    LANGUAGE,
    LEXICAL_DIRECT,
    LEXICAL_INVERSE,
    PHRASE_DIRECT,
    PHRASE_INVERSE,
    PHRASE_PENALTY,
    UPSTREAM_EVIDENCE,
    UPSTREAM_LEFT,
    UPSTREAM_WORDS,
    WORD_PENALTY,
    fill_phrase,
    lexical_weight,
)
from dragoman.models.phrases_options_kernels import options as list_options
from dragoman.models.phrases_options_kernels import target_words
from dragoman.models.reordering_kernels import reordering_scores
from dragoman.search.class_kernels import OFF, say_classes
from dragoman.search.lm_cache_kernels import say_after
from dragoman.tables.table_kernels import ABSENT

SURCHARGE = 0.1 * math.log(FLOOR)  # for what only a given prefix can have brought in; see docs/understand/search.md
# How often it is paid behind given words, for edits as in the correction of a word graph, [O] §2.3: for a word of a
# phrase that was not said, for one that was given instead, and for one that nothing gave
DROPPED, CHANGED, ADDED = 1, 2, 3
# Where nothing is forgiven: for a given word in place of a source word, and a source word that is left over
STRANGE = 5

# In place of a target path
COPY = -1  # the source word itself
TERM = -2  # the settled translation of a term
GIVEN = -3  # words of the prefix in place of what would have been said
INSERTED = -4  # a word of the prefix that nothing gave
FROM_ANSWER = -6  # words of the other engine's translation, which nothing learned says
NOWHERE = -1  # in place of a place in the other engine's translation

WINDOW = 62  # source words, from the first uncovered one on, among which a search may move
IMPOSSIBLE = -1e30


OPTION = np.dtype(
    [
        ("start", np.int32),  # first source word
        ("end", np.int32),  # one past the last
        ("begin", np.int32),  # where its target words stand in `words`
        ("stop", np.int32),  # one past the last
        ("score", np.float64),  # weighted sum of its features, those that need no context
        ("estimate", np.float64),  # score plus language-model estimate
        ("kin", np.int32),  # the first option with the same start and the same scores towards the next phrase
        ("path", np.int64),  # joint id of the target phrase, or COPY, TERM, GIVEN, INSERTED
        ("pair", np.int64),  # key of the phrase pair in the phrase model's table of pairs, or COPY and so on
        ("factor", np.float64),  # u, that the translation-model score is multiplied with ([M] Eq. 7)
        ("translation", np.float64),  # that score by itself, weighted
        ("surcharges", np.int32),  # how often SURCHARGE is in its score
        ("place", np.int32),  # where what it stands for begins in the other engine's translation, or NOWHERE
        ("reach", np.int32),  # and one past where it ends
        ("taken", np.int32),  # words that it has in common with it
        ("evidence", np.float64),  # log p(ẽ | f̃, m̃)
    ],
    align=True,
)
# p(f|e) of two words; e is kept with 1 added, so that a table of zeros knows nothing
LINK = np.dtype([("f", np.int64), ("e", np.int64), ("value", np.float64)])


class AnswerIds(NamedTuple):
    """Another engine's answer for the sentence; without words where there is none."""

    words: np.ndarray  # [I] int64
    linked: np.ndarray  # [J, I] bool, which of its words stands for which source word
    aligned: np.ndarray  # [I + 1] int64, the first of its words from each place on that stands for any, or I
    certainty: float  # how sure these links are taken to be
    share: float  # of its next word in what the language model expects


class SpanOptions(NamedTuple):
    """The options of one sentence; those of the span of n words from s on are first[s, n - 1] … first[s, n] - 1."""

    first: np.ndarray  # [J, longest + 1] int64
    row: np.ndarray  # [n] OPTION
    words: np.ndarray  # [·] int64, target words
    counts: np.ndarray  # [n, 3] int64: c(f̃,ẽ), Σ_ẽ, Σ_f̃; all 0 for a copy
    orientations: np.ndarray  # [n, 2, 3] float64, log probabilities (previous, next) by orientation
    features: np.ndarray  # [n, FEATURES] float64, those that need no context


@kernel
def collect(phrases, words, copies, fixed, slots, limit, found, row, counts, turns):
    """(first, number, words) of all options of a sentence; fills `row`, `counts` and `turns`, orientation counts.

    `copies` [J]: target id of each source word written unchanged; `fixed` [J]: true where it must be; `slots` [V]: true
    for target words that can only be copies. A word that has no translation by itself can be copied, so that every
    sentence can be translated.
    """
    J, longest = words.size, found.ends.size - 1
    first = np.zeros((J, longest + 1), np.int64)
    text, spelled = np.empty(64, np.int64), np.empty(longest + 1, np.int64)
    any_fixed = fixed.any()
    n, filled = 0, 0
    for s in range(J):
        list_options(phrases, words, s, limit, found)
        for length in range(1, longest + 1):
            first[s, length - 1] = n
            for at in range(found.ends[length - 1], found.ends[length]):
                size = target_words(phrases, found.target[at], spelled)
                if any_fixed and not keeps_fixed(copies, fixed, s, s + length, spelled, size):
                    continue
                if makes_up(copies, slots, spelled, size):
                    continue
                text = append(text, filled, spelled, size)
                pair = pair_key(phrases, found.in_base[at], found.in_layer[at])
                describe(row[n], s, s + length, filled, size, found.target[at], pair)
                counts[n, 0], counts[n, 1] = found.counts[at], found.source_total[at]
                counts[n, 2] = found.target_total[at]
                turns[n] = found.orientations[at]
                filled += size
                n += 1
            if length == 1 and n == first[s, 0]:
                spelled[0] = copies[s]
                text = append(text, filled, spelled, 1)
                describe(row[n], s, s + 1, filled, 1, np.int64(COPY), np.int64(COPY))
                counts[n] = 0
                turns[n] = 0
                filled += 1
                n += 1
        first[s, longest] = n
    return first, n, text[:filled]


@lean
def describe(option, start, end, begin, size, path, pair):
    """Write down what an option is."""
    option.start, option.end, option.begin, option.stop = start, end, begin, begin + size
    option.path, option.pair, option.factor, option.surcharges = path, pair, 1.0, 0
    option.place, option.reach, option.taken, option.evidence = NOWHERE, NOWHERE, 0, 0.0


@lean
def pair_key(phrases, in_base, in_layer):
    """Key of a phrase pair, found at these places: of its source path and its target path."""
    return phrases.pairs.base.keys[in_base] if in_base != ABSENT else phrases.pairs.layer.keys[in_layer]


@kernel
def append(text, size, more, n):
    """`text` with n more words from place `size` on, moved to a larger array when it is full."""
    if size + n > text.size:
        larger = np.empty(2 * (size + n), np.int64)
        larger[:size] = text[:size]
        text = larger
    text[size : size + n] = more[:n]
    return text


@lean
def keeps_fixed(copies, fixed, start, end, words, n):
    """Whether each word that must be kept stands among the n target words just as often as in the span."""
    for s in range(copies.size):
        if fixed[s]:
            surplus = 0
            for i in range(n):
                surplus += words[i] == copies[s]
            for other in range(start, end):
                surplus -= copies[other] == copies[s]
            if surplus != 0:
                return False
    return True


@lean
def makes_up(copies, slots, words, n):
    """Whether one of the n target words is a slot that the sentence has not."""
    for i in range(n):
        if words[i] < slots.size and slots[words[i]]:
            s = 0
            while s < copies.size and copies[s] != words[i]:
                s += 1
            if s == copies.size:
                return True
    return False


@inlined
def looked_up(memo, model, f, e):
    """p(f|e) of an alignment model, not looked up again while `memo` [2^k] LINK remembers it."""
    h = (np.uint64(f) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(e) * np.uint64(0xC4CEB9FE1A85EC53))
    known = memo[np.int64((h ^ (h >> np.uint64(29))) & np.uint64(memo.size - 1))]
    if known.f != f or known.e != e + 1:
        known.value = lexical(model, f, e)
        known.f, known.e = f, e + 1
    return known.value


@inlined
def fill_emission(memo, model, said, given, emission):
    """p(said_j|given_i) of two phrases [J] and [I], the null word in column 0."""
    for j in range(said.size):
        emission[j, 0] = looked_up(memo, model, said[j], np.int64(NULL))
        for i in range(given.size):
            emission[j, i + 1] = looked_up(memo, model, said[j], given[i])


@lean
def fill_features(options, source, inverse, direct, memos, jumps, beta, delta, emission, work, answer):
    """Fill the features of all options that need no context.

    `inverse` and `direct`: the alignment models; `memos` [2, 2^k] LINK of both; `jumps`: of both, as from `fill_jumps`;
    `emission` [longest, longest + 1] and `work` [2, longest + 1] are scratch.
    """
    for n in range(options.row.size):
        option, features = options.row[n], options.features[n]
        J, I = np.int64(option.end) - option.start, np.int64(option.stop) - option.begin
        features[:] = 0.0
        if option.path == INSERTED:
            features[WORD_PENALTY] = -np.float64(I)
            continue
        if option.path == COPY:
            rare = math.log(FLOOR)
            fill_phrase(features, J, I, FLOOR, FLOOR, rare, rare, delta)
            fill_answer(features, option)
            continue
        f, e = source[option.start : option.end], options.words[option.begin : option.stop]
        count, of_source, of_target = options.counts[n, 0], options.counts[n, 1], options.counts[n, 2]
        if max(J, I) >= work.shape[1]:  # a long term: it is settled, and the alignment models need not say anything
            fill_phrase(features, J, I, beta, beta, 0.0, 0.0, delta)
            fill_answer(features, option)
            continue
        fill_emission(memos[0], inverse, f, e, emission)
        link_answer(answer, option, emission, False)
        p_inverse = smoothed(count, of_target, phrase_sum(emission, J, I, jumps[0], work), beta)
        lex_inverse = lexical_weight(emission, J, I)
        fill_emission(memos[1], direct, e, f, emission)
        link_answer(answer, option, emission, True)
        p_direct = smoothed(count, of_source, phrase_sum(emission, I, J, jumps[1], work), beta)
        lex_direct = lexical_weight(emission, I, J)
        fill_phrase(features, J, I, p_inverse, p_direct, lex_inverse, lex_direct, delta)
        fill_answer(features, option)


@lean
def fill_answer(features, option):
    """Write what an option has of the features of the other engine's translation that need no context."""
    if option.place != NOWHERE:
        features[UPSTREAM_WORDS] = option.taken
        features[UPSTREAM_LEFT] = option.taken - (option.reach - option.place)
    features[UPSTREAM_EVIDENCE] = option.evidence
    if option.path == FROM_ANSWER:
        features[PHRASE_PENALTY] = 0.0


@lean
def link_answer(answer, option, emission, turned):
    """Let words of the other engine's translation be likely where they are linked to words of the source."""
    I = np.int64(option.stop) - option.begin
    if option.place == NOWHERE or option.taken < I or option.reach - option.place != I:
        return
    for j in range(option.end - option.start):
        for i in range(I):
            if answer.linked[option.start + j, option.place + i]:
                if turned:
                    emission[i, j + 1] += answer.certainty * (1.0 - emission[i, j + 1])
                else:
                    emission[j, i + 1] += answer.certainty * (1.0 - emission[j, i + 1])


@lean
def smoothed(count, total, by_words, beta):
    """A relative frequency interpolated with what the HMM says ([O] Eq. 8, 9)."""
    frequency = count / total if count > 0 else 0.0
    return beta * frequency + (1.0 - beta) * by_words


@lean
def score_options(options, weights, memo, lm, classes, answer):
    """Weigh the features of all options, and add what the language models say of their words by themselves."""
    alone = np.int64(EMPTY_HISTORY)
    alone_classes = alone if classes.of.size > 0 else np.int64(OFF)
    for n in range(options.row.size):
        option, features = options.row[n], options.features[n]
        option.translation = scale(features, weights, option.factor)
        score = SURCHARGE * option.surcharges
        for r in range(FEATURES):
            score += weights[r] * features[r]
        option.score = score
        place = np.int64(option.place)
        said = say_after(memo, lm, alone, options.words, option.begin, option.stop, answer, place, True)
        kinds = say_classes(classes, alone_classes, options.words, option.begin, option.stop)
        option.estimate = score + weights[LANGUAGE] * said[0] + weights[CLASS_LANGUAGE] * kinds[0]


@lean
def scale(features, weights, factor):
    """Multiply the features of the translation model with a factor; returns what their weighted sum was ([M] Eq. 7)."""
    total = 0.0
    for r in (PHRASE_INVERSE, PHRASE_DIRECT, LEXICAL_INVERSE, LEXICAL_DIRECT):
        total += weights[r] * features[r]
        features[r] *= factor
    return total


@kernel
def order_options(first, row):
    """The order in which the options of each span stand best first, equals in the order they have."""
    order = np.arange(row.size)
    J, spans = first.shape
    for s in range(J):
        for length in range(1, spans):
            for n in range(first[s, length - 1] + 1, first[s, length]):  # few and nearly in order: by insertion
                at = n
                while at > first[s, length - 1] and row[order[at - 1]].estimate < row[n].estimate:
                    order[at] = order[at - 1]
                    at -= 1
                order[at] = n
    return order


@lean
def fill_orientations(turns, totals, orientations):
    """Scores of the reordering model [n, 2, 3] from the counts [n, 2, 3] of each option and those [2, 3] of all."""
    for n in range(turns.shape[0]):
        reordering_scores(turns[n], totals, orientations[n])


@lean
def same_next(orientations, a, b):
    """Whether two options have the same scores towards the next phrase."""
    one, two = orientations[a, 1], orientations[b, 1]
    return one[0] == two[0] and one[1] == two[1] and one[2] == two[2]


@lean
def fill_kin(first, orientations, row):
    """The first option of the same start that has the same scores towards the next phrase, for each option."""
    for s in range(first.shape[0]):
        for n in range(first[s, 0], first[s, -1]):
            row[n].kin = n
            for other in range(first[s, 0], n):
                if row[other].kin == other and same_next(orientations, n, other):
                    row[n].kin = other
                    break


@lean
def fill_future(first, row, inside, after):
    """What uncovered words will add at best: inside [J, WINDOW + 1] by start and length, after [J + 1] to the end."""
    J, spans = first.shape
    after[J] = 0.0
    for s in range(J - 1, -1, -1):
        after[s] = IMPOSSIBLE
        inside[s, 0] = 0.0
        for n in range(1, min(WINDOW, J - s) + 1):
            inside[s, n] = IMPOSSIBLE
        for length in range(1, min(spans - 1, J - s) + 1):
            a, b = first[s, length - 1], first[s, length]
            if a == b:
                continue
            best = row[a].estimate  # sorted
            after[s] = max(after[s], best + after[s + length])
            inside[s, length] = max(inside[s, length], best)
            for n in range(length + 1, min(WINDOW, J - s) + 1):
                inside[s, n] = max(inside[s, n], best + inside[s + length, n - length])
