"""Directories of named arrays: written atomically, checked, and opened by memory map.

A directory has one `.npy` file per array and a `manifest.json` that lists them with their checksums. Data files are
named after their checksums, so writing a new state never touches the files of the old one: atomically replacing the
manifest is the moment when the new state takes over.

Opening must take milliseconds whatever the size, so the checksum of a file is only computed when the file may have
changed: `verified.json` records the size, times and inode of each file when its checksum was last known to be right. It
only applies to this machine and is safe to delete.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dragoman.arrays import ArrayTree
from dragoman.errors import BadInputError, DamagedFileError, StorageError

FORMAT = 1
MANIFEST = "manifest.json"
VERIFIED = "verified.json"
SUM = "checksum"  # of the rest of that file
FILE = re.compile(r"\w[\w.+-]*\.npy")  # of an array
MOST_CHARACTERS = 200  # in the name of a file; file systems allow 255 bytes

Arrays = dict[str, np.ndarray]


def write_arrays(directory: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
    """Make `directory` hold exactly these arrays and this JSON description; on failure it stays as it was."""
    with storage_errors(directory):
        directory.mkdir(parents=True, exist_ok=True)
        before = set(directory.iterdir())
        try:
            entries = {name: _write_array(directory, name, array) for name, array in sorted(arrays.items())}
            manifest = {"format": FORMAT, "about": dict(about), "arrays": entries}
            manifest["checksum"] = _manifest_checksum(manifest)
            write_durably(directory / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False).encode())
        except BaseException:
            for leftover in set(directory.iterdir()) - before:
                leftover.unlink()
            raise
    _remember_verified(directory, entries)
    for old in directory.glob("*.npy*"):  # with what interrupted attempts have left
        if old.name not in {entry["file"] for entry in entries.values()}:
            old.unlink(missing_ok=True)


def open_arrays(directory: Path, *, verify: bool = False) -> tuple[ArrayTree, dict[str, Any]]:
    """Map the arrays of a directory into memory, shared between processes; changes made to them stay private.

    With `verify`, every file is read and checked; otherwise only those that may have changed.
    """
    with reading_errors(directory):
        manifest = read_manifest(directory)
        entries = manifest["arrays"]
        known = {} if verify else _read_verified(directory)
        stamps = {name: _stamp(directory / entry["file"], name) for name, entry in entries.items()}
        changed = [entry for name, entry in entries.items() if stamps[name] != known.get(entry["file"])]
        try:
            for entry in changed:
                _check_file(directory / entry["file"], entry)
        except DamagedFileError:
            with contextlib.suppress(OSError):  # so that nobody else takes it for intact
                (directory / VERIFIED).unlink(missing_ok=True)
            raise
        if changed:
            _remember_verified(directory, entries)
        tree = ArrayTree({name: _map(directory / entry["file"]) for name, entry in entries.items()})
        return tree, manifest["about"]


_ELSEWHERE = "choose a directory you may write to"
_TO_WRITE = {
    errno.ENOSPC: "make room and try again",
    errno.EDQUOT: "make room and try again",
    errno.EFBIG: "raise the limit on file sizes and try again",
    errno.EACCES: _ELSEWHERE,
    errno.EPERM: _ELSEWHERE,
    errno.EROFS: _ELSEWHERE,
}
_TO_READ = {
    errno.EMFILE: "raise the limit of open files (ulimit -n) and try again",
    errno.ENFILE: "close other programs and try again",
    errno.EACCES: "check its permissions",
}


@contextlib.contextmanager
def storage_errors(where: Path, *, unchanged: bool = True) -> Iterator[None]:
    """Turn the operating system's errors about writing into one clear line.

    The line says that nothing was changed; pass `unchanged=False` where that is not certain.
    """
    try:
        yield
    except OSError as error:
        what = f"cannot write: {_said(error)}{'; nothing was changed' if unchanged else ''}"
        raise StorageError(what, where=where, remedy=_TO_WRITE.get(error.errno or 0)) from error


@contextlib.contextmanager
def reading_errors(where: Path) -> Iterator[None]:
    """Turn the operating system's errors about reading into one clear line."""
    try:
        yield
    except OSError as error:
        remedy = _TO_READ.get(error.errno or 0)
        raise StorageError(f"cannot read: {_said(error)}", where=where, remedy=remedy) from error


