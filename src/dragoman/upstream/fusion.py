"""One text from pieces of another engine's translation and of learned ones."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from dragoman.search.hypotheses import Hypothesis
from dragoman.text.starts import find_starts
from dragoman.types import Sentence


def blended(written: Sentence, answer: Sentence, hypothesis: Hypothesis, *, keep_case: bool = True) -> Sentence:
    """The words of a hypothesis as they were `written`, but those of the other engine in its own casing and spacing.

    `answer` is the other engine's translation. A word that begins a sentence in only one of the two keeps the case that
    it was written in; so do all words unless the engine's case is to be kept.
    """
    words, gaps = list(written.words), list(written.gaps)
    starts = {start.at for start in find_starts(words, written.placeable)}
    own_starts = {start.at for start in find_starts(answer.words, answer.placeable)}
    at, before = 0, 0  # in the words written; in those said, one past the last word taken, if it is the word before
    for step in hypothesis.steps:
        if step.upstream is None:
            at, before = at + len(step.words), -1
            continue
        for place in range(*step.upstream):
            if keep_case and (at in starts) == (place in own_starts):
                words[at] = answer.words[place]
            if place == before and place > 0:
                gaps[at] = answer.gaps[place]
            at, before = at + 1, place + 1
    return Sentence(tuple(words), tuple(gaps), written.placeable)


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
