"""`ct2:models/nmt-en-es`: a neural model in CTranslate2's format, run here, without a network.

The directory holds the model and its sentencepiece files: `sentencepiece.model` for both languages, or `source.spm` and
`target.spm` as converted OPUS-MT models have. With `#learns=yes` the model itself learns the corrections of the
project, in the background (`learned_weights.py`).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.upstream.checks import is_run
from dragoman.upstream.contract import (
    Answer,
    CharacterLink,
    CorrectionsInForce,
    EngineName,
    EngineProgress,
    Hints,
    Languages,
    Scored,
    Traits,
    UnansweredError,
)
from dragoman.upstream.learned_pairs import AskedPair, as_asked
from dragoman.upstream.names import number, traits, yes_or_no

if TYPE_CHECKING:
    from dragoman.upstream.learned_weights import LearnedModel, LearnedWeights

BEAM = 4
END = "</s>"
PIECES = (("sentencepiece.model", "sentencepiece.model"), ("source.spm", "target.spm"), ("spm.model", "spm.model"))
SAMPLE = 1 << 20  # bytes at the beginning and the end of a large file that stand for all of it
USUAL_PIECES, MOST_PIECES = 256, 512  # of a translation: CTranslate2's own limit, and that of many models
WORD_BEGINS = "\u2581"  # how sentencepiece marks the beginning of a word
LEAST_ATTENTION = 0.3  # that one word of the source must have of one of the translation
LEAST_PART = 4  # texts that one core translates together
MOST_FOR_EACH = 3  # pieces of a translation for each piece of a long source


class CTranslate2:
    """A model that has been loaded; its calls release the interpreter meanwhile.

    Each text is translated on one core, or on so many `threads`, which wait for each other at every step: on a machine
    that does other work, too, that takes many times as long. Long lists go to all cores in parts, which do not wait.
    """

    def __init__(self, path: Path, place: EngineName, about: Traits) -> None:
        self.name, self.traits = place.name, about
        self._beam = int(number(place, "beam", BEAM, most=64))
        self._nbest = int(number(place, "nbest", 1, most=self._beam))
        self._source_tokens = place.options.get("source-token", "").split()
        self._target_tokens = place.options.get("target-token", "").split()
        source, target = _find_pieces(path)
        processor = load("sentencepiece", "upstream").SentencePieceProcessor
        self._encoder = processor(model_file=str(source))
        self._decoder = processor(model_file=str(target))
        threads = int(number(place, "threads", 0, least=0, most=256))
        self._cores = 1 if threads else os.cpu_count() or 1
        self._load = partial(
            load("ctranslate2", "upstream").Translator,
            str(path),
            device=place.options.get("device", "cpu"),
            inter_threads=self._cores,
            intra_threads=threads or 1,
        )
        try:
            self._model = self._load()
        except (RuntimeError, ValueError) as error:
            what = f"cannot be loaded: {' '.join(str(error).split())}"
            raise BadInputError(what, where=path, remedy="convert the model again, for CTranslate2 4") from None
        self._end = [] if _adds_end(path) else [END]
        asked = f"{self._beam} {self._nbest} {self._source_tokens} {self._target_tokens}"
        self._version = place.options.get("version") or _fingerprint(path, asked)
        self.learned = self._learning(path) if yes_or_no(place, "learns", default=False) else None
        self.derailed = 0  # answers of learned weights that were replaced

    @classmethod
    def from_place(cls, place: EngineName, languages: Languages) -> Self:
        """The engine that `ct2:` and a directory name; the languages are those that the model was trained for."""
        del languages
        path = Path(place.address).expanduser()
        if not place.address or not (path / "model.bin").is_file():
            remedy = "write ct2: and the directory that ct2-transformers-converter or the like has made"
            raise BadInputError("there is no CTranslate2 model here", where=path, remedy=remedy)
        return cls(path, place, traits(place, batch=16))

    @property
    def version(self) -> str:
        """What changes when the model does, or what it is asked for, or has learned."""
        return self._version_of(self.learned.served() if self.learned else None)

    def _version_of(self, served: LearnedModel | None) -> str:
        return f"{self._version}+{served.digest[:12]}" if served else self._version

    def _learning(self, path: Path) -> LearnedWeights:
        from dragoman.upstream.learned_weights import LearnedWeights  # loads Numba's functions, which only these need

        return LearnedWeights(path, self._read, lambda files: self._load(files=files))

    @property
    def learning(self) -> EngineProgress | None:
        """How far it has come; None if it is not to learn."""
        return self.learned.standing(self.derailed) if self.learned else None

    def follow(self, corrections: CorrectionsInForce) -> None:
        """Learn these corrections, and go on learning them as they change; nothing unless the engine is to learn."""
        if self.learned:
            self.learned.follow(corrections)

    def hurry(self) -> None:
        """The corrections have changed."""
        if self.learned:
            self.learned.hurry()

    def catch_up(self, seconds: float) -> None:
        """Wait until all of them are learned, for at most so long."""
        if self.learned:
            self.learned.wait(seconds, most=None)

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        """The best translation of each text, with an n-best list if `nbest` is more than 1."""
        del seconds, marked  # a batch cannot be stopped; whoever waits for it may stop waiting
        sources, prefixes = [self._encode(text) for text in texts], [self._target_tokens] * len(texts)
        linked = any(each.wants_links for each in hints)
        served = self.learned.wait() if self.learned else None
        found = self._search_all(served, texts, sources, prefixes, attention=linked)
        version = self._version_of(served) if self.learned else ""
        answers = [replace(self._answer(each), version=version) for each in found]
        if not linked:
            return list(answers)
        together = zip(texts, answers, found, strict=True)
        return [replace(answer, links=self._links(text, answer.text, each)) for text, answer, each in together]

    def _links(self, text: str, answer: str, found: Any) -> tuple[CharacterLink, ...]:
        """The source word that each target word looks at most, from the attention to it."""
        source = _places(text, self._encoder.encode(text, out_type=str))
        pieces = found.hypotheses[0][len(self._target_tokens) :]
        first, links = len(self._source_tokens), []
        rows = found.attention[0][len(self._target_tokens) :]
        for piece, place, row in zip(pieces, _places(answer, pieces), rows, strict=False):
            weights = row[first : first + len(source)]
            best = max(range(len(weights)), key=weights.__getitem__, default=-1)
            # Only where a word begins: what the rest of it looks at means little.
            if best >= 0 and weights[best] >= LEAST_ATTENTION and (piece.startswith(WORD_BEGINS) or place == 0):
                links.append(CharacterLink(source[best], place, float(weights[best])))
        return tuple(links)

    def continue_from(self, text: str, prefix: str, *, n: int = 4) -> Answer | None:
        """The best translations that begin with these whole words."""
        given = [*self._target_tokens, *self._decoder.encode(prefix.rstrip(), out_type=str)]
        n = min(n, self._beam)
        served = self.learned.served() if self.learned else None
        model = served.model if served and served.answers(text) else self._model
        answer = self._answer(self._search(model, [self._encode(text)], [given], n)[0])
        begun = [each for each in (answer.nbest or (Scored(answer.text),)) if each.text.startswith(prefix.rstrip())]
        return Answer(begun[0].text, tuple(begun)) if begun else None

    def close(self) -> None:
        """Learn no longer. Nothing is open; the memory goes with the last call that is still running."""
        if self.learned:
            self.learned.close()

    def _encode(self, text: str) -> list[str]:
        return [*self._source_tokens, *self._encoder.encode(text, out_type=str), *self._end]

    def _read(self, source: str, target: str) -> AskedPair:
        """A correction as the model is asked for it."""
        source, target = as_asked(source, target)
        pieces = [*self._target_tokens, *self._decoder.encode(target, out_type=str)]
        return AskedPair(source, self._encode(source), pieces, len(self._target_tokens))

    def _search_all(
        self,
        served: LearnedModel | None,
        texts: Sequence[str],
        sources: list[list[str]],
        prefixes: list[list[str]],
        *,
        attention: bool,
    ) -> list[Any]:
        """What is found for each text, by the learned weights where they answer and do not derail."""
        models = [served.model if served and served.answers(text) else self._model for text in texts]
        found: list[Any] = [None] * len(texts)

        def search(places: list[int], model: Any) -> None:
            asked, given = ([each[place] for place in places] for each in (sources, prefixes))
            for place, result in zip(places, self._search(model, asked, given, attention=attention), strict=True):
                found[place] = result

        for model in dict.fromkeys(models):
            search([place for place, each in enumerate(models) if each is model], model)
        off = [n for n, each in enumerate(models) if each is not self._model and self._derails(texts[n], found[n])]
        if off:
            self.derailed += len(off)
            search(off, self._model)
        return found

    def _derails(self, text: str, found: Any) -> bool:
        return is_run(text, self._decoder.decode(found.hypotheses[0][len(self._target_tokens) :]))

    def _search(
        self,
        model: Any,
        sources: list[list[str]],
        prefixes: list[list[str]],
        n: int | None = None,
        *,
        attention: bool = False,
    ) -> list[Any]:
        n = n or self._nbest
        part = max(-(-len(sources) // self._cores), LEAST_PART)
        longest = MOST_FOR_EACH * max(map(len, sources)) + max(map(len, prefixes))
        try:
            return list(
                model.translate_batch(
                    sources,
                    max_batch_size=part if part < len(sources) else 0,
                    target_prefix=prefixes if any(prefixes) else None,
                    beam_size=self._beam,
                    num_hypotheses=n,
                    return_scores=n > 1,
                    return_attention=attention,
                    max_input_length=0,
                    max_decoding_length=max(USUAL_PIECES, min(longest, MOST_PIECES)),
                )
            )
        except (RuntimeError, ValueError) as error:  # a text that is too long, as a rule
            what = f"failed: {' '.join(str(error).split())}"
            raise UnansweredError(what, where=self.name, blames_texts=True) from None

    def _answer(self, found: Any) -> Answer:
        skipped = len(self._target_tokens)
        texts = [self._decoder.decode(pieces[skipped:]) for pieces in found.hypotheses]
        scores = found.scores if len(found.scores) == len(texts) > 1 else []
        return Answer(texts[0], tuple(Scored(text, float(each)) for text, each in zip(texts, scores, strict=False)))


def _places(text: str, pieces: Sequence[str]) -> list[int]:
    """Where each piece begins in the text that they were made of, or that was made of them."""
    found, at = [], 0
    for piece in pieces:
        shown = piece.replace(WORD_BEGINS, "")
        begin = text.find(shown, at, at + len(shown) + 3) if shown else at
        at = at if begin < 0 else begin
        found.append(at)
        at += len(shown)
    return found


def _find_pieces(path: Path) -> tuple[Path, Path]:
    for source, target in PIECES:
        if (path / source).is_file() and (path / target).is_file():
            return path / source, path / target
    remedy = "copy sentencepiece.model, or source.spm and target.spm, of the original model here"
    raise BadInputError("the sentencepiece model is missing", where=path, remedy=remedy)


def _adds_end(path: Path) -> bool:
    """Whether CTranslate2 adds the mark of the end, or the model was trained without it."""
    try:
        config = json.loads((path / "config.json").read_bytes())
    except (OSError, ValueError):
        return True
    # Converted from Hugging Face's form, OPUS-MT models expect it from whoever splits the text, and begin with <pad>.
    return bool(config.get("add_source_eos")) or config.get("decoder_start_token") != "<pad>"


def _fingerprint(path: Path, asked: str) -> str:
    """What changes when the model, or what it is asked for, does; large files are sampled."""
    digest = hashlib.sha256(asked.encode())
    for file in sorted(each for each in path.iterdir() if each.is_file()):
        size = file.stat().st_size
        digest.update(f"{file.name} {size}".encode())
        with file.open("rb") as stream:
            digest.update(stream.read(SAMPLE))
            if size > SAMPLE:
                stream.seek(max(SAMPLE, size - SAMPLE))
                digest.update(stream.read())
    return digest.hexdigest()[:16]
