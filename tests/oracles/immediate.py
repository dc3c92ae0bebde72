"""One-shot and zero-shot recall by going through all earlier references again for every word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence


def recalls(
    hypotheses: Sequence[str], references: Sequence[str], content: Callable[[str], Collection[str]]
) -> dict[int, tuple[int, int]]:
    """Words found and words wanted, by how many earlier references have them: none, or one."""
    found = {0: (0, 0), 1: (0, 0)}
    for n, (hypothesis, reference) in enumerate(zip(hypotheses, references, strict=True)):
        for word in set(content(reference)):
            earlier = [k for k in range(n) if word in content(references[k])]
            if len(earlier) < 2:
                right, wanted = found[len(earlier)]
                found[len(earlier)] = right + (word in content(hypothesis)), wanted + 1
    return found
