"""Training a base in shards, here or on a cluster: bit for bit what `Knowledge.train` produces from the same pairs.

1. Texts are read block by block, words numbered in order of first occurrence; the corpus is on disk from then on.
2. Both alignment models: an online epoch over the first pairs, one task per direction; then E-steps, one per shard.
3. One task per shard aligns its sentences and counts phrase pairs, n-grams and lengths.
4. The counts of the shards are merged, and the tables are built in files.

Counts are integers, and tables are numbered by their keys. So the result does not depend on shards, workers, or tasks
that were run twice; and memory depends on the size of a shard and of the vocabularies, not of the corpus.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from dragoman.arrays import ArrayTree
from dragoman.cluster import aligning, building, counting
from dragoman.cluster import corpus as corpora
from dragoman.cluster.aligning import Expected
from dragoman.cluster.corpus import Corpus
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.runners import Local, Runner
from dragoman.errors import BadInputError
from dragoman.files import storage_errors, write_arrays
from dragoman.models import estimators, knowledge
from dragoman.models.classes import ClassModel
from dragoman.models.defaults import defaults_of
from dragoman.models.language import MODIFIED, LanguageModel, check_smoothing
from dragoman.models.lengths import LengthModel
from dragoman.models.symmetry import DEFAULT, check_kind
from dragoman.progress import Progress
from dragoman.store import Project
from dragoman.text.tokens import Mode
from dragoman.text.vocabulary import SPECIAL

EPOCHS = estimators.PLAN.count("hmm")  # after one that is online
DIRECTIONS = {"inverse": ("source", "target"), "direct": ("target", "source")}


class Trained(NamedTuple):
    """The result of training."""

    pairs: int  # learned: those with no empty or overlong side
    bytes: int  # the peak size of the temporary files


def train(
    pairs: Iterable[tuple[str, str]],
    directory: Path,
    *,
    tokens: Mode = "text",
    order: int = 5,
    runner: Runner | None = None,
    shards: int | None = None,
    least: int = 1,
    symmetrisation: str = DEFAULT,
    smoothing: str = MODIFIED,
    work: Path | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Train a base on pairs of texts and save it to a directory.

    Phrase pairs and n-grams of the highest order seen less than `least` times are left out in the end. `work` is a
    directory for temporary files; by default they go beside the new base.
    """
    with storage_errors(directory), _scratch_directory(work or directory.parent) as scratch:
        trainer = Trainer(scratch, runner or Local(), shards, progress)
        arrays, learned = trainer.train(
            pairs, tokens, order, least, symmetrisation=check_kind(symmetrisation), smoothing=check_smoothing(smoothing)
        )
        about = {"kind": knowledge.KIND, "format": knowledge.FORMAT, "tokens": tokens}
        write_arrays(directory, arrays, about)
        return Trained(learned, scratch.most_bytes)


def train_project(project: Project, pairs: Iterable[tuple[str, str]], **options: Any) -> Trained:
    """`train` a base for a project that is open for writing and has learned nothing yet."""
    if project.find_base() or project.journal.history(limit=1):
        remedy = "create a new project and train it first"
        raise BadInputError("this project has already learned something", where=project.path, remedy=remedy)
    settings = project.settings
    options |= {"tokens": settings["tokens"], "order": settings["order"]}
    options |= asdict(defaults_of(settings))
    trained = train(pairs, project.own_base, **options)
    project.set_base(project.own_base)
    return trained


@contextmanager
def _scratch_directory(parent: Path) -> Iterator[ScratchDirectory]:
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent, prefix=".training-", ignore_cleanup_errors=True) as directory:
        yield ScratchDirectory(Path(directory))


