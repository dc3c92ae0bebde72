"""An engine behind the interfaces of sil-machine (`pip install 'dragoman[machine]'`), where Thot's model would be.

`MachineModel` is an `InteractiveTranslationModel` of that library: its `InteractiveTranslatorFactory`, its suggesters
and its trainers work with it. Texts are ordinary text, cut by dragoman's own tokens; give the model's tokeniser and
detokeniser to the factory, so that both cut alike. See docs/use/machine.md.

>>> import tempfile
>>> from dragoman import Engine
>>> directory = tempfile.TemporaryDirectory()
>>> engine = Engine.create(f"{directory.name}/genesis", source="es", target="en")
>>> model = MachineModel(engine)
>>> model.train_segment("En el principio era la Palabra.", "In the beginning was the Word.")
>>> model.translate("En el principio").translation
'In the beginning'
>>> model.close(); directory.cleanup()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dragoman.engine import Engine
from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.interactive.translation_graph import TranslationArc, TranslationGraph
from dragoman.records import Translation
from dragoman.text.tokens import split

load("machine.translation", "machine")
from machine.annotations import Range  # noqa: E402
from machine.corpora import ParallelTextCorpus  # noqa: E402
from machine.tokenization import Detokenizer, RangeTokenizer  # noqa: E402
from machine.translation import (  # noqa: E402
    InteractiveTranslationModel,
    Phrase,
    Trainer,
    TrainStats,
    TranslationResult,
    TranslationSources,
    WordAlignmentMatrix,
    WordGraph,
    WordGraphArc,
)
from machine.utils.progress_status import ProgressStatus  # noqa: E402

Segment = str | Sequence[str]
ARCS = 500  # of a word graph: sil-machine goes through all of them for each key
AHEAD = 1e-3  # by how much the translation that everybody gets is better than the best path of the graph


class MachineModel(InteractiveTranslationModel):  # type: ignore[misc]
    """An engine as an interactive translation model of sil-machine; closing it closes the engine."""

    def __init__(self, engine: Engine, *, arcs: int = ARCS) -> None:
        self.engine, self.arcs = engine, arcs
        self.source_tokenizer = self.target_tokenizer = TextTokenizer(engine)
        self.target_detokenizer = TextDetokenizer(engine)

    def translate(self, segment: Segment) -> TranslationResult:
        """The translation that `Engine.translate` gives."""
        return self.translate_n(1, segment)[0]

    def translate_n(self, n: int, segment: Segment) -> Sequence[TranslationResult]:
        """The n best translations, or as many as there are."""
        text = _text(segment)
        graph = self.engine.word_graph(text, arcs=self.arcs)
        return _results(self.engine.translate(text, n=n, upstream=graph.upstream), graph)

    def translate_batch(self, segments: Sequence[Segment]) -> Sequence[TranslationResult]:
        """Many translations; another engine is asked for all of them at once."""
        return [found[0] for found in self.translate_n_batch(1, segments)]

    def translate_n_batch(self, n: int, segments: Sequence[Segment]) -> Sequence[Sequence[TranslationResult]]:
        """The n best translations of each of many texts."""
        texts = [_text(segment) for segment in segments]
        made = list(self.engine.translate_all(texts, n=n))
        graphs = (self.engine.word_graph(text, arcs=self.arcs) for text in texts)
        return [_results(one, graph) for one, graph in zip(made, graphs, strict=True)]

    def get_word_graph(self, segment: Segment) -> WordGraph:
        """The translations that a session completes from; the best path is what `translate` gives."""
        text = _text(segment)
        graph = self.engine.word_graph(text, arcs=self.arcs)
        translation = self.engine.translate(text, upstream=graph.upstream)
        arcs = [_arc(arc) for arc in _with_translation(graph, translation)]
        last = max((arc.next_state for arc in arcs), default=0)
        return WordGraph(graph.source.words, arcs, [last] if arcs else [])

    def train_segment(self, source_segment: Segment, target_segment: Segment, sentence_start: bool = True) -> None:  # noqa: ARG002
        """Learn a translation, durably; letter case is learned by dragoman's own rules, not by `sentence_start`.

        One that looks wrong is recorded but not learned, and a `FlaggedError` says why.
        """
        self.engine.learn(_text(source_segment), _text(target_segment))

    def create_trainer(self, corpus: ParallelTextCorpus) -> EngineTrainer:
        """Train a base from a corpus, before the first correction."""
        return EngineTrainer(self.engine, corpus)

    def save(self) -> None:
        """Nothing is left to do: what was learned is already on disk."""

    def close(self) -> None:
        """Close the engine."""
        self.engine.close()


class EngineTrainer(Trainer):  # type: ignore[misc]
    """Trains the base of an engine from a corpus of sil-machine."""

    def __init__(self, engine: Engine, corpus: ParallelTextCorpus) -> None:
        self._engine, self._corpus, self._stats = engine, corpus, TrainStats()

    def train(
        self,
        progress: Callable[[ProgressStatus], None] | None = None,
        check_canceled: Callable[[], None] | None = None,
    ) -> None:
        """Train from all rows of the corpus that have both sides; they are joined by spaces."""

        def tell(what: str, done: int, total: int | None) -> None:
            if check_canceled:
                check_canceled()
            if progress and total:
                progress(ProgressStatus.from_step(done, total, what))

        with self._corpus.get_rows() as rows:
            pairs = [(row.source_text, row.target_text) for row in rows if row.source_segment and row.target_segment]
        self._stats.train_corpus_size = self._engine.train(pairs, progress=tell)

    def save(self) -> None:
        """Nothing is left to do: the base is already on disk."""

    @property
    def stats(self) -> TrainStats:
        """The number of pairs learned."""
        return self._stats


class TextTokenizer(RangeTokenizer):  # type: ignore[misc]
    """The tokens of a project."""

    def __init__(self, engine: Engine) -> None:
        self._mode = engine.tokens

    def tokenize(self, data: str, data_range: Range | None = None) -> Iterable[str]:
        """The tokens as strings."""
        return [data[each.start : each.end] for each in self.tokenize_as_ranges(data, data_range)]

    def tokenize_as_ranges(self, data: str, data_range: Range | None = None) -> Iterable[Range]:
        """The places of the tokens in a text, or in a part of it."""
        begin, end = (data_range.start, data_range.end) if data_range else (0, len(data))
        return [Range.create(begin + first, begin + last) for first, last in split(data[begin:end], self._mode).spans]


class TextDetokenizer(Detokenizer):  # type: ignore[misc]
    """Puts spaces between tokens as the project's target language does."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def detokenize(self, tokens: Iterable[str]) -> str:
        """The text of some tokens."""
        words = tuple(tokens)
        if self._engine.tokens == "words":
            return " ".join(words)
        with self._engine.opened.reading() as state:
            return state.knowledge.target.spacing.space(words, (False,) * len(words)).text


