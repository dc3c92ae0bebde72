"""Which language a file is in that does not say so, and whether it may be learned from.

A file that declares its language has been checked already. Otherwise its path may tell (`locale/fr/LC_MESSAGES/app.po`,
`fr.po`, `app.fr.po`, `values-fr/strings.xml`), and in any case its text.

>>> language_of_path("locale/fr/LC_MESSAGES/app.po"), language_of_path("po/app.pt_BR.po"), language_of_path("how_to.po")
('fr', 'pt_BR', None)
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from dragoman.errors import BadInputError
from dragoman.formats import read_document
from dragoman.formats.document import Document
from dragoman.languages import primary, same_language
from dragoman.text.identification import NAMES, detect, find_other, name_of

CODE = re.compile(r"[a-z]{2}(?:[-_](?:[A-Z]{2}|[A-Z][a-z]{3}))?")
CONFLICT = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
LOOKED_AT = 200  # translations
CERTAIN = 0.9  # that the text is in the target language, whatever the path says


def language_of_path(path: str) -> str | None:
    """The language that a path names: in its last part that does."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts:
        return None
    stem = parts[-1].partition(".")[0]
    ends = re.split(r"[._-](?=[a-z]{2}(?:[._-]|$))", parts[-1].rpartition(".")[0])
    folders = [part.removesuffix(".lproj").removeprefix("values-").replace("-r", "-") for part in parts[-2:-4:-1]]
    candidates = [stem, *([ends[-1]] if len(ends) > 1 else []), *folders]
    return next((each for each in candidates if CODE.fullmatch(each) and primary(each) in NAMES), None)


def check_conflicts(data: bytes) -> None:
    """Refuse a file with the marks that git leaves where two changes are in conflict."""
    if CONFLICT.search(data):
        raise BadInputError("the file has conflict markers", remedy="resolve the conflicts, and send it again")


def check_language(document: Document, data: bytes, path: str, source: str, target: str) -> None:
    """Refuse a file whose path or text is in another language than the target, unless it declares the target."""
    text = " ".join(one.target for one in document.segments[:LOOKED_AT] if one.target)
    other = find_other(text, target)
    if other:
        what = f"the translations look like {name_of(other)}, not {name_of(target)}"
        raise BadInputError(what, remedy=f"send files from {source} to {target} only")
    named = language_of_path(path)
    if named is None or same_language(named, target) or same_language(named, source):
        return
    likely, sure = detect(text, [named, target])
    if likely == target and sure > CERTAIN:
        return
    try:
        declared = read_document(data, PurePosixPath(path).name).target_language
    except BadInputError:
        declared = None
    if declared is None:
        what = f"the path says {name_of(named)}, and the file does not say anything else"
        raise BadInputError(what, remedy=f"send files from {source} to {target} only")