def _said(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _write_array(directory: Path, name: str, array: np.ndarray) -> dict[str, Any]:
    array = np.ascontiguousarray(array)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    body = array.data.cast("B") if array.size else b""
    checksum = hashlib.sha256(header.getvalue())
    checksum.update(body)
    path = directory / f"{name}-{checksum.hexdigest()[:16]}.npy"
    write_durably(path, header.getvalue(), body)
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": checksum.hexdigest()}


def write_durably(path: Path, *parts: bytes | memoryview, mode: int = 0o666) -> None:
    """Write a temporary file, force it to disk, and move it into place; a device or pipe is written to as it is.

    Each call has a temporary file of its own, created with this mode, so that of several writers one comes last.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            file.writelines(parts)
        return
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(aside, "xb", opener=partial(os.open, mode=mode)) as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Force what was created, renamed or deleted in a directory to disk."""
    if os.name == "posix":
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _manifest_checksum(manifest: Mapping[str, Any]) -> str:
    text = json.dumps({key: value for key, value in manifest.items() if key != "checksum"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a directory, checked against its own checksum."""
    path = directory / MANIFEST
    try:
        return checked_manifest(path.read_bytes(), path)
    except FileNotFoundError:
        raise BadInputError("no manifest.json: nothing was saved here", where=directory) from None


def checked_manifest(data: bytes, path: Path | str) -> dict[str, Any]:
    """A manifest, given its bytes and where they are from; an error if it is not what was written."""
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        raise DamagedFileError("not valid JSON", where=path, remedy="restore it from a copy") from None
    if not isinstance(manifest, dict):
        raise DamagedFileError("not a manifest", where=path, remedy="restore it from a copy")
    if manifest.get("format") != FORMAT:
        remedy = "open it with the version of dragoman that wrote it, or a newer version"
        raise DamagedFileError(f"format {manifest.get('format')}, expected {FORMAT}", where=path, remedy=remedy)
    if manifest.get("checksum") != _manifest_checksum(manifest):
        raise DamagedFileError(f"wrong checksum {manifest.get('checksum')}", where=path)
    if not _lists_arrays(manifest):
        raise DamagedFileError("does not describe files of arrays in its directory", where=path)
    return manifest


def _lists_arrays(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest has what one must have: whoever seals one can write into it what they want."""
    try:
        entries = [(entry["file"], entry["bytes"], entry["sha256"]) for entry in manifest["arrays"].values()]
        return isinstance(manifest["about"], dict) and all(
            FILE.fullmatch(file) and len(file) <= MOST_CHARACTERS and type(size) is int and size >= 0 and str(sha256)
            for file, size, sha256 in entries
        )
    except (AttributeError, KeyError, TypeError):
        return False


def _check_file(path: Path, entry: Mapping[str, Any]) -> None:
    remedy = "restore it from a backup, or build it again"
    size = path.stat().st_size
    if size != entry["bytes"]:
        what = f"{size} bytes instead of {entry['bytes']} (sha256 {entry['sha256']})"
        raise DamagedFileError(what, where=path, remedy=remedy)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != entry["sha256"]:
        raise DamagedFileError(f"sha256 {found} instead of {entry['sha256']}", where=path, remedy=remedy)


def _stamp(path: Path, name: str) -> list[int]:
    try:
        status = path.stat()
    except FileNotFoundError:
        remedy = "restore it from a backup, or build it again"
        raise DamagedFileError(f"the file for array {name!r} is missing", where=path, remedy=remedy) from None
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _read_verified(directory: Path) -> dict[str, list[int]]:
    try:
        found = json.loads((directory / VERIFIED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or SUM not in found:  # an earlier version wrote no checksum
        return found if isinstance(found, dict) and all(isinstance(each, list) for each in found.values()) else {}
    return found if found.pop(SUM) == _sum(found) else {}


def is_remembered_wrongly(directory: Path) -> bool:
    """Whether the file that says what was verified is not what was written; it is then made again."""
    return (directory / VERIFIED).exists() and not _read_verified(directory)


def _sum(stamps: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(stamps, sort_keys=True).encode()).hexdigest()


def _remember_verified(directory: Path, entries: Mapping[str, Mapping[str, Any]]) -> None:
    stamps = {entry["file"]: _stamp(directory / entry["file"], name) for name, entry in entries.items()}
    with contextlib.suppress(OSError):  # a read-only directory is checked again each time
        write_durably(directory / VERIFIED, json.dumps({**stamps, SUM: _sum(stamps)}).encode())


def _map(path: Path) -> np.ndarray:
    mode: Literal["c"] | None = "c" if path.stat().st_size > 128 else None  # a file with only a header cannot be mapped
    array: np.ndarray = np.load(path, mmap_mode=mode, allow_pickle=False)
    return array.view(np.ndarray)
