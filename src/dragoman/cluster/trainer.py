"""Training a base in shards, here or on a cluster: bit for bit what `Knowledge.train` produces from the same pairs.

1. Texts are read block by block, words numbered in order of first occurrence; the corpus is on disk from then on.
2. Both alignment models: an online epoch over the first pairs, one task per direction; then E-steps, one per shard.
3. One task per shard aligns its sentences and counts phrase pairs, n-grams and lengths.
4. The counts of the shards are merged, and the tables are built in files.

Counts are integers, and tables are numbered by their keys. So the result does not depend on shards, workers, or tasks
that were run twice; and memory depends on the size of a shard and of the vocabularies, not of the corpus.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dragoman import __version__
from dragoman.arrays import ArrayTree
from dragoman.cluster import base_tables, shard_alignment, shard_counts, small_base
from dragoman.cluster import corpus as corpora
from dragoman.cluster.checkpoints import Checkpoints
from dragoman.cluster.corpus import Corpus, Texts
from dragoman.cluster.disk import ScratchDirectory
from dragoman.cluster.runners import Local, Runner
from dragoman.cluster.shard_alignment import Expected
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
LANGUAGES = ("models.language", "models.classes.language")
Size = Literal["full", "small"]
FULL: Size = "full"
SMALL: Size = "small"
DIRECTIONS = {"inverse": ("source", "target"), "direct": ("target", "source")}


class Trained(NamedTuple):
    """The result of training."""

    pairs: int  # learned: those with no empty or overlong side
    bytes: int  # the peak size of the temporary files
    resumed: int = 0  # results of tasks that were there from a training that was interrupted


def train(
    pairs: Iterable[tuple[str, str]],
    directory: Path,
    *,
    tokens: Mode = "text",
    order: int = 5,
    runner: Runner | None = None,
    shards: int | None = None,
    least: int = 1,
    size: Size = FULL,
    symmetrisation: str = DEFAULT,
    smoothing: str = MODIFIED,
    work: Path | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Train a base on pairs of texts and save it to a directory.

    Phrase pairs and n-grams of the highest order seen less than `least` times are left out in the end; with the size
    `small`, those that `small_base` can do without. `work` is a directory for temporary files; by default they go
    beside the new base.
    """
    check_size_of_base(size, least)
    kept = _directory_of_results(work or directory.parent, directory)
    with storage_errors(directory), _scratch_directory(kept) as scratch:
        trainer = Trainer(scratch, runner or Local(), shards, progress, kept)
        arrays, learned = trainer.train(
            pairs, tokens, order, least, symmetrisation=check_kind(symmetrisation), smoothing=check_smoothing(smoothing)
        )
        about = {"kind": knowledge.KIND, "format": knowledge.FORMAT, "tokens": tokens}
        if size == SMALL:
            arrays, about = trainer.small(arrays), about | {"size": size}
        write_arrays(directory, arrays, about)
        results = trainer.runner
        return Trained(learned, scratch.most_bytes + results.most_bytes, results.found)


def check_size_of_base(size: str, least: int) -> None:
    """Raise an error if there is no such size, or if it says twice what is left out."""
    if size not in (FULL, SMALL):
        raise BadInputError(f"a base is small or full, not {size!r}")
    if size == SMALL and least > 1:
        raise BadInputError("both --size small and --least say what is left out", remedy="give one of them")


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


def _directory_of_results(parent: Path, base: Path) -> Path:
    """Where the results of tasks are kept until a base is there: the same if it is trained again."""
    name = hashlib.sha256(os.fsencode(base.resolve())).hexdigest()[:16]
    return parent / f".training-{name}"


@contextmanager
def _scratch_directory(kept: Path) -> Iterator[ScratchDirectory]:
    """Room for temporary files, and for results that stay if training is interrupted."""
    directory = kept / "scratch"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    scratch = ScratchDirectory(directory)
    try:
        yield scratch
    except BadInputError:  # the same again would end the same way
        shutil.rmtree(kept, ignore_errors=True)
        raise
    finally:
        scratch.close()
        shutil.rmtree(directory, ignore_errors=True)
    shutil.rmtree(kept, ignore_errors=True)


