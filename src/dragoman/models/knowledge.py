"""Everything known about a language pair: how both languages are written, and the models that translate.

What is learned from a pair of texts is a contribution; it can be removed exactly, whatever was learned since.

>>> knowledge = Knowledge()
>>> pair = knowledge.read_pair("Press the green button.", "Pulse el botón verde.")
>>> contribution = knowledge.learn(pair)
>>> knowledge.forget(pair, contribution)
>>> knowledge.models.phrases.phrase_count
0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock
from weakref import WeakValueDictionary

import numpy as np

from dragoman.arrays import ArrayTree, Restorable
from dragoman.errors import BadInputError, DamagedFileError, DragomanError
from dragoman.files import MANIFEST, open_arrays, write_arrays
from dragoman.models.alignment import can_align, check_pair
from dragoman.models.alignment_kernels import MAX_SENTENCE_WORDS
from dragoman.models.language import MODIFIED, saved_order, saved_smoothing
from dragoman.models.modelset import Contribution, ModelSet
from dragoman.models.symmetry import DEFAULT
from dragoman.progress import Progress
from dragoman.records import Pair, Sentence
from dragoman.text.language_side import LanguageSide
from dragoman.text.tokens import CURRENT, Mode, checked_pairs

KIND = "Knowledge"
FORMAT = 2


def no_usable_pairs() -> BadInputError:
    """The error for a corpus with nothing to train on."""
    remedy = f"both sides of a pair need 1 to {MAX_SENTENCE_WORDS} words"
    return BadInputError("no usable pairs to train on", remedy=remedy)


def compact(side: LanguageSide) -> None:
    """Put the counts of a language into canonical order."""
    if side.mode == "text":
        for table in (side.casing.forms, side.casing.mixed, side.casing.habits, side.spacing.table):
            table.compact()


class Knowledge(Restorable):
    """Two languages and the models between them; over a base, which never changes, the differences from it."""

    parts = ("models", "source", "target")

    models: ModelSet
    source: LanguageSide
    target: LanguageSide

    def __init__(
        self,
        base: Knowledge | None = None,
        *,
        tokens: Mode = "text",
        order: int = 5,
        symmetrisation: str = DEFAULT,
        smoothing: str = MODIFIED,
        version: int = CURRENT,
    ) -> None:
        if base is not None and base.source.mode != tokens:
            remedy = f"create the project with tokens={base.source.mode!r}"
            raise BadInputError(f"the base was trained with tokens={base.source.mode!r}", remedy=remedy)
        self.base = base
        self.models = ModelSet(
            base.models if base else None, order=order, symmetrisation=symmetrisation, smoothing=smoothing
        )
        self.source = LanguageSide(self.models.source, tokens, base.source if base else None, version)
        self.target = LanguageSide(self.models.target, tokens, base.target if base else None, version)

    def without_corrections(self) -> Knowledge:
        """A new, empty one with the same settings over the same base."""
        new = Knowledge(
            self.base,
            tokens=self.source.mode,
            order=self.models.language.order,
            symmetrisation=self.models.symmetrisation,
            smoothing=self.models.language.smoothing,
            version=self.source.version,
        )
        new.models.share, new.models.language_share = self.models.share, self.models.language_share
        new.models.limit = self.models.limit
        return new

    def read_pair(self, source: str, target: str) -> Pair:
        """A pair of texts as tokens, and as the words that the models see now; an error if it cannot be learned."""
        one, other = self.source.read(source), self.target.read(target)
        check_pair(one.words, other.words)
        return Pair(one, other, self.source.model_words(one), self.target.model_words(other))

    def read_beside(self, pair: Pair, target: str) -> Pair:
        """The source of a pair that was just read with another target; an error if it cannot be learned."""
        other = self.target.read(target)
        check_pair(pair.source.words, other.words)
        return replace(pair, target=other, target_words=self.target.model_words(other))

    def read_again(self, pair: Pair) -> Pair:
        """The same pair with its words as the models see them now: the usual case of a word may have changed."""
        return replace(
            pair,
            source_words=self.source.model_words(pair.source),
            target_words=self.target.model_words(pair.target),
        )

    def learn(self, pair: Pair) -> Contribution:
        """Learn a pair that has just been read; returns its contribution."""
        contribution = self.models.add(pair.source_words, pair.target_words)
        self._add(pair)
        return contribution

    def relearn(self, pair: Pair, contribution: Contribution) -> None:
        """Learn a pair again, given its contribution: `learn` without the estimation."""
        ids = self.models.source.ids(pair.source_words, add=True), self.models.target.ids(pair.target_words, add=True)
        if not all(map(np.array_equal, ids, (contribution.source, contribution.target))):
            what = "a correction was split into different words when it was learned, or belongs to another base"
            remedy = (
                "learn all of them again with `dragoman project copy`, or restore the base that belongs to the journal"
            )
            raise BadInputError(what, remedy=remedy)
        self.put_back(pair, contribution)

    def put_back(self, pair: Pair, contribution: Contribution) -> None:
        """Undo `forget`: like `relearn`, though the models may read the pair as other words now."""
        self.models.apply(contribution)
        self._add(pair)

    def forget(self, pair: Pair, contribution: Contribution) -> None:
        """Remove what `learn` has contributed."""
        self.source.remove(pair.source)
        self.target.remove(pair.target)
        self.models.remove(contribution)

    def _add(self, pair: Pair) -> None:
        """Learn how both texts are written."""
        self.source.add(pair.source)
        self.target.add(pair.target)

    def train(
        self, pairs: Iterable[tuple[str, str]], *, threads: int | None = None, progress: Progress | None = None
    ) -> int:
        """Train in batch, from empty, as a base; returns how many pairs had no empty or overlong side."""
        kept = list(self._fit(pairs))
        if not kept:
            raise no_usable_pairs()
        # The usual case of words is only known after all sentences, and the models need an empty vocabulary.
        usual = Knowledge(tokens=self.source.mode, version=self.source.version)
        for one, other in kept:
            usual.source.add(one)
            usual.target.add(other)
        words = ((usual.source.model_words(one), usual.target.model_words(other)) for one, other in kept)
        self.models.train(words, threads=threads, progress=progress)
        for one, other in kept:
            self.source.add(one)
            self.target.add(other)
        compact(self.source)
        compact(self.target)
        return len(kept)

    def _fit(self, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[Sentence, Sentence]]:
        for number, (source, target) in enumerate(checked_pairs(pairs), start=1):
            try:
                one, other = self.source.read(source), self.target.read(target)
            except BadInputError as error:
                raise BadInputError(error.what, where=f"pair {number}", remedy=error.remedy) from None
            if can_align(one, other):
                yield one, other

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, np.ndarray],
        base: Knowledge | None = None,
        *,
        tokens: Mode = "text",
        symmetrisation: str = DEFAULT,
        version: int = CURRENT,
    ) -> Knowledge:
        """Restore from `arrays()`, which are used directly, not copied."""
        language = ArrayTree(arrays).under("models.language")
        order, smoothing = saved_order(language), saved_smoothing(language)
        choices = {"symmetrisation": symmetrisation, "smoothing": smoothing}
        knowledge = cls(base, tokens=tokens, order=order, version=version, **choices)
        knowledge.restore(arrays)
        return knowledge

    def save(self, directory: str | Path) -> None:
        """Write to a directory, atomically."""
        write_arrays(Path(directory), self.arrays(), {"kind": KIND, "format": FORMAT, "tokens": self.source.mode})

    @classmethod
    def open(cls, directory: str | Path, *, verify: bool = False) -> Knowledge:
        """Map a saved base into memory, shared with everyone who has it open."""
        arrays, about = open_arrays(Path(directory), verify=verify)
        if about.get("kind") != KIND:
            remedy = "give the directory of a base or of a trained project"
            raise BadInputError(f"holds a {about.get('kind')}, not a {KIND}", where=directory, remedy=remedy)
        if about.get("format") != FORMAT:
            raise BadInputError("was trained by another version of dragoman", where=directory, remedy="train it again")
        try:
            return cls.from_arrays(arrays, tokens=about["tokens"])
        except DragomanError:
            raise
        except (KeyError, IndexError, TypeError, ValueError) as error:  # sealed, but by another program
            what = f"its arrays are not those of a base ({type(error).__name__}: {error})"
            raise DamagedFileError(what, where=directory, remedy="train or fetch another") from None

    @classmethod
    def open_base(cls, directory: str | Path) -> Knowledge:
        """The base in a directory, never to be changed: one object for all projects that this process has open.

        Each mapping keeps its file open, a base has more than a hundred, and a process is often limited to a thousand.
        """
        path = Path(directory).resolve()
        with _opening:
            key = path, (path / MANIFEST).read_bytes() if (path / MANIFEST).is_file() else b""
            base = _bases.get(key) or cls.open(directory)
            _bases[key] = base
        return base


_opening = Lock()
_bases: WeakValueDictionary[tuple[Path, bytes], Knowledge] = WeakValueDictionary()  # by directory and manifest
