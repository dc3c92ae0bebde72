"""What a published base says about itself: languages, licence, version and corpus, in the manifest of its arrays.

`manifest.json` is the one file that a base is published and verified by. It lists every array with its checksum, under
`about` stands the card, and its own checksum covers all of that:

    {"format": 1,
     "about": {"kind": "Knowledge", …,
               "card": {"source": "en", "target": "es", "licence": "CC-BY-4.0", "version": "2026.1", "corpus": "…"}},
     "arrays": {"models.phrases.pairs.keys": {"file": "….npy", "bytes": 512, "sha256": "…"}, …},
     "checksum": "…"}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from dragoman.errors import BadInputError
from dragoman.files import MANIFEST, open_arrays, read_manifest, write_arrays
from dragoman.languages import refuse_unknown, same_language

CARD = "card"
_NAME = r"\(*[A-Za-z0-9][A-Za-z0-9.+:-]*\)*"
LICENCE = re.compile(rf"{_NAME}( (AND|OR|WITH) {_NAME})*")  # an SPDX expression, by its form
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*")
MOST_CHARACTERS = 1_000  # of the description of a corpus


@dataclass(frozen=True)
class BaseCard:
    """What a base translates, and what those who use it may do with it.

    >>> print(BaseCard("en", "es", licence="CC-BY-4.0", version="2026.1", corpus="Europarl v7"))
    en to es, version 2026.1, licence CC-BY-4.0, from Europarl v7
    """

    source: str
    target: str
    licence: str  # SPDX, such as CC-BY-4.0
    version: str
    corpus: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            if not isinstance(getattr(self, field.name), str):
                raise BadInputError(f"the {field.name} of a base must be a text, not {getattr(self, field.name)!r}")
        refuse_unknown(self.source, self.target)
        if not LICENCE.fullmatch(self.licence):
            remedy = "give an SPDX identifier such as CC-BY-4.0, or LicenseRef- and a name"
            raise BadInputError(f"{self.licence!r} is not a licence", remedy=remedy)
        if not VERSION.fullmatch(self.version):
            remedy = "use letters, digits, dots and hyphens, such as 2026.1"
            raise BadInputError(f"{self.version!r} is not a version", remedy=remedy)
        if not self.corpus.isprintable() or len(self.corpus) > MOST_CHARACTERS:  # it is shown in terminals
            remedy = f"say it in one line of at most {MOST_CHARACTERS:,} characters, without control characters"
            raise BadInputError("the description of the corpus cannot be shown", remedy=remedy)

    def __str__(self) -> str:
        told = f"{self.source} to {self.target}, version {self.version}, licence {self.licence}"
        return f"{told}, from {self.corpus}" if self.corpus else told

    def check_languages(self, source: str, target: str, where: Path | str) -> None:
        """Raise an error unless the base translates between these languages."""
        if not all(map(same_language, (self.source, self.target), (source, target))):
            what = f"this base translates from {self.source} to {self.target}, not from {source} to {target}"
            raise BadInputError(what, where=where, remedy="choose a base for these languages")


def read_card(base: Path) -> BaseCard | None:
    """The card of a base, None if it was not published; an error if it cannot be one."""
    about = read_manifest(base)["about"] if (base / MANIFEST).exists() else {}
    return card_of(about, base)


def card_of(about: Mapping[str, Any], where: Path | str) -> BaseCard | None:
    """The card in the description of a base, if there is one; fields of later versions are left alone."""
    if CARD not in about:
        return None
    try:
        known = {field.name: about[CARD][field.name] for field in fields(BaseCard) if field.name in about[CARD]}
        return BaseCard(**known)
    except (TypeError, KeyError):
        raise BadInputError("the card of this base is incomplete", where=where, remedy="publish it again") from None
    except BadInputError as error:
        raise BadInputError(error.what, where=where, remedy="publish it again") from None


def publish(base: Path, directory: Path, card: BaseCard) -> str:
    """Write a base with its card to a directory to be uploaded; returns the checksum that its users can ask for."""
    if directory.exists() and any(directory.iterdir()):
        raise BadInputError("this directory is not empty", where=directory, remedy="give a new one")
    arrays, about = open_arrays(base, verify=True)
    write_arrays(directory, arrays, about | {CARD: asdict(card)})
    return str(read_manifest(directory)["checksum"])
