"""Corpora that need not fit in memory, read as a stream of text pairs: files, directories of files, standard input.

A corpus is two files (line n of one translates line n of the other), two directories of such files, matched in order of
their names, one directory with both (`a.en.gz` beside `a.es.gz`), a file of tab-separated pairs, or `-` for such pairs
from standard input. Files may be compressed (`.gz`, `.zst`) and may have Windows line ends.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from dragoman.errors import BadInputError
from dragoman.extras import load
from dragoman.text import text_files

PACKED = (".gz", ".zst")
TABBED = ".tsv"


def read_corpus(paths: Sequence[str], languages: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Source and target texts of the corpus at one or two paths; the languages are parts of the file names."""
    if not 1 <= len(paths) <= 2:
        remedy = "give two files, two directories, one directory, one .tsv file, or - for standard input"
        raise BadInputError(f"a corpus has one or two paths, not {len(paths)}", remedy=remedy)
    if list(paths) == ["-"]:
        yield from _split(_decoded(sys.stdin.buffer, "standard input"), "standard input")
        return
    for files in _files([Path(each) for each in paths], languages):
        if len(files) == 1:
            yield from _split(_lines(files[0]), str(files[0]))
        else:
            yield from _zipped(files[0], files[1])


def _files(paths: list[Path], languages: tuple[str, str]) -> list[tuple[Path, ...]]:
    """The files of a corpus: single files of tab-separated pairs, and pairs of files that translate each other."""
    for path in paths:
        if not path.exists():
            raise BadInputError("no such file or directory", where=path, remedy="check the path")
    if len(paths) == 1:
        return _in_directory(paths[0], languages) if paths[0].is_dir() else [(paths[0],)]
    if not any(path.is_dir() for path in paths):
        return [(paths[0], paths[1])]
    listed = [_listed(path) for path in paths]
    if len(listed[0]) != len(listed[1]):
        what = f"{paths[0]} has {len(listed[0])} files, {paths[1]} has {len(listed[1])}"
        raise BadInputError(what, remedy="sorted by name, file n of one must be the translation of file n of the other")
    return list(zip(*listed, strict=True))


def _listed(path: Path) -> list[Path]:
    if not path.is_dir():
        raise BadInputError(
            "is a file, but the other path is a directory", where=path, remedy="give two files or two directories"
        )
    return sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))


def _in_directory(directory: Path, languages: tuple[str, str]) -> list[tuple[Path, ...]]:
    """The corpora in one directory, sorted by name."""
    found: list[tuple[Path, ...]] = []
    listed = {_unpacked(path): path for path in _listed(directory)}
    source, target = languages
    for name, path in listed.items():
        if name.endswith(TABBED):
            found.append((path,))
        elif name.endswith((f".{source}", f".{target}")):
            pair = [f"{name.removesuffix(f'.{source}').removesuffix(f'.{target}')}.{each}" for each in languages]
            if missing := [each for each in pair if each not in listed]:
                raise BadInputError(f"has no translation: {missing[0]} is missing", where=path, remedy="add or move it")
            if name == pair[0]:
                found.append((path, listed[pair[1]]))
    if not found:
        remedy = f"files must end in .{source} and .{target}, or in .tsv, with .gz or .zst added if compressed"
        raise BadInputError("no corpus in this directory", where=directory, remedy=remedy)
    return found


def _unpacked(path: Path) -> str:
    return path.stem if path.suffix in PACKED else path.name


def _zipped(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """The lines of two files, side by side."""
    rest = _lines(source), _lines(target)
    for done, (left, right) in enumerate(zip_longest(*rest)):
        if left is None or right is None:
            sizes = [
                done + (each is not None) + sum(1 for _ in more) for each, more in zip((left, right), rest, strict=True)
            ]
            what = f"{source} has {sizes[0]:,} lines, {target} has {sizes[1]:,}"
            raise BadInputError(what, remedy="line n of one file must be the translation of line n of the other")
        yield left.removesuffix("\r"), right.removesuffix("\r")


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file, compressed or not."""
    if path.suffix != ".zst":
        yield from text_files.lines(path)
        return
    zstandard = load("zstandard", "cluster")
    try:
        with path.open("rb") as file:
            unpacked = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            yield from _decoded(io.BufferedReader(unpacked), str(path))
    except zstandard.ZstdError as error:
        remedy = "download or compress it again; check it with zstd -t"
        raise BadInputError(f"damaged or incomplete zstd file ({error})", where=path, remedy=remedy) from None
    except OSError as error:
        raise BadInputError(f"cannot be read ({error.strerror or error})", where=path) from None


def _decoded(lines: Iterable[bytes], where: str) -> Iterator[str]:
    """Lines as text, without their ends."""
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n")
        except UnicodeDecodeError as error:
            what = f"line {number}, byte {error.start + 1} is not valid UTF-8"
            raise BadInputError(what, where=where, remedy="convert it first, for example with iconv") from None


def _split(lines: Iterable[str], where: str) -> Iterator[tuple[str, str]]:
    """Source and target of tab-separated lines."""
    for number, line in enumerate(lines, start=1):
        source, tab, target = line.partition("\t")
        if not tab or "\t" in target:
            what = f"line {number} has {line.count(chr(9)) + 1} fields"
            raise BadInputError(what, where=where, remedy="put one tab between source and translation")
        yield source, target.removesuffix("\r")