class Trainer:
    """The steps of training, and what they share."""

    def __init__(
        self,
        scratch: ScratchDirectory,
        runner: Runner,
        shards: int | None = None,
        progress: Progress | None = None,
        kept: Path | None = None,
    ) -> None:
        self.scratch, self.shards = scratch, shards
        self.runner = Checkpoints(runner, kept)
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
        texts = Texts(pairs, self.scratch)
        sizes = corpora.BLOCK, corpora.SHARD, estimators.ONLINE
        choices = texts.checksum, tokens, order, symmetrisation, self.shards, *sizes, knowledge.FORMAT, __version__
        self.runner.begin(repr(choices))
        self.runner.step = "reading"
        corpus, writing = corpora.read(texts, tokens, self.runner, self.scratch, self.progress)
        models = self._align(corpus)
        models |= self._count(corpus, models, order, least, symmetrisation, smoothing)
        tree = ArrayTree()
        for name, vocabulary in corpus.vocabularies.items():
            tree.put(name, writing[name].over(vocabulary).arrays())
            models.put(name, vocabulary.arrays())
        tree.put("models", models)
        return tree, corpus.size

    def small(self, full: ArrayTree) -> ArrayTree:
        """The arrays of a `Knowledge` without what can be put together from the rest."""
        models = dict.fromkeys(LANGUAGES, small_base.small_language) | {"models.phrases": small_base.small_phrases}
        models |= {f"models.{direction}": small_base.small_alignment for direction in DIRECTIONS}
        pruned = tuple(f"{name}." for name in models)
        tree = ArrayTree({name: array for name, array in full.items() if not name.startswith(pruned)})
        for done, (name, prune) in enumerate(models.items(), start=1):
            if own := full.under(name):
                tree.put(name, prune(own, self.scratch))
            self.progress("leaving out", done, len(models))
        return tree

    def _align(self, corpus: Corpus) -> ArrayTree:
        """Train both alignment models by the plan: online, then epochs of batch EM."""
        expected = {name: self._empty(corpus, *sides) for name, sides in DIRECTIONS.items()}
        first = corpus.part(0, min(corpus.size, estimators.ONLINE))
        items = [
            first | {"sides": sides, "blocks": expected[name].blocks, "jumps": expected[name].jumps}
            for name, sides in DIRECTIONS.items()
        ]
        self.runner.step = "aligning"
        for name, found in zip(expected, self.runner.run(shard_alignment.online, {}, items), strict=True):
            expected[name].gather([found])
        tree = ArrayTree()
        for name, sides in DIRECTIONS.items():
            last = max((epoch for epoch in range(EPOCHS) if self.runner.has(f"{name}-{epoch}")), default=0)
            for epoch in range(last, EPOCHS):
                step = partial(self._expect, corpus, expected[name], sides, epoch)
                expected[name].take(self.runner.whole(f"{name}-{epoch}", step))
                self.runner.drop(f"{name}-{epoch - 1}")
            tree.put(name, expected[name].arrays(corpus.counts[sides[0]]))
        return tree

    def _empty(self, corpus: Corpus, source: str, target: str) -> Expected:
        """The counts of a direction, still empty."""
        words = [corpus.counts[side].size - len(SPECIAL) for side in (source, target)]
        return Expected(corpus.lengths(target), (words[0], words[1] + 1), self.scratch)

    def _expect(self, corpus: Corpus, expected: Expected, sides: tuple[str, str], epoch: int) -> ArrayTree:
        """Replace the counts of a direction by those expected under the model they define, and return them."""
        what = f"aligning {sides[0]} to {sides[1]}"
        items = self._items(corpus, {"sides": sides})
        results = self.runner.run(shard_alignment.expect, expected.shared(), items)
        expected.gather(self._with_progress(what, results, epoch * corpus.size, EPOCHS * corpus.size, corpus))
        return expected.gathered()

    def _count(
        self, corpus: Corpus, models: ArrayTree, order: int, least: int, symmetrisation: str, smoothing: str
    ) -> ArrayTree:
        """Count phrase pairs, n-grams and lengths with the alignment models."""
        shared = {**models, "order": order, "symmetrisation": symmetrisation}
        self.runner.step = "counting"
        results = self.runner.run(shard_counts.count_shard, shared, self._items(corpus, {}))
        told = self._with_progress("counting phrases", results, 0, corpus.size, corpus)
        found = [self.scratch.keep_all(each) for each in told]
        lengths = LengthModel()
        for each in found:
            lengths.merge(LengthModel.from_arrays(each.under("lengths")))
        lengths.compact()
        tree = ArrayTree()
        tree.put("lengths", lengths.arrays())
        tree.put("language", base_tables.build_language(found, order, least, self.scratch, smoothing))
        classes = ClassModel(order, smoothing=smoothing)
        classes.train(LanguageModel.from_arrays(tree.under("language"), corpus.vocabularies["target"]))
        tree.put("classes", classes.arrays())
        self.progress("merging", 1, 2)
        tree.put("phrases", base_tables.build_phrases(found, least, self.scratch))
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
