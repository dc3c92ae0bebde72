"""Weights as the integers that CTranslate2 computes with, by the rule of its converters."""

from __future__ import annotations

import numpy as np

LARGEST8, LARGEST16 = 127.0, 1024.0  # int16 keeps 10 bits, so that sums of products fit into 32


def quantised(kind: str, w: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """A matrix in a kind of number, with its scale: of each row for int8, one for int16, none for floats."""
    if kind == "int8":
        largest = np.abs(w).max(1)
        largest[largest == 0] = LARGEST8
        scale = np.float32(LARGEST8) / largest
        return np.rint(w * scale[:, None]).astype(np.int8), scale
    if kind == "int16":
        whole = np.array(LARGEST16 / (np.abs(w).max() or LARGEST16), np.float32)
        return np.rint(w * whole).astype(np.int16), whole
    return w.astype(kind), None