class Trainer:
    """The steps of training, and what they share."""

    def __init__(
        self, scratch: ScratchDirectory, runner: Runner, shards: int | None = None, progress: Progress | None = None
    ) -> None:
        self.scratch, self.runner, self.shards = scratch, runner, shards
        self.progress = progress or (lambda *_: None)

    def train(
        self,
        pairs: Iterable[tuple[str, str]],
        tokens: Mode,
        order: int,
        least: int = 1,
        *,
        symmetrisation: str = DEFAULT,
        smoothing: str = MODIFIED,
    ) -> tuple[ArrayTree, int]:
        """All arrays of a `Knowledge`, and the number of pairs."""
        corpus, writing = corpora.read(pairs, tokens, self.runner, self.scratch, self.progress)
        models = self._align(corpus)
        models |= self._count(corpus, models, order, least, symmetrisation, smoothing)
        tree = ArrayTree()
        for name, vocabulary in corpus.vocabularies.items():
            tree.put(name, writing[name].over(vocabulary).arrays())
            models.put(name, vocabulary.arrays())
        tree.put("models", models)
        return tree, corpus.size

    def _align(self, corpus: Corpus) -> ArrayTree:
        """Train both alignment models by the plan: online, then epochs of batch EM."""
        expected = {name: self._empty(corpus, *sides) for name, sides in DIRECTIONS.items()}
        first = corpus.part(0, min(corpus.size, estimators.ONLINE))
        items = [
            first | {"sides": sides, "blocks": expected[name].blocks, "jumps": expected[name].jumps}
            for name, sides in DIRECTIONS.items()
        ]
        for name, found in zip(expected, self.runner.run(aligning.online, {}, items), strict=True):
            expected[name].gather([found])
        tree = ArrayTree()
        for name, sides in DIRECTIONS.items():
            for epoch in range(EPOCHS):
                self._expect(corpus, expected[name], sides, epoch)
            tree.put(name, expected[name].arrays(corpus.counts[sides[0]]))
        return tree

    def _empty(self, corpus: Corpus, source: str, target: str) -> Expected:
        """The counts of a direction, still empty."""
        words = [corpus.counts[side].size - len(SPECIAL) for side in (source, target)]
        return Expected(corpus.lengths(target), (words[0], words[1] + 1), self.scratch)

    def _expect(self, corpus: Corpus, expected: Expected, sides: tuple[str, str], epoch: int) -> None:
        """Replace the counts of a direction by those expected under the model they define."""
        what = f"aligning {sides[0]} to {sides[1]}"
        items = self._items(corpus, {"sides": sides})
        results = self.runner.run(aligning.expect, expected.shared(), items)
        expected.gather(self._with_progress(what, results, epoch * corpus.size, EPOCHS * corpus.size, corpus))

    def _count(
        self, corpus: Corpus, models: ArrayTree, order: int, least: int, symmetrisation: str, smoothing: str
    ) -> ArrayTree:
        """Count phrase pairs, n-grams and lengths with the alignment models."""
        shared = {**models, "order": order, "symmetrisation": symmetrisation}
        results = self.runner.run(counting.count_shard, shared, self._items(corpus, {}))
        told = self._with_progress("counting phrases", results, 0, corpus.size, corpus)
        found = [self.scratch.keep_all(each) for each in told]
        lengths = LengthModel()
        for each in found:
            lengths.merge(LengthModel.from_arrays(each.under("lengths")))
        lengths.compact()
        tree = ArrayTree()
        tree.put("lengths", lengths.arrays())
        tree.put("language", building.build_language(found, order, least, self.scratch, smoothing))
        classes = ClassModel(order, smoothing=smoothing)
        classes.train(LanguageModel.from_arrays(tree.under("language"), corpus.vocabularies["target"]))
        tree.put("classes", classes.arrays())
        self.progress("merging", 1, 2)
        tree.put("phrases", building.build_phrases(found, least, self.scratch))
        self.progress("merging", 2, 2)
        return tree

    def _items(self, corpus: Corpus, more: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The shards."""
        return ({**corpus.part(*bounds), **more} for bounds in corpus.shards(self.shards))

    def _with_progress(
        self, what: str, results: Iterator[Any], before: int, total: int, corpus: Corpus
    ) -> Iterator[Any]:
        """The results of the shards, reporting progress after each."""
        for (_, last), found in zip(corpus.shards(self.shards), results, strict=True):
            yield found
            self.progress(what, before + last, total)
