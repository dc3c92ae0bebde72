"""Fetching engines: a file over HTTP, gone on with where it stopped, unpacked with care, and put into place whole.

An Argos package is a zip file with one directory: `metadata.json`, `sentencepiece.model`, `README.md`, and `model/` in
CTranslate2's format. A directory, or a zip file of one, in CTranslate2's own layout is taken too. Everything is made
ready in `.NAME.part` beside the other engines and renamed at the end, so that half an engine is never found.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, build_opener
from zipfile import BadZipFile, ZipFile, ZipInfo

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.files import storage_errors, sync_directory
from dragoman.progress import Progress
from dragoman.remote_base import PATIENCE, Redirects
from dragoman.upstream.installed import NAME, InstalledEngine, find, folder, installed, read
from dragoman.upstream.offers import CODES, INDEX, EngineOffer, offers

PIECE = 1 << 20
PACKAGE = "package"  # what a fetched file is called until it is unpacked
MOST_INDEX = 1 << 24  # bytes of an index
MOST_UNPACKED = 4 << 30  # bytes of an engine
MOST_FILES = 200
PIECES = ("sentencepiece.model", "source.spm", "target.spm", "spm.model")
CARDS = ("README.md", "card.md")


def index_of(location: str = "") -> list[EngineOffer]:
    """What an index offers: at an address, in a file, or in a directory with an `index.json`."""
    location = location or INDEX
    if "://" in location:
        data = _read_address(location)
    else:
        path = Path(location)
        path = path / "index.json" if path.is_dir() else path
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadInputError(f"cannot be read: {error.strerror}", where=path, remedy="name an index.json") from None
    return offers(data, location)


def get(name: str, location: str, wanted: dict[str, str], checksum: str, progress: Progress) -> InstalledEngine:
    """Put an engine into the user's directory: from a URL, a file or a directory; an earlier one stays until then.

    `wanted` says what the files do not: source, target, version, licence; `checksum` is the SHA-256 of the package.
    """
    if not NAME.fullmatch(name):
        raise BadInputError(
            f"{name[:64]!r} is not a name for an engine", remedy="use small letters, digits and hyphens"
        )
    staged = folder() / f".{name}.part"
    with storage_errors(folder()):
        staged.mkdir(parents=True, exist_ok=True)
        packed = download(location, staged / PACKAGE, progress) if "://" in location else Path(location)
        _check(packed, checksum)
        fresh = staged / "engine"
        shutil.rmtree(fresh, ignore_errors=True)
        (fresh / "model").mkdir(parents=True)
        told = _copy_directory(packed, fresh) if packed.is_dir() else _unpack(packed, fresh)
        about = _about(told, wanted, location)
        (fresh / "engine.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        if read(fresh, name=name) is None:
            remedy = "give a package of Argos Translate, or a directory of CTranslate2's format with its pieces"
            raise BadInputError("there is no engine in it", where=location, remedy=remedy)
        _put_into_place(fresh, folder() / name)
        shutil.rmtree(staged)
    return find(name)


def remove(name: str) -> None:
    """Delete an engine that was fetched; one that a package brought is the package's to remove."""
    found = next((each for each in installed() if each.name == name), None)
    if found is None or not NAME.fullmatch(name):
        raise BadInputError(f"there is no engine {name[:64]!r} on this machine", remedy="see dragoman engine list")
    if found.is_packaged:
        raise BadInputError(f"a package brought engine:{name}", remedy="remove it with pip uninstall")
    if found.path.is_symlink():
        found.path.unlink()
    else:
        gone = found.path.with_name(f".{name}.part")
        shutil.rmtree(gone, ignore_errors=True)
        found.path.rename(gone)  # first, so that half of it is never found
        shutil.rmtree(gone)


def download(address: str, path: Path, progress: Progress) -> Path:
    """A file from the web; the part that is there already is not fetched again if its server can go on."""
    begun = path.stat().st_size if path.exists() else 0
    request = Request(address, headers={"Range": f"bytes={begun}-"} if begun else {})  # noqa: S310 (the user's own)
    try:
        with build_opener(Redirects()).open(request, timeout=PATIENCE) as answer:
            begun = begun if answer.status == HTTPStatus.PARTIAL_CONTENT else 0
            length = answer.headers.get("Content-Length")
            total = begun + int(length) if length else 0
            with path.open("ab" if begun else "wb") as file:
                done = begun
                while piece := answer.read(PIECE):
                    done += len(piece)
                    if done > MOST_UNPACKED:
                        raise BadInputError("is larger than any engine", where=address, remedy="check the address")
                    file.write(piece)
                    progress("fetching", done, max(total, done))
    except HTTPError as error:
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:  # all of it is there
            return path
        raise BadInputError(
            f"answered {error.code}", where=address, remedy="check the address, or use --from"
        ) from None
    except (URLError, OSError, ValueError) as error:
        remedy = "check the network and ask again: it goes on where it stopped; or use --from with a file or mirror"
        raise BadInputError(f"cannot be fetched: {error}", where=address, remedy=remedy) from None
    if total and done < total:
        raise DamagedFileError("ended early", where=address, remedy="ask again: it goes on where it stopped")
    return path


