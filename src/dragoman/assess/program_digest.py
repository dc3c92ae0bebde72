"""Which program a kept result came from: results of other sources are not used again."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import dragoman

APART = ("server", "commands", "formats", "cluster", "assess")  # packages that no result depends on


@cache
def program_digest() -> str:
    """A hash of all sources of dragoman that a result may depend on."""
    root, found = Path(dragoman.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in APART:
            found.update(path.read_bytes())
    return found.hexdigest()
