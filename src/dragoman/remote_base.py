"""Remote bases: fetched once from any location that fsspec supports (s3://…, gs://…, memory://…), and verified.

The copy in the user's cache is named after the checksum of its manifest. So the same base is fetched once whatever its
URL, and a new base at the same URL is fetched again. Files are fetched one by one into a temporary directory, which is
renamed when all of them have been verified: an interrupted download resumes where it stopped.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

import platformdirs

from dragoman.errors import BadInputError, DamagedFileError
from dragoman.extras import load
from dragoman.files import MANIFEST, open_arrays, storage_errors, write_durably
from dragoman.progress import Progress

PIECE = 1 << 22  # bytes copied at a time


def fetch(location: str | Path, *, progress: Progress | None = None) -> Path:
    """The directory of a base: the location itself if it is a path, or a copy in the user's cache if it is a URL."""
    if isinstance(location, Path) or "://" not in location:
        return Path(location)
    files, path = _connect(location)
    manifest = _read_manifest(files, path, location)
    directory = bases_directory() / str(manifest["checksum"])[:32]
    if not (directory / MANIFEST).exists():
        with storage_errors(directory):
            _copy(files, path, manifest, directory, progress or (lambda *_: None))
    return directory


def bases_directory() -> Path:
    """Where fetched bases are kept: $DRAGOMAN_BASES, or a directory in the user's cache."""
    if chosen := os.environ.get("DRAGOMAN_BASES"):
        return Path(chosen)
    return platformdirs.user_cache_path("dragoman", appauthor=False, opinion=False) / "bases"


def _connect(location: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    fsspec = load("fsspec", "cluster")
    try:
        files, path = fsspec.url_to_fs(location)
    except (ImportError, ValueError) as error:
        remedy = "install the fsspec driver for it, for example: pip install s3fs"
        raise BadInputError(f"cannot read from such a location ({error})", where=location, remedy=remedy) from None
    return files, str(path).rstrip("/")


def _read_manifest(files: Any, path: str, location: str) -> dict[str, Any]:
    try:
        data = files.cat_file(f"{path}/{MANIFEST}")
    except FileNotFoundError:
        remedy = "give the directory that a base was saved to"
        raise BadInputError(f"there is no base here (no {MANIFEST})", where=location, remedy=remedy) from None
    except OSError as error:
        raise BadInputError(f"cannot be read ({error})", where=location, remedy="check the URL") from None
    try:
        manifest: dict[str, Any] = json.loads(data)
        names = [entry["file"] for entry in manifest["arrays"].values()]
        if str(manifest["checksum"]).isalnum() and all(Path(name).name == name for name in names):
            return {**manifest, "data": data}
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise DamagedFileError("not the manifest of a base", where=f"{location}/{MANIFEST}", remedy="save it again")


def _copy(files: Any, path: str, manifest: dict[str, Any], directory: Path, progress: Progress) -> None:
    """Copy all files to a temporary directory, verify them, and rename it."""
    aside = directory.with_name(f"{directory.name}.part")
    aside.mkdir(parents=True, exist_ok=True)
    entries = list(manifest["arrays"].values())
    total, done = sum(entry["bytes"] for entry in entries), 0
    for entry in entries:
        own = aside / entry["file"]
        if not (own.exists() and own.stat().st_size == entry["bytes"]):
            _copy_file(files, f"{path}/{entry['file']}", own)
        done += entry["bytes"]
        progress("fetching the base", done, total)
    write_durably(aside / MANIFEST, manifest["data"])
    try:
        open_arrays(aside)  # verifies the checksums of all files
    except DamagedFileError as error:
        if error.where and Path(error.where).suffix == ".npy":
            Path(error.where).unlink()
        raise DamagedFileError(error.what, where=path, remedy="fetch it again, or save the base again") from None
    if not directory.exists():  # another process may have been faster
        aside.rename(directory)


def _copy_file(files: Any, remote: str, own: Path) -> None:
    """Copy one file, under a temporary name until it is complete."""
    part = own.with_name(f"{own.name}.{secrets.token_hex(4)}")
    try:
        with files.open(remote, "rb") as there, part.open("wb") as here:
            while piece := there.read(PIECE):
                here.write(piece)
        part.replace(own)
    except FileNotFoundError:
        remedy = "save the base there again"
        raise DamagedFileError("a file of the base is missing", where=remote, remedy=remedy) from None
    finally:
        part.unlink(missing_ok=True)
