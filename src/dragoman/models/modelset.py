"""All models of a translation direction together: a sentence pair adds its contribution to each and can be removed.

>>> models = ModelSet()
>>> one = models.add("press the green button".split(), "pulse el botón verde".split())
>>> two = models.add("press the red button".split(), "pulse el botón rojo".split())
>>> models.phrases.phrase_count > 0
True
>>> models.remove(two)
>>> models.remove(one)
>>> models.phrases.phrase_count
0
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from numbers import Real
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dragoman.arrays import ArrayTree, Restorable
from dragoman.errors import BadInputError
from dragoman.files import open_arrays, write_arrays
from dragoman.kernels import exercise
from dragoman.models import alignment_kernels, estimators, symmetry_kernels
from dragoman.models.alignment import AlignmentModel, check_pair
from dragoman.models.classes import ClassModel
from dragoman.models.contribution import MAX_PHRASE_WORDS, Contribution
from dragoman.models.language import AUTO, MODIFIED, LanguageModel, Share, saved_order, saved_smoothing
from dragoman.models.lengths import LengthModel
from dragoman.models.phrases import PhraseModel
from dragoman.models.symmetry import DEFAULT, KINDS, check_kind
from dragoman.models.word_forms import WordForms
from dragoman.progress import Progress
from dragoman.tables import Ids
from dragoman.text.vocabulary import Vocabulary

__all__ = ["Contribution", "ModelSet"]

KIND = "ModelSet"
SHARE = 0.5  # of a layer in the translation models; better on four texts than 0.3, 0.7 and sums
NEARNESS = (
    0.4  # of the alignment models; starting from nothing, the best of 0.3, 0.4, 0.5 and 0.7, though all are close
)
MAX_LIMIT = 2**53  # of a layer: exact in JSON, and far more than fits into memory

Words = Sequence[str]


class ModelSet(Restorable):
    """Vocabularies, language model, two alignment models, phrase model and length model of one direction.

    Over a base, which never changes, it holds the differences. `limit` is the most n-grams, phrase pairs, and links of
    either alignment model that this layer keeps of each; beyond it, the least useful are dropped.
    """

    parts = ("source", "target", "language", "inverse", "direct", "phrases", "lengths", "classes")

    source: Vocabulary
    target: Vocabulary
    language: LanguageModel
    inverse: AlignmentModel  # p(source | target)
    direct: AlignmentModel  # p(target | source)
    phrases: PhraseModel
    lengths: LengthModel
    classes: ClassModel  # without a base that has classes, empty

    def __init__(
        self,
        base: ModelSet | None = None,
        *,
        order: int = 5,
        symmetrisation: str = DEFAULT,
        smoothing: str = MODIFIED,
        limit: int | None = None,
        share: float | None = SHARE,
        language_share: Share = AUTO,
    ) -> None:
        self.base = base
        self.symmetrisation = check_kind(symmetrisation)
        self.limit = limit
        self.source = Vocabulary(base.source if base else None)
        self.target = Vocabulary(base.target if base else None)
        self.language = LanguageModel(
            base.language.order if base else order, self.target, base.language if base else None, smoothing=smoothing
        )
        self.inverse = AlignmentModel(self.source, self.target, base.inverse if base else None)
        self.direct = AlignmentModel(self.target, self.source, base.direct if base else None)
        self.phrases = PhraseModel(base.phrases if base else None, longest=MAX_PHRASE_WORDS)
        self.lengths = LengthModel(base.lengths if base else None)
        self.classes = ClassModel(
            self.language.order, base.classes if base else None, smoothing=self.language.smoothing
        )
        self.inverse.nearness = self.direct.nearness = NEARNESS
        self.share, self.language_share = share, language_share

    @cached_property
    def forms(self) -> WordForms:
        """Related source words; found when they are needed, and not saved."""
        return WordForms(self.source, self.phrases, self.base.forms if self.base else None)

    @property
    def share(self) -> float | None:
        """Weight of this layer against its base in the translation models, from 0 to 1; None sums the counts.

        With a share, relative frequencies of phrase pairs, word pairs and jumps are linearly interpolated, share ·
        p_layer + (1 − share) · p_base, where both have counts; otherwise the one that has any is used alone. It may be
        set at any time, and no counts depend on it except those that the alignment models expect of the next sentence.
        Orientations and lengths are always summed.
        """
        return self._share

    @share.setter
    def share(self, share: float | None) -> None:
        self._share = checked_share(share)
        for model in (self.inverse, self.direct, self.phrases):
            model.share = share

    @property
    def language_share(self) -> Share:
        """The same for n-gram probabilities; `AUTO` sums unless the base is from another domain."""
        return self.language.share

    @language_share.setter
    def language_share(self, share: Share) -> None:
        self.language.share = checked_language_share(share)

    @property
    def shares(self) -> dict[str, Share]:
        """Both shares, as they are saved."""
        return {"share": self.share, "language_share": self.language_share}

    def add(self, source: Words, target: Words) -> Contribution:
        """Learn one sentence pair, given as words; if it cannot be learned, an error is raised and nothing changes."""
        check_pair(source, target)
        return self.add_ids(self.source.ids(source, add=True), self.target.ids(target, add=True))

    def add_ids(self, source: Ids, target: Ids) -> Contribution:
        """`add` for word ids."""
        inverse = self.inverse.add_ids(source, target)
        direct = self.direct.add_ids(target, source)
        contribution = Contribution(source, target, self.align(source, target), inverse, direct)
        self._count(contribution)
        return contribution

    def apply(self, contribution: Contribution) -> None:
        """Add a known contribution: what `add` does after estimating it."""
        source, target = contribution.source, contribution.target
        self.inverse.apply(source, target, contribution.inverse)
        self.direct.apply(target, source, contribution.direct)
        self._count(contribution)

    def _count(self, contribution: Contribution) -> None:
        """Count phrase pairs, n-grams and lengths, within the limit."""
        source, target = contribution.source, contribution.target
        self.phrases.add(source, target, contribution.links)
        self.language.add_ids(target)
        self.classes.add_ids(target)
        self.lengths.add(source.size, target.size)
        if self.limit is not None:
            self.language.prune(self.limit)
            self.classes.prune(self.limit)
            self.phrases.prune(self.limit)
            self.inverse.prune(self.limit)
            self.direct.prune(self.limit)

    def remove(self, contribution: Contribution) -> None:
        """Undo `add`, given what it returned."""
        source, target = contribution.source, contribution.target
        self.language.remove_ids(target)
        self.classes.remove_ids(target)
        self.phrases.remove(source, target, contribution.links)
        self.lengths.remove(source.size, target.size)
        self.inverse.apply(source, target, contribution.inverse, -1)
        self.direct.apply(target, source, contribution.direct, -1)

    def align(self, source: Ids, target: Ids) -> NDArray[np.int32]:
        """Links [n, 2] between the words of a sentence pair, from both directions as `symmetrisation` says."""
        check_pair(source, target)
        inverse = alignment_kernels.lattice(self.inverse.view, source, target)
        direct = alignment_kernels.lattice(self.direct.view, target, source)
        matrix = symmetry_kernels.link_lattices(inverse, direct, KINDS[self.symmetrisation])
        links: NDArray[np.int32] = symmetry_kernels.positions(matrix)
        return links

    def train(
        self, pairs: Iterable[tuple[Words, Words]], *, threads: int | None = None, progress: Progress | None = None
    ) -> None:
        """Train an empty set in batch, as a base for others; the result is the same for any number of threads.

        All entries are sorted by key, so training in shards (`dragoman.cluster`) gives the same bits.
        """
        if self.base or len(self.source) > self.source.first:
            raise BadInputError("only an empty model set can be trained", remedy="create a new one")
        samples = []
        for number, (source, target) in enumerate(pairs, start=1):
            check_pair(source, target, where=f"pair {number}")
            samples.append((self.source.ids(source, add=True), self.target.ids(target, add=True)))
        self._train_alignment(samples, threads, progress)
        self._train_counts(samples, threads or os.cpu_count() or 1, progress)

    def _train_alignment(self, samples: list[tuple[Ids, Ids]], threads: int | None, progress: Progress | None) -> None:
        for name, model, pairs in (
            ("aligning source to target", self.inverse, samples),
            ("aligning target to source", self.direct, [(target, source) for source, target in samples]),
        ):
            estimators.train(model, pairs, threads=threads, progress=_named(progress, name))

    def _train_counts(self, samples: list[tuple[Ids, Ids]], threads: int, progress: Progress | None) -> None:
        """Count n-grams, phrase pairs and lengths while several threads align sentences ahead of the counting."""
        report = _named(progress, "counting phrases") or (lambda *_: None)
        with ThreadPoolExecutor(threads) as pool:
            counting = pool.submit(self.language.train, [target for _, target in samples])
            for begin in range(0, len(samples), 1000):
                chunk = samples[begin : begin + 1000]
                links = pool.map(self.align, *zip(*chunk, strict=True))
                self.phrases.train((f, e, each) for (f, e), each in zip(chunk, links, strict=True))
                report(min(begin + 1000, len(samples)), len(samples))
            counting.result()
        self.lengths.add([source.size for source, _ in samples], [target.size for _, target in samples])
        for model in (self.language, self.inverse, self.direct, self.phrases, self.lengths):
            model.compact()
        self.classes.train(self.language)

    def statistics(self) -> dict[str, int]:
        """Sizes of this layer, and what the limit has dropped."""
        phrases = self.phrases.statistics()
        return {
            "source words": len(self.source) - self.source.first,
            "target words": len(self.target) - self.target.first,
            "n-grams": len(self.language),
            "phrase pairs": phrases["pairs"],
            "links": sum(len(model.tables["links"]) for model in (self.inverse, self.direct)),
            "bytes": sum(array.nbytes for array in self.arrays().values()),
            "dropped n-grams": self.language.dropped,
            "dropped phrase pairs": phrases["dropped"],
            "dropped links": self.inverse.dropped + self.direct.dropped,
        }

    def save(self, directory: str | Path) -> None:
        """Write the set to a directory, atomically."""
        about = {"kind": KIND, "symmetrisation": self.symmetrisation, "limit": self.limit}
        write_arrays(Path(directory), self.arrays(), about | self.shares)

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Return to the state with these `arrays()`; they are used as they are, not copied."""
        super().restore(arrays)
        self.__dict__.pop("forms", None)  # which have been looked at with the words there were

    @classmethod
    def open(cls, directory: str | Path, base: ModelSet | None = None, *, verify: bool = False) -> ModelSet:
        """Map a saved set into memory; it can serve as a base or keep learning."""
        arrays, about = open_arrays(Path(directory), verify=verify)
        if about.get("kind") != KIND:
            raise BadInputError(f"holds a {about.get('kind')}, not a {KIND}", where=directory)
        models = cls.from_arrays(arrays, base, symmetrisation=about["symmetrisation"], limit=about["limit"])
        models.share, models.language_share = about.get("share"), about.get("language_share")
        return models

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        base: ModelSet | None = None,
        *,
        symmetrisation: str = DEFAULT,
        limit: int | None = None,
    ) -> ModelSet:
        """Restore a set from its `arrays()`, which are used directly, not copied."""
        language = ArrayTree(arrays).under("language")
        order, smoothing = saved_order(language), saved_smoothing(language)
        models = cls(base, order=order, symmetrisation=symmetrisation, smoothing=smoothing, limit=limit)
        models.restore(arrays)
        return models


def checked_share(share: Share) -> float | None:
    """The share, if it is valid."""
    if share is not None and not (isinstance(share, Real) and 0 <= share <= 1):
        raise BadInputError(f"a share must be a number from 0 to 1, not {share}", remedy="pass None to sum the counts")
    return share


def checked_language_share(share: Share) -> Share:
    """The share for n-grams, which may be `AUTO`, if it is valid."""
    return share if share == AUTO else checked_share(share)


def checked_limit(limit: int | None) -> int | None:
    """A limit on the entries of a layer, or an error."""
    if limit is not None and (type(limit) is not int or not 1 <= limit <= MAX_LIMIT):
        remedy = "pass a number of entries, or None to keep everything"
        raise BadInputError(f"a limit is a whole number from 1 to {MAX_LIMIT:,}, not {limit!r}", remedy=remedy)
    return limit


def _named(progress: Progress | None, name: str) -> Callable[[int, int], None] | None:
    """A progress report under a fixed name."""
    return None if progress is None else lambda done, total: progress(name, done, total)


@exercise
def _exercise() -> None:
    models = ModelSet()
    models.remove(models.add(["a"], ["b"]))
