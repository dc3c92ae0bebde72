"""Quality checks: what may be wrong with a translation, found before it is delivered.

1. `Checker` looks at one pair of texts and lists its `Finding`s: tags, placeholders, numbers, terms, punctuation …
2. `find_fault` and `deliver` (delivery) say what a file cannot hold: the same check when confirming and when exporting.
3. `find_inconsistencies` compares all pairs of a document.

>>> [finding.what for finding in Checker("en", "es").check("Open {count} files.", "Abra los archivos.")]
['{count} is missing']
"""

from __future__ import annotations

from dragoman.quality.checker import Checker
from dragoman.quality.consistency import find_inconsistencies
from dragoman.quality.delivery import WrittenFile, deliver, find_fault
from dragoman.quality.finding import CHECKS, Finding, Severity

__all__ = [
    "CHECKS",
    "Checker",
    "Finding",
    "Severity",
    "WrittenFile",
    "deliver",
    "find_fault",
    "find_inconsistencies",
]
