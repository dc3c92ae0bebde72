"""Remote bases: fetched once from a web server, or from any location that fsspec supports (s3://…), and verified.

The copy in the user's cache is named after the checksum of its manifest. So the same base is fetched once whatever its
URL, and a new base at the same URL is fetched again. Files are fetched one by one into a temporary directory, which is
renamed when all of them have been verified: an interrupted download goes on with the files that are not there yet.

`s3://models/en-es#0123456789abcdef` asks for one base only: its checksum, or the first 16 digits or more of it, stand
behind the URL, and whatever else is found there is refused before anything is downloaded.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from errno import EDQUOT, EFBIG, ENOSPC
from http import HTTPStatus
from http.client import HTTPException
from ipaddress import ip_address
from pathlib import Path
from socket import getaddrinfo
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import platformdirs

from dragoman.base_card import card_of
from dragoman.errors import BadInputError, DamagedFileError, StorageError
from dragoman.extras import load
from dragoman.files import MANIFEST, checked_manifest, open_arrays, storage_errors, write_durably
from dragoman.progress import Progress

PIECE = 1 << 22  # bytes copied at a time
PATIENCE = 60.0  # seconds for a web server to go on
MOST_BYTES = 1 << 24  # of a manifest
CHECKSUM = re.compile("[0-9a-f]{16,64}")


def fetch(location: str | Path, *, languages: tuple[str, str] | None = None, progress: Progress | None = None) -> Path:
    """The directory of a base: the location itself if it is a path, or a copy in the user's cache if it is a URL.

    A published base of other `languages` is refused before it is downloaded.
    """
    if isinstance(location, Path) or "://" not in location:
        return Path(location)
    location, wanted = _split_checksum(location)
    files, path = _connect(location)
    manifest = _read_manifest(files, path, location)
    if not str(manifest["checksum"]).startswith(wanted):
        what = f"another base is there: its checksum is {manifest['checksum']}, not {wanted}"
        raise DamagedFileError(what, where=location, remedy="ask its publisher; the checksum follows # in the URL")
    card = card_of(manifest["about"], location)
    if card and languages:
        card.check_languages(*languages, location)
    directory = bases_directory() / str(manifest["checksum"])[:32]
    if not (directory / MANIFEST).exists():
        with storage_errors(directory):
            _copy(files, path, manifest, directory, progress or (lambda *_: None))
    return directory


def _split_checksum(location: str) -> tuple[str, str]:
    """A URL, and the checksum behind it or nothing.

    >>> _split_checksum("s3://models/en-es#0123456789ABCDEF")
    ('s3://models/en-es', '0123456789abcdef')
    """
    url, mark, wanted = location.rpartition("#")
    if not mark:
        return location, ""
    if not CHECKSUM.fullmatch(wanted.lower()):
        remedy = "give 16 to 64 hexadecimal digits behind the #, or no #"
        raise BadInputError(f"{wanted!r} is not a checksum", where=url, remedy=remedy)
    return url, wanted.lower()


def bases_directory() -> Path:
    """Where fetched bases are kept: $DRAGOMAN_BASES, or a directory in the user's cache."""
    if chosen := os.environ.get("DRAGOMAN_BASES"):
        return Path(chosen)
    return platformdirs.user_cache_path("dragoman", appauthor=False, opinion=False) / "bases"


class WebFiles:
    """Files on a web server, by their URLs: what is used here of a file system of fsspec, without its drivers."""

    def __init__(self) -> None:
        self.redirects = Redirects()
        self._opener = build_opener(self.redirects)

    def open(self, url: str, _: str = "rb") -> IO[bytes]:
        """A file to be read."""
        try:
            found: IO[bytes] = self._opener.open(url, timeout=PATIENCE)
        except HTTPError as error:
            if error.code in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
                raise FileNotFoundError(url) from None
            raise
        return found


