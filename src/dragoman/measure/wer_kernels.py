"""Edit distance between the words of hypotheses and of references."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel


@kernel
def statistics(hypotheses, references, which):
    """Edits and reference words [N, 2] of hypotheses, each compared with the reference that `which` [N] names."""
    result = np.empty((which.size, 2), np.int64)
    row = np.empty(np.diff(references.starts).max() + 1, np.int64)
    for n in range(which.size):
        r = which[n]
        hypothesis = hypotheses.ids[hypotheses.starts[n] : hypotheses.starts[n + 1]]
        reference = references.ids[references.starts[r] : references.starts[r + 1]]
        result[n, 0] = distance(hypothesis, reference, row)
        result[n, 1] = reference.size
    return result


@kernel
def distance(hypothesis, reference, row):
    """The fewest words to insert, delete or replace; `row` [at least reference words + 1] is scratch."""
    for j in range(reference.size + 1):
        row[j] = j
    for i in range(hypothesis.size):
        word = hypothesis[i]
        diagonal = row[0]
        row[0] = left = i + 1
        for j in range(reference.size):
            above = row[j + 1]
            left = min(diagonal if reference[j] == word else diagonal + 1, min(above, left) + 1)
            row[j + 1] = left
            diagonal = above
    return row[reference.size]
