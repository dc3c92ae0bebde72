"""CTranslate2's `model.bin`, read and written, with the files beside it.

    version of the format (6), name of the specification, its revision (7 for a Transformer)
    number of variables; for each: name, rank, dimensions, kind of number, bytes, data
    number of aliases;   for each: name, name of the variable that it stands for

Integers are little-endian and unsigned, names are UTF-8 with their length and a final zero. A matrix of int8 has a
variable `…_scale` beside it, one number a row, a matrix of int16 a single one; a weight is integer / scale.

A file is not trusted: every length is checked against what is there before it is used, and nothing is executed.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dragoman.errors import BadInputError

VERSION = 6  # of CTranslate2 3 and 4
KINDS = ("float32", "int8", "int16", "int32", "float16")  # as the file numbers them
BFLOAT16 = len(KINDS)
MODEL, CONFIG = "model.bin", "config.json"
BESIDE = ("shared_vocabulary", "source_vocabulary", "target_vocabulary")  # .json, or .txt of older conversions
MOST_VARIABLES, MOST_DIMENSIONS = 100_000, 8
MOST_CONFIG, MOST_VOCABULARY = 1 << 20, 1 << 26  # bytes

Variables = dict[str, np.ndarray]
Value = TypeVar("Value")


class CannotLearnError(BadInputError):
    """This model cannot learn, because it is not understood exactly; it goes on translating as before."""

    def __init__(self, what: str, *, where: str | Path | None = None, remedy: str | None = None) -> None:
        super().__init__(f"this model cannot learn: {what}", where=where, remedy=remedy)
        self.reason = what


@dataclass(frozen=True)
class ModelFile:
    """A model as it is stored: nothing is converted, and its numbers stay in the file until they are used."""

    name: str  # of the specification
    revision: int
    variables: Variables
    aliases: dict[str, str] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    beside: dict[str, bytes] = field(default_factory=dict)  # vocabularies, by the name of their file

    @classmethod
    def read(cls, directory: Path) -> ModelFile:
        """Map the model of a directory into memory, which all who read the same file share."""
        path = directory / MODEL
        try:
            content = np.memmap(path, np.uint8, mode="r")
            config = json.loads(_read(directory / CONFIG, MOST_CONFIG))
            names = [stem + ending for stem in BESIDE for ending in (".json", ".txt")]
            beside = {name: _read(directory / name, MOST_VOCABULARY) for name in names if (directory / name).is_file()}
        except (OSError, ValueError, RecursionError) as error:  # an empty file cannot be mapped
            raise CannotLearnError(f"its files cannot be read ({error})", where=directory) from None
        if not isinstance(config, dict):
            raise CannotLearnError("its configuration is not an object", where=directory / CONFIG)
        try:
            name, revision, variables, aliases = parse(content)
        except CannotLearnError as error:
            raise CannotLearnError(error.reason, where=path, remedy=error.remedy) from None
        return cls(name, revision, variables, aliases, config, beside)

    def write(self, directory: Path) -> None:
        """Write the model and what belongs beside it into a directory."""
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in self.files().items():
            (directory / name).write_bytes(content)

    def files(self) -> dict[str, bytes]:
        """What a directory would hold, as `ctranslate2.Translator(files=…)` takes it."""
        return {MODEL: self.content(), CONFIG: json.dumps(self.config, indent=2).encode(), **self.beside}

    def content(self) -> bytes:
        """The bytes of `model.bin`."""
        parts = [struct.pack("<I", VERSION), _packed_name(self.name)]
        parts.append(struct.pack("<II", self.revision, len(self.variables)))
        for name, value in self.variables.items():
            parts += [variable_header(name, value), np.ascontiguousarray(value).tobytes()]
        parts.append(struct.pack("<I", len(self.aliases)))
        parts += [_packed_name(name) for pair in self.aliases.items() for name in pair]
        return b"".join(parts)

    def vocabulary(self, side: str) -> list[str]:
        """The pieces of "source" or "target", in the order of their ids."""
        for stem in ("shared_vocabulary", f"{side}_vocabulary"):
            if f"{stem}.json" in self.beside:
                return _json_pieces(self.beside[f"{stem}.json"], f"{stem}.json")
            if f"{stem}.txt" in self.beside:
                return _text_pieces(self.beside[f"{stem}.txt"], f"{stem}.txt")
        raise CannotLearnError(f"it has no {side} vocabulary")

    def matrix(self, name: str) -> np.ndarray:
        """A variable as float32, integers divided by their scale: W = Q / s, [rows, columns] / [rows, 1]."""
        name = self.aliases.get(name, name)
        stored = self.variables[name]
        if stored.dtype.kind == "f":
            value = stored.astype(np.float32)
        else:
            scale = self.variables[f"{name}_scale"].astype(np.float32)
            value = stored.astype(np.float32)
            value /= scale[:, None] if scale.ndim else scale
        if not np.isfinite(value).all():
            raise CannotLearnError(f"{name} has values that are not finite")
        return value


def variable_header(name: str, value: np.ndarray) -> bytes:
    """What stands before the data of a variable."""
    kind = KINDS.index(value.dtype.name)
    shape = struct.pack(f"<B{value.ndim}I", value.ndim, *value.shape)
    return _packed_name(name) + shape + struct.pack("<BI", kind, value.nbytes)


def _packed_name(name: str) -> bytes:
    content = name.encode() + b"\0"
    return struct.pack("<H", len(content)) + content


class _BytesReader:
    """Takes numbers, names and data from the beginning of what is left, and never more than there is."""

    def __init__(self, content: np.ndarray) -> None:
        self._content = content  # [bytes] uint8
        self._at = 0

    @property
    def left(self) -> int:
        return self._content.size - self._at

    def take(self, count: int) -> np.ndarray:
        if count > self.left:
            raise CannotLearnError("its file is cut off, or is none of CTranslate2")
        self._at += count
        return self._content[self._at - count : self._at]

    def numbers(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)).tobytes())

    def name(self) -> str:
        content = self.take(self.numbers("<H")[0]).tobytes()
        try:
            name = content.removesuffix(b"\0").decode()
        except UnicodeDecodeError:
            name = ""
        if not name.isprintable() or not name or not content.endswith(b"\0"):
            raise CannotLearnError("a name in its file is not readable")
        return name

    def variable(self) -> tuple[str, np.ndarray]:
        name, (rank,) = self.name(), self.numbers("<B")
        if rank > MOST_DIMENSIONS:
            raise CannotLearnError(f"{name} has {rank} dimensions")
        shape = self.numbers(f"<{rank}I")
        kind, size = self.numbers("<BI")
        if kind >= len(KINDS):
            kinds = "bfloat16 numbers" if kind == BFLOAT16 else "an unknown kind of numbers"
            remedy = "convert it with --quantization int8"
            raise CannotLearnError(f"{name} holds {kinds}", remedy=remedy)
        dtype = np.dtype(KINDS[kind]).newbyteorder("<")
        if size != math.prod(shape) * dtype.itemsize:
            raise CannotLearnError(f"the size of {name} is not that of its dimensions")
        return name, np.asarray(self.take(size)).view(dtype).reshape(shape)


def parse(content: np.ndarray) -> tuple[str, int, Variables, dict[str, str]]:
    """Name, revision, variables and aliases of a `model.bin` [bytes] uint8; the variables are views of its bytes."""
    reader = _BytesReader(content)
    (version,) = reader.numbers("<I")
    if version != VERSION:
        remedy = "convert it again, with CTranslate2 3 or 4"
        raise CannotLearnError(f"its file has version {version}, not {VERSION}", remedy=remedy)
    name, (revision,) = reader.name(), reader.numbers("<I")
    variables = dict(_distinct(reader.variable() for _ in range(_count(reader))))
    aliases = dict(_distinct((reader.name(), reader.name()) for _ in range(_count(reader))))
    if reader.left:
        raise CannotLearnError("there is more in its file than CTranslate2 writes")
    for alias, stands_for in aliases.items():
        if alias in variables or stands_for not in variables:
            raise CannotLearnError(f"{alias} stands for {stands_for}, which cannot be")
    return name, revision, variables, aliases


def _count(reader: _BytesReader) -> int:
    (count,) = reader.numbers("<I")
    if count > MOST_VARIABLES:
        raise CannotLearnError(f"its file claims to have {count} variables")
    return count


def _distinct(named: Iterator[tuple[str, Value]]) -> Iterator[tuple[str, Value]]:
    seen: set[str] = set()
    for name, value in named:
        if name in seen:
            raise CannotLearnError(f"{name} is there twice")
        seen.add(name)
        yield name, value


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise CannotLearnError(f"this file has more than {most} bytes", where=path)
    return content


def _json_pieces(content: bytes, name: str) -> list[str]:
    try:
        pieces = json.loads(content)
    except (ValueError, RecursionError):
        pieces = None
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise CannotLearnError(f"{name} is not a list of pieces")
    return pieces


def _text_pieces(content: bytes, name: str) -> list[str]:
    try:
        lines = content.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise CannotLearnError(f"{name} is not UTF-8") from None
    # Some pieces end with a carriage return: it belongs to the end of the line only if it stands on all of them.
    return [line[:-1] for line in lines] if all(line.endswith("\r") for line in lines) else lines


def index_of(pieces: list[str]) -> Mapping[str, int]:
    """The id of each piece; of one that is there twice, the first, as CTranslate2 has it."""
    ids: dict[str, int] = {}
    for number, piece in enumerate(pieces):
        ids.setdefault(piece, number)
    return ids
