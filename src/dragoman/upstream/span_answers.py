"""What an engine calls the words inside pairs of tags, so that they can be found in its translation of the whole.

1. The words inside each pair are asked for by themselves. Mostly they come as they stand in the translation.
2. Where they do not, the whole text is asked for again with quotes around them.

The answers are remembered, since the same words are bold or linked again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dragoman.text.markup import Markup
from dragoman.text.wordings import in_quotes, is_found, is_wording, open_pairs, quoted
from dragoman.upstream.contract import Answer, Hints, Silence

# Asks an engine: texts, their hints, whether they are marked. A Silence where a text has no answer.
Call = Callable[[Sequence[str], Sequence[Hints], bool], Sequence[Answer | Silence]]

REMEMBERED = 10_000
LONGEST = 400  # characters between a pair of tags; what is longer is found by the words around it


class SpanAnswers:
    """Asks an engine for the words inside pairs, at most `batch` texts at once."""

    def __init__(self, call: Call, batch: int = 16) -> None:
        self._call, self._batch = call, batch
        self._known: dict[str, str] = {}  # "" if there is no answer

    def find(self, wanted: Sequence[tuple[Markup, str]]) -> list[dict[int, list[str]]]:
        """For each text with its tags, and its translation: what the words inside its pairs are called."""
        pairs = [
            (at, number, inside)
            for at, (markup, translation) in enumerate(wanted)
            for number, inside in open_pairs(markup, translation).items()
            if len(inside) <= LONGEST
        ]
        found: list[dict[int, list[str]]] = [{} for _ in wanted]
        alone = self.ask([inside for _, _, inside in pairs])
        unsure = []
        for at, number, inside in pairs:
            markup, translation = wanted[at]
            found[at][number] = [said for said in (alone[inside],) if is_wording(said, inside, translation)]
            is_sure = found[at][number] and is_found(alone[inside], translation)
            if not is_sure and (text := quoted(markup, number)):
                unsure.append((at, number, text))
        again = self.ask([text for _, _, text in unsure])
        for at, number, text in unsure:
            said, translation = in_quotes(again[text]), wanted[at][1]
            found[at][number] += [said] if said and is_wording(said, text, translation) else []
        return found

    def ask(self, texts: Sequence[str]) -> dict[str, str]:
        """What the engine says of each text by itself; "" where it says nothing."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        said = {text: self._known[text] for text in texts if text in self._known}
        for first in range(0, len(new), self._batch):
            batch = new[first : first + self._batch]
            outcomes = self._call(batch, [Hints()] * len(batch), False)
            for text, each in zip(batch, outcomes, strict=True):
                said[text] = each.text if isinstance(each, Answer) else ""
        if len(self._known) > REMEMBERED:
            self._known = {}
        self._known |= said
        return said