class Redirects(HTTPRedirectHandler):
    """Goes where a server redirects to, but not from https to anything else, nor from outside into this network."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        """The next request."""
        old, new = urlsplit(req.full_url), urlsplit(newurl)
        if new.scheme not in ("https", old.scheme) or (is_outside(old.hostname) and not is_outside(new.hostname)):
            raise HTTPError(newurl, code, f"a redirect to {newurl} is not followed", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_outside(host: str | None) -> bool:
    """Whether a host is on the internet; one whose name only a proxy knows is.

    >>> is_outside("127.0.0.1"), is_outside("169.254.169.254"), is_outside("9.9.9.9")
    (False, False, True)
    """
    try:
        found = {address[0] for *_, address in getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return True
    return all(ip_address(str(each).partition("%")[0]).is_global for each in found)


def _connect(location: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    if location.startswith(("https://", "http://")):
        return WebFiles(), location.rstrip("/")
    fsspec = load("fsspec", "cluster")
    try:
        files, path = fsspec.url_to_fs(location)
    except (ImportError, ValueError) as error:
        remedy = "install the fsspec driver for it, for example: pip install s3fs"
        raise BadInputError(f"cannot read from such a location ({error})", where=location, remedy=remedy) from None
    return files, str(path).rstrip("/")


def _read_manifest(files: Any, path: str, location: str) -> dict[str, Any]:
    try:
        with files.open(f"{path}/{MANIFEST}", "rb") as file:
            data = file.read(MOST_BYTES)
    except FileNotFoundError:
        remedy = "give the directory that a base was saved to"
        raise BadInputError(f"there is no base here (no {MANIFEST})", where=location, remedy=remedy) from None
    except (HTTPException, OSError, ValueError) as error:
        raise BadInputError(f"cannot be read ({error})", where=location, remedy="check the URL") from None
    try:
        manifest: dict[str, Any] = json.loads(data)
        names = [entry["file"] for entry in manifest["arrays"].values()]
        is_manifest = str(manifest["checksum"]).isalnum() and all(Path(name).name == name for name in names)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        is_manifest = False
    if not is_manifest:
        raise DamagedFileError("not the manifest of a base", where=f"{location}/{MANIFEST}", remedy="save it again")
    return checked_manifest(data, f"{location}/{MANIFEST}") | {"data": data}


def _copy(files: Any, path: str, manifest: dict[str, Any], directory: Path, progress: Progress) -> None:
    """Copy all files to a temporary directory, verify them, and rename it."""
    aside = directory.with_name(f"{directory.name}.part")
    aside.mkdir(parents=True, exist_ok=True)
    entries = list(manifest["arrays"].values())
    total, done = sum(entry["bytes"] for entry in entries), 0
    for entry in entries:
        own = aside / entry["file"]
        if not (own.exists() and own.stat().st_size == entry["bytes"]):
            _copy_file(files, f"{path}/{entry['file']}", own, entry["bytes"])
        done += entry["bytes"]
        progress("fetching the base", done, total)
    write_durably(aside / MANIFEST, manifest["data"])
    try:
        open_arrays(aside)  # verifies the checksums of all files
    except DamagedFileError as error:
        where = path
        if error.where and Path(error.where).suffix == ".npy":
            Path(error.where).unlink()
            where = f"{path}/{Path(error.where).name}"
        raise DamagedFileError(error.what, where=where, remedy="fetch it again, or save the base again") from None
    if not directory.exists():  # another process may have been faster
        aside.rename(directory)


def _copy_file(files: Any, remote: str, own: Path, size: int) -> None:
    """Copy one file of a known size, under a temporary name until it is complete."""
    part = own.with_name(f"{own.name}.{secrets.token_hex(4)}")
    try:
        with files.open(remote, "rb") as there, part.open("wb") as here:
            while here.tell() <= size and (piece := there.read(PIECE)):
                here.write(piece)
            found = here.tell()
        if found < size:
            raise HTTPException(f"{found:,} of {size:,} bytes came")
        if found > size:
            raise DamagedFileError(f"is longer than its {size:,} bytes", where=remote, remedy="ask its publisher")
        part.replace(own)
    except FileNotFoundError:
        remedy = "save the base there again"
        raise DamagedFileError("a file of the base is missing", where=remote, remedy=remedy) from None
    except (HTTPException, OSError) as error:
        if isinstance(error, OSError) and error.errno in (ENOSPC, EDQUOT, EFBIG):  # about our own disk
            raise
        what = f"the download was interrupted ({error or type(error).__name__})"
        raise StorageError(what, where=remote, remedy="try again: it goes on with this file") from None
    finally:
        part.unlink(missing_ok=True)
