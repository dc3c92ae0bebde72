"""Spacing and casing once more, slowly: everything is counted anew from the sentences learned, in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dragoman.records import Sentence
from dragoman.text import spacing_kernels as constants
from dragoman.text.casing import find_starts, in_capitals
from dragoman.text.spacing import _CLOSES, _CLOSING_IF_ALONE, _KINDS, _RULES, GAPS, SPACE, look_of
from dragoman.text.tokens import LOWER, MIXED, shape

Token = tuple[object, ...]


def is_sign(kind: int) -> bool:
    return kind >= constants.FIRST_SIGN


def roles(words: Sequence[str], placeable: Sequence[bool], apostrophes: set[int]) -> list[tuple[str, bool]]:
    """Of each token: "opens" or "closes", and whether it has a partner; apostrophes are those that may be one."""
    kinds = [look_of(word, fixed).kind for word, fixed in zip(words, placeable, strict=True)]
    signs = [word if look_of(word, fixed).pair else "" for word, fixed in zip(words, placeable, strict=True)]
    still_open: set[str] = set()
    found: list[tuple[str, bool]] = []
    for i, sign in enumerate(signs):
        if not sign:
            found.append(("opens", True))
        elif still_open.intersection(_CLOSES[sign]):
            still_open -= set(_CLOSES[sign])
            found.append(("closes", True))
        elif i not in apostrophes and any(sign in _CLOSES.get(later, "") for later in signs[i + 1 :]):
            still_open.add(sign)
            found.append(("opens", True))
        else:
            before_stop = i + 1 == len(words) or kinds[i + 1] in (constants.CLOSING, constants.POINT)
            closes = before_stop or sign in _CLOSING_IF_ALONE or may_be_apostrophe(words, placeable, i)
            found.append(("closes" if closes else "opens", False))
    return found


def may_be_apostrophe(words: Sequence[str], placeable: Sequence[bool], i: int) -> bool:
    return words[i] == "'" and not placeable[i] and i > 0 and not is_sign(look_of(words[i - 1], placeable[i - 1]).kind)


def contexts(
    words: Sequence[str],
    placeable: Sequence[bool],
    gaps: Sequence[int],
    apostrophes: set[int],
    vocabulary: set[str],
) -> tuple[list[tuple[Token, Token]], int]:
    """What is known of the gap after `gaps`, coarse first and then finer on each side; and what the rules say."""
    i = len(gaps)
    coarse: list[Token] = []
    fine: list[Token | None] = []
    kinds = []
    for at, role in zip((i, i + 1), roles(words, placeable, apostrophes)[i : i + 2], strict=True):
        look = look_of(words[at], placeable[at])
        joined = at == i and i > 0 and gaps[i - 1] == 0 and is_sign(look.kind)
        word: Token | None = (words[at], role, joined) if look.known and words[at] in vocabulary else None
        coarse.append(word if word and is_sign(look.kind) else (look.kind, role, joined))
        fine.append(None if is_sign(look.kind) else word)
        is_quote = look.kind == constants.OPENING_QUOTE
        kinds.append(constants.CLOSING_QUOTE if is_quote and role[0] == "closes" else look.kind)
    keys = [(coarse[0], coarse[1]), (fine[0] or (), coarse[1]), (coarse[0], fine[1] or ())]
    return keys, int(_RULES.gaps[kinds[0], kinds[1]])


def space(learned: Sequence[Sentence], words: Sequence[str], placeable: Sequence[bool]) -> list[str]:
    """The gaps between the words, after having learned from these sentences."""
    sentences = [sentence for sentence in learned if len(sentence) > 1]
    vocabulary = {
        w for s in sentences for w, fixed in zip(s.words, s.placeable, strict=True) if look_of(w, fixed).known
    }
    seen: Counter[tuple[Token, Token, int]] = Counter()
    for sentence in sentences:
        kinds = [_KINDS.get(gap, SPACE) for gap in sentence.gaps[1:-1]]
        apostrophes = {
            i
            for i in range(1, len(sentence))
            if may_be_apostrophe(sentence.words, sentence.placeable, i)
            and kinds[i - 1] == 0
            and kinds[i : i + 1] != [0]
        }
        for i, kind in enumerate(kinds):
            keys, _ = contexts(sentence.words, sentence.placeable, kinds[:i], apostrophes, vocabulary)
            seen.update((left, right, kind) for left, right in keys if left and right)
    likely = {i for i in range(1, len(words)) if may_be_apostrophe(words, placeable, i) and _likely(seen, words[i - 1])}
    chosen: list[int] = []
    for _ in range(len(words) - 1):
        keys, expected = contexts(words, placeable, chosen, likely, vocabulary)
        rule = [constants.DOUBT / len(GAPS)] * len(GAPS)
        rule[expected] += 1 - constants.DOUBT
        classes = _blend(seen, keys[0], rule, constants.CLASS_PRIOR)
        left = _blend(seen, keys[1], classes, constants.WORD_PRIOR)
        right = _blend(seen, keys[2], classes, constants.WORD_PRIOR)
        score = [a * b / c for a, b, c in zip(left, right, classes, strict=True)]
        chosen.append(score.index(max(score)))
    return [GAPS[kind] for kind in chosen]


def _likely(seen: Counter[tuple[Token, Token, int]], word: str) -> bool:
    """Whether an apostrophe was seen after this word, and more often than a quotation mark."""
    left = (word, ("opens", True), False)
    as_apostrophe = seen[left, ("'", ("closes", False), False), 0]
    return as_apostrophe > sum(seen[left, ("'", ("opens", True), False), kind] for kind in range(1, len(GAPS)))


def _blend(
    seen: Counter[tuple[Token, Token, int]], key: tuple[Token, Token], prior: list[float], weight: float
) -> list[float]:
    counts = [seen[key[0], key[1], kind] if key[0] and key[1] else 0 for kind in range(len(GAPS))]
    total = weight + sum(counts)
    return [(count + weight * p) / total for count, p in zip(counts, prior, strict=True)]


def form_at_start(learned: Sequence[Sentence], word: str) -> str:
    """The form that a capitalised word at the very start takes, after having learned from these sentences."""
    seen: Counter[str] = Counter()
    for sentence in learned:
        if in_capitals(sentence):
            continue
        starts = {start.at for start in find_starts(sentence.words, sentence.placeable)}
        seen.update(w for i, w in enumerate(sentence.words) if i not in starts or shape(w) in (LOWER, MIXED))
    return word if seen[word] > seen[word.lower()] else word.lower()
