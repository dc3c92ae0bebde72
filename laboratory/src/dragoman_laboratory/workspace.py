"""What cells share: texts, trained bases, tuned weights and n-best lists, each made once and kept."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from dragoman.assess.program_digest import program_digest
from dragoman.engine import Engine
from dragoman.files import storage_errors
from dragoman.measure import Bleu
from dragoman.models.knowledge import Knowledge
from dragoman.models.loglinear import PAPER_PRESET, Weights
from dragoman.progress import Progress
from dragoman.text.tokens import Mode
from dragoman.tune import METHODS, Development, tune
from dragoman_laboratory.corpora import Corpora, Pair
from dragoman_laboratory.experiment import Text
from dragoman_laboratory.reranking import Lists, decode

MAX_TRAINING_WORDS = 80  # words on a side of a training pair
ROUNDS = 5  # of tuning


class Workspace:
    """The corpora, a directory for everything that is kept, and the random seed."""

    def __init__(
        self, corpora: Corpora, out: Path, seed: int = 1, progress: Progress | None = None, *, reuse: bool = False
    ) -> None:
        self.corpora, self.out, self.seed, self.progress = corpora, out, seed, progress
        self.reuse = reuse  # accept results of other versions of the program

    def pairs(self, text: Text) -> list[Pair]:
        """The segments of a text, as tokens separated by spaces."""
        return self.corpora.pairs(text)

    def base(self, train: Text) -> Path:
        """The directory of a base trained on a text."""

        def make(directory: Path) -> None:
            knowledge = Knowledge(tokens="words")
            fit = [pair for pair in self.pairs(train) if max(len(side.split()) for side in pair) <= MAX_TRAINING_WORDS]
            knowledge.train(fit, progress=self.progress)
            knowledge.save(directory)

        return self._kept("base", [train], make)

    def knowledge(self, train: Text) -> Knowledge:
        """The base itself."""
        return Knowledge.open(self.base(train))

    def weights(
        self, train: Text, development: Text | None, method: str = "mira", *, preset: str = PAPER_PRESET
    ) -> Weights:
        """Weights tuned on a development set by BLEU; without one, the default weights."""
        if development is None:
            return Weights(preset)

        def make(directory: Path) -> None:
            knowledge = self.knowledge(train)
            read = Development.read(knowledge, self.pairs(development))
            start, measure = Weights(preset), Bleu("none")
            settings: dict[str, Any] = {"rounds": ROUNDS, "seed": self.seed, "progress": self.progress}
            report = tune(knowledge.models, start, read, METHODS[method], measure, **settings)
            (directory / "weights.json").write_text(json.dumps(report.weights), encoding="utf-8")

        found = self._kept("weights", [train, development, method, preset], make)
        return Weights(preset, json.loads((found / "weights.json").read_text(encoding="utf-8")))

    def lists(self, train: Text, development: Text | None, text: Text, n: int) -> Lists:
        """The n-best lists of a text, by a base and weights."""

        def make(directory: Path) -> None:
            weights = self.weights(train, development)
            decode(self.knowledge(train), weights, self.pairs(text), n, progress=self.progress).save(directory)

        return Lists.open(self._kept("lists", [train, development, text, n], make))

    @contextmanager
    def engine(
        self,
        base: Text | Path | None,
        languages: tuple[str, str],
        kind: type[Engine] = Engine,
        *,
        preset: str = PAPER_PRESET,
        tokens: Mode = "words",
        memory: bool = False,
    ) -> Iterator[Engine]:
        """A temporary project over a base, or from nothing, that translates with the models alone by default."""
        over = self.base(base) if isinstance(base, Text) else base
        source, target = languages
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "project"
            with kind.create(
                path, source=source, target=target, tokens=tokens, preset=preset, base=over, memory=memory
            ) as engine:
                yield engine

    def _kept(self, kind: str, depends: list[Any], make: Callable[[Path], None]) -> Path:
        """A directory with something that depends on these values, made if it is missing."""
        names = [str(each) for each in depends]
        digests = [self.corpora.digest(each) for each in depends if isinstance(each, Text)]
        hashed = json.dumps([program(), kind, names, self.seed, digests]).encode()
        directory = self.out / "kept" / f"{kind}-{hashlib.sha256(hashed).hexdigest()[:24]}"
        if not directory.is_dir():
            aside = directory.with_name(f"{directory.name}.{secrets.token_hex(4)}.part")
            with storage_errors(aside):
                aside.mkdir(parents=True)
            try:
                make(aside)
                if not directory.is_dir():  # another process may have been faster
                    aside.rename(directory)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
        return directory


@cache
def program() -> str:
    """A hash of all sources that a result may depend on."""
    found = hashlib.sha256(program_digest().encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()
