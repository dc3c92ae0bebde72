"""What a learned state keeps in a snapshot: a few bits a weight, and the state rounded to exactly that.

    w ≈ w₀ + a q / 8       q whole, a the largest difference of the row
    m ≈ b r / 3             r whole, b the largest mean slope of the row
    v ≈ max(R Cᵀ / mean(R), m²)       R, C the means of the rows and columns (Adafactor, Shazeer and Stern 2018)

CTranslate2 computes with weights in 255 steps, so that 17 steps of the small differences from the model lose nothing
that it could see. When a snapshot is due, learning goes on from the rounded state, whether or not the snapshot is
written: then it makes no difference if weights come from a snapshot or were learned just now.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dragoman.errors import DamagedFileError
from dragoman.kernels import exercise
from dragoman.neural.adam import Adam, Weights
from dragoman.neural.rounding_kernels import expand_rows, expand_spread, round_rows

WEIGHT_STEPS, MEAN_STEPS = 8, 3
Rounded = dict[str, np.ndarray]  # by the name of a variable and what of it: "…/weight.w", ".w scale", ".m", ".v rows"


def round_state(first: Weights, weights: Weights, adam: Adam) -> Rounded:
    """What a snapshot keeps of weights and moments; `first` are the weights of the model."""
    kept: Rounded = {"steps": np.array(adam.steps, np.int64)}
    for name, w in weights.items():
        m, v = adam.m[name], adam.v[name]
        if w.ndim == 1:
            kept |= {f"{name}.w": w.copy(), f"{name}.m": m.copy(), f"{name}.v": v.copy()}
            continue
        kept[f"{name}.w"], kept[f"{name}.w scale"] = _rounded(w - first[name], WEIGHT_STEPS)
        kept[f"{name}.m"], kept[f"{name}.m scale"] = _rounded(m, MEAN_STEPS)
        kept[f"{name}.v rows"], kept[f"{name}.v columns"] = v.mean(1), v.mean(0)
    return kept


def restore_state(kept: Rounded, first: Weights, weights: Weights, adam: Adam) -> None:
    """Make weights and moments, in place, those that were rounded."""
    adam.steps = int(kept["steps"])
    for name, w in weights.items():
        m, v = adam.m[name], adam.v[name]
        if w.ndim == 1:
            w[:], m[:], v[:] = (kept[f"{name}.{part}"] for part in "wmv")
            continue
        expand_rows(kept[f"{name}.w"], kept[f"{name}.w scale"], first[name], w)
        m[:] = 0
        expand_rows(kept[f"{name}.m"], kept[f"{name}.m scale"], m, m)
        expand_spread(kept[f"{name}.v rows"], kept[f"{name}.v columns"], m, v)


def _rounded(x: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows as whole numbers from -steps to steps, with what one of them stands for."""
    whole, scales = np.empty(x.shape, np.int8), np.empty(len(x), np.float32)
    round_rows(np.ascontiguousarray(x), np.float32(steps), whole, scales)
    return whole, scales


def to_bytes(about: Mapping[str, Any], kept: Mapping[str, np.ndarray]) -> bytes:
    """A snapshot: its checksum, a line that says what is in it, and all arrays, compressed."""
    arrays = {name: np.asarray(value, order="C") for name, value in kept.items()}
    listed = [[name, value.dtype.str, list(value.shape)] for name, value in arrays.items()]
    line = json.dumps({**about, "arrays": listed}).encode() + b"\n"
    squeeze = zlib.compressobj(1, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)  # whole numbers do not repeat in runs
    body = b"".join([*(squeeze.compress(value.tobytes()) for value in arrays.values()), squeeze.flush()])
    return hashlib.sha256(line + body).digest() + line + body


def from_bytes(content: bytes, where: Path | None = None) -> tuple[dict[str, Any], Rounded]:
    """What `to_bytes` was given."""
    damaged = DamagedFileError("is not a whole snapshot", where=where or "weights", remedy="delete it")
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        raise damaged
    line, _, body = content[32:].partition(b"\n")
    about = json.loads(line)
    data, at, kept = bytearray(zlib.decompress(body)), 0, {}  # writable: kernels know one type of array
    for name, dtype, shape in about.pop("arrays"):
        count = math.prod(shape)
        kept[name] = np.frombuffer(data, dtype, count, at).reshape(shape)
        at += kept[name].nbytes
    return about, kept


@exercise
def _exercise() -> None:
    whole, scales = _rounded(np.ones((1, 1), np.float32), 3)
    x = np.ones((1, 1), np.float32)
    expand_rows(whole, scales, x, x)
    expand_spread(scales, scales, x, x)