def _text(segment: Segment) -> str:
    if isinstance(segment, str):
        return segment
    if not all(isinstance(token, str) for token in segment):
        raise BadInputError("expected a text or a list of tokens", remedy="give a string")
    return " ".join(segment)


def _results(translation: Translation, graph: TranslationGraph) -> list[TranslationResult]:
    return [_result(each, graph) for each in translation.nbest or (translation,)]


def _result(translation: Translation, graph: TranslationGraph) -> TranslationResult:
    source, target = translation.source.words, translation.target.words
    sure = graph.confidences(translation)
    sources = [TranslationSources.NONE] * len(target)
    for phrase in translation.phrases:
        sources[slice(*phrase.target)] = [_sources(phrase.kind)] * (phrase.target[1] - phrase.target[0])
    cuts = [Phrase(Range.create(*phrase.source), phrase.target[1]) for phrase in translation.phrases]
    links = WordAlignmentMatrix.from_word_pairs(len(source), len(target), translation.alignment)
    return TranslationResult(translation.text, source, target, sure, min(sure, default=1.0), sources, links, cuts)


def _sources(kind: str) -> TranslationSources:
    """An unknown word that is only copied has no source; both have had a say in another engine's words."""
    if kind == "copy":
        return TranslationSources.NONE
    return TranslationSources.SMT | TranslationSources.NMT if kind == "upstream" else TranslationSources.SMT


def _with_translation(graph: TranslationGraph, translation: Translation) -> Iterator[TranslationArc]:
    """The arcs, and a path for the translation if it is not the best one; arcs still lead to higher states."""
    words = tuple(word for arc in graph.best for word in arc.words)
    if not graph.arcs or words == translation.target.words:
        yield from graph.arcs
        return
    chain = list(_chain(graph, translation))
    end, last = graph.states - 1, graph.states - 2 + len(chain)
    moved = [arc._replace(target=last) if arc.target == end else arc for arc in graph.arcs]
    yield from sorted([*moved, *chain], key=lambda arc: arc.origin)


def _chain(graph: TranslationGraph, translation: Translation) -> Iterator[TranslationArc]:
    """The phrases of a translation as one path from the first state to the last, which is as good as the best."""
    total, count = sum(arc.score for arc in graph.best) + AHEAD, len(translation.phrases)
    sure, first = graph.confidences(translation), graph.states - 2
    for n, phrase in enumerate(translation.phrases):
        (begin, end), (low, high) = phrase.source, phrase.target
        links = tuple((j - begin, i - low) for j, i in translation.alignment if begin <= j < end and low <= i < high)
        origin, words = first + n if n else 0, translation.target.words[low:high]
        sure_of = tuple(sure[low:high])
        yield TranslationArc(origin, first + n + 1, total / count, words, phrase.source, phrase.kind, links, sure_of)


def _arc(arc: TranslationArc) -> WordGraphArc:
    size = arc.source[1] - arc.source[0]
    links = WordAlignmentMatrix.from_word_pairs(size, len(arc.words), arc.links)
    origin = [_sources(arc.kind)] * len(arc.words)
    span = Range.create(*arc.source)
    return WordGraphArc(arc.origin, arc.target, arc.score, arc.words, links, span, origin, arc.confidences)
