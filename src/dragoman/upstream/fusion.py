"""One text from pieces of another engine's translation and of learned ones."""

from __future__ import annotations

from dragoman.search.hypotheses import Hypothesis
from dragoman.text.starts import find_starts
from dragoman.types import Sentence


def blended(written: Sentence, said: Sentence, hypothesis: Hypothesis) -> Sentence:
    """The words of a hypothesis as they were `written`, but those of the other engine in its own casing and spacing.

    `said` is the other engine's translation. A word that begins a sentence in only one of the two keeps the case that
    it was written in.
    """
    words, gaps = list(written.words), list(written.gaps)
    starts = {start.at for start in find_starts(words, written.placeable)}
    own_starts = {start.at for start in find_starts(said.words, said.placeable)}
    at, before = 0, 0  # in the words written; in those said, one past the last word taken, if it is the word before
    for step in hypothesis.steps:
        if step.upstream is None:
            at, before = at + len(step.words), -1
            continue
        for place in range(*step.upstream):
            if (at in starts) == (place in own_starts):
                words[at] = said.words[place]
            if place == before and place > 0:
                gaps[at] = said.gaps[place]
            at, before = at + 1, place + 1
    return Sentence(tuple(words), tuple(gaps), written.placeable)
