"""Another engine's answer with those changes that are trusted, each on its own evidence.

Functions here need the engine's lock.
"""

from __future__ import annotations

from dataclasses import replace

from dragoman.project import translation
from dragoman.project.request import Request
from dragoman.project.state import State
from dragoman.search.decoder import Search
from dragoman.search.hypotheses import Hypothesis
from dragoman.search.sentence_search import Links
from dragoman.types import ProposedChange, Sentence, Translation
from dragoman.upstream.changes import Proposal, Weighed, composed, folded, propose


def weigh(state: State, found: Search, hypothesis: Hypothesis) -> Weighed:
    """The changes proposed for the answer that a search was given, the hypothesis being the best one found.

    They are kept for the correction, which needs the same.
    """
    key, kept = (state.revision, found, hypothesis.words), state.weighed  # read once: other threads translate meanwhile
    if kept and kept[0] == key:
        return kept[1]
    target, models = state.knowledge.target, state.knowledge.models
    refused = frozenset(tuple(folded(target.read(text).words) for text in pair) for pair in state.refused_changes)
    in_force = state.confidence.has_paid
    trust = state.evidence, state.change_trust
    weighed = propose(*trust, models, found, hypothesis, in_force=in_force, refused=refused, now=state.revision)
    state.weighed = key, weighed
    return weighed


def best(request: Request, found: Search, n: int) -> list[Translation]:
    """The n best translations of a search as text; over another engine's answer, what is made of that comes first."""
    adaptation = request.state.adaptation_of(found.upstream is not None)
    lists = translation.listed(found, adaptation, n)
    hypotheses = translation.avoiding(request, found, translation.ranked(adaptation, lists, n))
    known: Links = {}
    first = decided(request, found, hypotheses[0], known)
    return [first, *(translation.written(request, found, each, known) for each in hypotheses[1:])]


def decided(request: Request, found: Search, hypothesis: Hypothesis, known: Links | None = None) -> Translation:
    """A hypothesis as text; over another engine's answer, that answer with the changes that are trusted."""
    state, answer = request.state, found.upstream.sentence if found.upstream else None
    if answer is None or not translation.is_acceptable(request, answer):
        return translation.written(request, found, hypothesis, known)
    if not state.weigh_changes:
        if state.confidence.bonus is None:
            return translation.repeated(request)
        return translation.written(request, found, hypothesis, known)
    weighed = weigh(state, found, hypothesis)
    made = _made(request, found, hypothesis, weighed, known)
    return replace(made, changes=tuple(_shown(answer, each) for each in weighed.proposals))


def _made(
    request: Request, found: Search, hypothesis: Hypothesis, weighed: Weighed, known: Links | None
) -> Translation:
    """The answer with the changes that are used as text; terms and bans of the project come first."""
    if weighed.words == weighed.searched:
        return translation.written(request, found, hypothesis, known)
    if weighed.words != weighed.answer:
        changed, links = composed(weighed, found, hypothesis)
        made = translation.written(request, found, changed, links)
        if translation.is_acceptable(request, made.target):
            return made
    return translation.repeated(request)


def _shown(answer: Sentence, proposal: Proposal) -> ProposedChange:
    place = proposal.begin, proposal.stop
    return ProposedChange(
        place, answer.cut(*place), proposal.instead, proposal.used, round(proposal.probability, 3), *proposal.times
    )
