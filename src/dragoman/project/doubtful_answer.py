"""An answer of another engine that looks wrong: is dragoman's own translation better? Only evidence may say so.

Checks err: a Chinese sentence full of Latin names looks like another language, a list of names like a copy. So such an
answer is used, and marked, unless

1. every word of the source was seen before, and most pairs of neighbours among them are in a learned phrase. On three
   texts such translations needed 3.6 word edits less than a good engine's, in the mean of 303; on texts in which
   little repeats there are hardly any (docs/understand/fusion.md);
2. or hardly a word of the answer was ever seen in a correction, although most of the source was: then it is in another
   language, or nonsense. Of right answers about 1 % look like this;
3. or it says nothing at all.
"""

from __future__ import annotations

from dragoman.project.request import Request
from dragoman.search.explain import explain
from dragoman.text.vocabulary import UNKNOWN
from dragoman.upstream.checks import says_something

PAIRS_SEEN = 0.6  # of the neighbouring words of a source, in learned phrases
ANSWER_SEEN = 0.25  # of the words of an answer, below which it is in another language if half of the source is known
LEAST = 4  # words of an answer that are not in its source, from which on they tell its language
NEVER = "\ue000"  # a word that nobody has ever written


def is_replaced(request: Request) -> bool:
    """Whether an answer that looks wrong gives way to dragoman's own translation."""
    if not says_something(request.answer_sentence):
        return True
    if request.state.is_untaught or request.is_long:  # a long text is judged sentence by sentence
        return False
    return _is_foreign(request) or _is_trusted(request.answered(None))


def _is_trusted(request: Request) -> bool:
    found, source = request.search_once(), request.source
    steps = [step for step in found.best.steps if step.kind == "copy"]
    if any(not source.placeable[n] for step in steps for n in range(*step.source)):
        return False
    offered = {tuple(offer.step.source) for offer in explain(found).offers if offer.step.kind == "phrase"}
    pairs = range(len(source) - 1)
    seen = sum(any(start <= n and n + 2 <= end for start, end in offered) for n in pairs)
    return seen >= PAIRS_SEEN * len(pairs)


def _is_foreign(request: Request) -> bool:
    sides, words = request.state.knowledge, request.words
    theirs = set(sides.target.model_words(request.answer_sentence)) - set(words)
    fresh = [word for word in theirs if any(map(str.isalpha, word))]
    if len(fresh) < LEAST or 2 * int((sides.models.source.ids(words) != UNKNOWN).sum()) < len(words):
        return False
    # By the language model, which has learned from corrections only: the vocabulary has the engine's words too.
    never = sides.models.language.prob(NEVER, ())
    return sum(sides.models.language.prob(word, ()) > never for word in fresh) < ANSWER_SEEN * len(fresh)
