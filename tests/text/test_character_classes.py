"""The file of character classes is what its script prints."""

from __future__ import annotations

import re
import runpy
import unicodedata
from pathlib import Path

import pytest

from dragoman.text import character_classes

COMPUTED = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "character-classes"))["character_classes"]()


@pytest.mark.parametrize("name", COMPUTED)
def test_classes_are_those_of_unicode(name: str) -> None:
    written, computed = getattr(character_classes, name), COMPUTED[name]
    everything = "".join(map(chr, range(0x20000)))
    missing = set(re.findall(f"[{written}]", everything)) - set(re.findall(f"[{computed}]", everything))
    assert not missing  # a newer Unicode has more characters, and keeps those of the older one
    assert (written == computed) == (unicodedata.unidata_version == character_classes.UNICODE)