def _read_address(address: str) -> bytes:
    try:
        with build_opener(Redirects()).open(address, timeout=PATIENCE) as answer:
            data: bytes = answer.read(MOST_INDEX + 1)
    except (OSError, ValueError) as error:
        remedy = "check the network, or give a mirror or file with --from"
        raise BadInputError(f"cannot be read: {error}", where=address, remedy=remedy) from None
    if len(data) > MOST_INDEX:
        raise BadInputError("is too large for an index", where=address, remedy="check the address")
    return data


def _copy_directory(source: Path, fresh: Path) -> dict[str, Any]:
    """Copy a directory of CTranslate2's format, or one that holds such a `model/`."""
    model = source / "model" if (source / "model" / "model.bin").is_file() else source
    for place, into in ((model, fresh / "model"), (source, fresh)):
        for each in sorted(place.iterdir()):
            if each.is_file() and (place == model or each.name in (*PIECES, *CARDS)):
                shutil.copyfile(each, _place(each.name, into, fresh))
    return _told(source / "metadata.json", source / "engine.json")


def _unpack(packed: Path, fresh: Path) -> dict[str, Any]:
    """Unpack a zip file: only what an engine has, and no path of its own choice."""
    try:
        with ZipFile(packed) as files:
            entries = [each for each in files.infolist() if not each.is_dir()]
            if len(entries) > MOST_FILES or sum(each.file_size for each in entries) > MOST_UNPACKED:
                raise BadInputError("is larger than any engine", where=packed, remedy="check where it comes from")
            for entry in entries:
                if place := _entry_place(entry, fresh):
                    with files.open(entry) as stream, place.open("wb") as file:
                        shutil.copyfileobj(stream, file, PIECE)
    except FileNotFoundError:
        raise BadInputError("there is no such file", where=packed, remedy="name a package or a directory") from None
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        if packed.name == PACKAGE:
            packed.unlink(missing_ok=True)
        raise DamagedFileError(f"is damaged: {error}", where=packed, remedy="fetch it again") from None
    return _told(fresh / "metadata.json")


def _entry_place(entry: ZipInfo, fresh: Path) -> Path | None:
    parts = PurePosixPath(entry.filename).parts
    if len(parts) > 2 and parts[-2] == "model":
        return fresh / "model" / parts[-1]
    if parts[-1] == "bpe.model":
        remedy = "choose a newer package of this pair"
        raise BadInputError("its pieces are of a kind that is not understood (bpe.model)", remedy=remedy)
    if len(parts) <= 2 and parts[-1] in (*PIECES, *CARDS, "metadata.json"):
        return _place(parts[-1], fresh, fresh)
    is_model = len(parts) <= 2 and re.fullmatch(r"[\w.-]+\.(bin|json|txt)", parts[-1])
    return fresh / "model" / parts[-1] if is_model else None


def _place(name: str, into: Path, fresh: Path) -> Path:
    """Where a file of an engine goes: pieces beside the model, the description as its card."""
    if name in PIECES:
        return fresh / "model" / name
    return fresh / "card.md" if name in CARDS else into / name


def _told(*paths: Path) -> dict[str, Any]:
    for path in paths:
        try:
            found = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(found, dict):
            return found
    return {}


def _about(told: dict[str, Any], wanted: dict[str, str], location: str) -> dict[str, str]:
    """What engine.json says, from what the package tells and what the user or the index said."""
    found = {
        "source": str(told.get("source") or CODES.get(told.get("from_code", ""), told.get("from_code", ""))),
        "target": str(told.get("target") or CODES.get(told.get("to_code", ""), told.get("to_code", ""))),
        "version": str(told.get("version") or told.get("package_version", "")),
        "licence": str(told.get("licence") or told.get("license") or ""),
        "about": str(told.get("about") or location),
        "target_token": str(told.get("target_prefix") or told.get("target_token") or ""),
    }
    found |= {key: value for key, value in wanted.items() if value}
    if not (found["source"] and found["target"]):
        raise BadInputError("it does not say its languages", where=location, remedy="say --source and --target")
    return found


def _put_into_place(fresh: Path, place: Path) -> None:
    """Rename, the engine that was there aside first."""
    old = place.with_name(f".{place.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    sync_directory(place.parent)
    shutil.rmtree(old, ignore_errors=True)


def _check(packed: Path, wanted: str) -> None:
    """Refuse a package that is not the one whose SHA-256 the user has named."""
    if not wanted:
        return
    if packed.is_dir():
        raise BadInputError("a directory has no checksum", where=packed, remedy="leave out --checksum")
    with packed.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != wanted.lower():
        if packed.name == PACKAGE:
            packed.unlink()
        remedy = "fetch it again, or ask its publisher"
        raise DamagedFileError(f"its checksum is {found}, not {wanted}", where=packed, remedy=remedy)
