"""Weights as the integers that CTranslate2 computes with, by the rule of its converters."""

from __future__ import annotations

import numpy as np

from dragoman.kernels import exercise
from dragoman.neural.model_file import MODEL, ModelFile, parse
from dragoman.neural.quantise_kernels import quantise_rows

LARGEST16 = 1024.0  # int16 keeps 10 bits, so that sums of products fit into 32


def quantised(kind: str, w: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """A matrix in a kind of number, with its scale: of each row for int8, one for int16, none for floats."""
    if kind == "int8":
        integers, scales = np.empty(w.shape, np.int8), np.empty(len(w), np.float32)
        w = np.ascontiguousarray(w)
        quantise_rows(w.view(np.int32), w, integers, scales)
        return integers, scales
    if kind == "int16":
        whole = np.array(LARGEST16 / (np.abs(w).max() or LARGEST16), np.float32)
        return np.rint(w * whole).astype(np.int16), whole
    return w.astype(kind), None


class ModelImage:
    """The bytes of a `model.bin` in memory, in which weights are replaced as often as they have moved."""

    def __init__(self, file: ModelFile) -> None:
        self._content = bytearray(file.content())
        _, _, self._variables, _ = parse(np.frombuffer(self._content, np.uint8))
        self._beside = {name: content for name, content in file.files().items() if name != MODEL}

    def write(self, name: str, w: np.ndarray) -> None:
        """Replace a variable by these weights, in the kind of number that it is stored in."""
        stored, scale = self._variables[name], None
        if stored.dtype == np.int8:  # into its place at once: most of a model
            scale = np.empty(len(w), np.float32)
            quantise_rows(w.view(np.int32), w, stored, scale)
        else:
            stored[...], scale = quantised(stored.dtype.name, w)
        if scale is not None:
            self._variables[f"{name}_scale"][...] = scale

    def files(self) -> dict[str, bytes]:
        """What a directory would hold, as `ctranslate2.Translator(files=…)` takes it."""
        return {MODEL: bytes(self._content), **self._beside}


@exercise
def _exercise() -> None:
    quantised("int8", np.ones((1, 1), np.float32))
