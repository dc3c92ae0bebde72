"""The other engine of a project, if one is set: asked without any lock, and never in the way of dragoman's own answer.

1. `ask` gives what the engine says for a text within the time allowed, or nothing.
2. `ask_ahead` asks for many texts in batches, so that each `ask` afterwards finds its answer.
3. `find_said` gives what was said for a text before, without asking: a correction is learned together with it.

Spaces around a text are not sent, and stand around the answer again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from dragoman.project.memory import Memory
from dragoman.project.state import State
from dragoman.store import Project
from dragoman.types import Sentence
from dragoman.upstream import Answer, Hints, TermPlace, Upstream

MOST_RECENT = 2_000  # texts whose answers are kept in memory until they are corrected
RECORDED = "recorded:"  # the kind of engine that is a file
NEAREST = 3  # corrections that a language model is shown


class Consultant:
    """Asks the engine that a project is set to; made once for an open project, safe to use from threads."""

    def __init__(self, project: Project, seconds: float) -> None:
        self._project = project
        self.seconds = seconds  # that whoever translates waits for it
        self._lock = threading.Lock()
        self._upstream: Upstream | None = None
        self._named: str | None = None
        self._recent: OrderedDict[tuple[str, str], Answer] = OrderedDict()  # by engine and text

    def upstream(self, name: str | None) -> Upstream | None:
        """The engine of this name, opened when it is first needed; one of another name is closed."""
        with self._lock:
            if name != self._named:
                old, self._upstream, self._named = self._upstream, None, name
                if old:
                    old.close()
            if name is not None and self._upstream is None:
                languages = {"source": self._project.source, "target": self._project.target}
                self._upstream = Upstream.open(name, self._project.journal, **languages)
            return self._upstream

    def ask(self, name: str, text: str, hints: Hints, *, anything: bool = False) -> Answer | None:
        """What the engine says for a text; with `anything`, even what looks wrong: there is nothing better."""
        upstream, (before, core, after) = self.upstream(name), _parts(name, text)
        if upstream is None or not core:
            return None
        reply = upstream.reply(core, hints, seconds=self.seconds)
        answer = reply.answer or (reply.refused if anything else None)
        if answer is None:
            return None
        self._remember(name, core, answer)
        return replace(answer, text=before + answer.text + after)

    def ask_ahead(self, name: str, texts: Sequence[str], hints: Sequence[Hints]) -> None:
        """Ask for many texts at once, however long that takes."""
        upstream = self.upstream(name)
        asked = {_parts(name, text)[1]: hint for text, hint in zip(texts, hints, strict=True)}
        asked.pop("", None)
        if upstream is None or not asked:
            return
        for core, reply in zip(asked, upstream.reply_all(list(asked), list(asked.values())), strict=True):
            if reply.answer:
                self._remember(name, core, reply.answer)

    def find_said(self, name: str, text: str, hints: Hints) -> tuple[Answer | None, str | None]:
        """What the engine has said for a text, and its name; nobody is asked but a file of recorded answers."""
        upstream, (before, core, after) = self.upstream(name), _parts(name, text)
        if upstream is None or not core:
            return None, None
        answer = self._recent.get((name, core)) or upstream.find(core, hints)
        if answer is None and name.startswith(RECORDED):
            answer = upstream.ask(core, hints, seconds=self.seconds)
        return (replace(answer, text=before + answer.text + after), upstream.name) if answer else (None, None)

    def continue_from(self, name: str, text: str, prefix: str) -> Answer | None:
        """Translations that begin with what was typed, from an engine that can do that; takes its time."""
        upstream, (_, core, after) = self.upstream(name), _parts(name, text)
        answer = upstream.continue_from(core, prefix) if upstream and core else None
        return replace(answer, text=answer.text + after) if answer else None

    @property
    def problem(self) -> str | None:
        """What went wrong the last time that the engine was asked."""
        return self._upstream.problem if self._upstream else None

    def close(self) -> None:
        """Give the engine back."""
        self.upstream(None)

    def _remember(self, name: str, text: str, answer: Answer) -> None:
        with self._lock:
            self._recent[name, text] = answer
            self._recent.move_to_end((name, text))
            while len(self._recent) > MOST_RECENT:
                self._recent.popitem(last=False)


def hints_for(state: State, source: Sentence) -> Hints:
    """The terms of the glossary in a text, and the corrections most like it; positions are those of `_parts`."""
    words = state.knowledge.source.model_words(source)
    found = state.glossary.find(words, source.placeable)
    recorded = (state.upstream or "").startswith(RECORDED)
    offset, spans = 0 if recorded else len(source.gaps[0]), source.spans
    terms = tuple(
        TermPlace(spans[term.start][0] - offset, spans[term.end - 1][1] - offset, " ".join(term.words))
        for term in found
    )
    return Hints(terms, _nearest(state.memory, source.text) if (state.upstream or "").startswith("openai:") else ())


def _nearest(memory: Memory, text: str) -> tuple[tuple[str, str], ...]:
    return tuple((match.source, match.target) for match in memory.similar(text, limit=NEAREST, codes=False))


def _parts(name: str, text: str) -> tuple[str, str, str]:
    """The spaces before a text, the text, and the spaces after it; recorded answers are those of the text as it is."""
    core = text if name.startswith(RECORDED) else text.strip()
    start = text.index(core) if core else 0
    return text[:start], core, text[start + len(core) :]
