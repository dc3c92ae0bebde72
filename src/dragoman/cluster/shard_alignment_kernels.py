"""What E-steps on a shard need beyond those on a whole corpus, as compiled functions."""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False
from __future__ import annotations

import numpy as np

from dragoman.kernels import kernel
from dragoman.models.alignment_kernels import smoothed


@kernel
def fill_lexicon(pairs, rows, sources, counts, totals, share, lexicon):
    """Write p(f|e) of the word pairs of a shard into `lexicon` [pairs]: `estimate_lexicon`, from counts of all shards.

    Numbers rows[e]…rows[e + 1] − 1 are the word pairs of target word e that have been counted anywhere: `sources`,
    `counts`; totals [target words] are Σ_f c(e, f).
    """
    cases = pairs.rows[1]
    counted = np.zeros(cases, np.int64)
    for word in range(pairs.rows.size - 1):
        if pairs.rows[word] == pairs.rows[word + 1]:
            continue
        for k in range(rows[word], rows[word + 1]):
            counted[sources[k]] = counts[k]
        factor, floor = smoothed(totals[word], cases, share)
        for k in range(pairs.rows[word], pairs.rows[word + 1]):
            lexicon[k] = factor * counted[pairs.sources[k]] + floor
        for k in range(rows[word], rows[word + 1]):
            counted[sources[k]] = 0
