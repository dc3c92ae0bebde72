"""The history of the PO files in a git repository: what each commit translated, or translated anew, in order.

git itself is asked, and only for the commits and the contents of files; nothing in the repository is run.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from dragoman.assess.past_work import PastPair, PastWork, finished, past_work
from dragoman.errors import BadInputError
from dragoman.formats import read_document
from dragoman.languages import is_language, same_language

GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
PATTERN = "*.po"
_CODE = re.compile(r"[a-z]{2}(?:[-@][a-z0-9]{2,8})*|[a-z]{3}(?:[-@][a-z0-9]{2,8})+")


class _Version(NamedTuple):
    commit: str
    path: str


def read_commits(repository: Path, source: str, target: str, pattern: str = PATTERN) -> PastWork:
    """The translations into a language in the order in which they were committed.

    A translation that a later commit changes is replayed again with the new target, as people do.
    """
    known: dict[tuple[str, str, str], str] = {}  # targets by path, context and source
    pairs: list[PastPair] = []
    left_out: Counter[str] = Counter()
    for version, data in _contents(repository, _of_language(_versions(repository, pattern), target)):
        try:
            document = read_document(data, version.path, source=source)
        except BadInputError:
            left_out["unreadable versions of files"] += 1
            continue
        stated = document.target_language
        if stated is not None and not same_language(stated, target):
            continue
        if stated is None and not _is_named(version.path, target):
            continue
        contexts = {each.source: each.context for each in document.segments}
        for pair in finished(document.segments, version.path)[0]:
            key = version.path, contexts[pair.source], pair.source
            if known.get(key) != pair.target:
                known[key] = pair.target
                pairs.append(pair)
    return past_work(pairs, source, target, "order of the commits", left_out, where=repository)


def _of_language(versions: list[_Version], target: str) -> list[_Version]:
    """The files that may be in a language, by their names; the rest of a large repository is not even read.

    If some are named after exactly this language, those of its other countries are left out: es.po, but not es_MX.po.
    Files that are not named after any language are kept, since their headers tell.
    """
    codes = {each.path: _code(each.path) for each in versions}
    kept = [each for each in versions if (code := codes[each.path]) is None or same_language(code, target)]
    exact = {path for path, code in codes.items() if code == _normal(target)}
    return [each for each in kept if each.path in exact or codes[each.path] is None] if exact else kept


def _code(path: str) -> str | None:
    """The code of a language in the name of a file or of its folders, the nearest to the end.

    >>> _code("locale/pt_BR/LC_MESSAGES/app.po"), _code("po/es.po"), _code("doc/app.po")
    ('pt-br', 'es', None)
    """
    names = [_normal(name) for name in (*Path(path).parts[:-1], Path(path).stem)]
    return next((name for name in reversed(names) if _CODE.fullmatch(name) and is_language(name)), None)


def _normal(code: str) -> str:
    return code.replace("_", "-").lower()


def _is_named(path: str, target: str) -> bool:
    """Whether a file without a language in its header is named after one: es.po, es/LC_MESSAGES/app.po."""
    names = [*Path(path).parts[:-1], Path(path).stem]
    return any(same_language(name.replace("_", "-"), target) for name in names if len(name) >= len(target))


def _versions(repository: Path, pattern: str) -> list[_Version]:
    """Each commit with each matching file that it added or changed, the oldest first."""
    wanted = ["log", "--reverse", "--date-order", "--format=%x01%H", "--name-only", "-z", "--diff-filter=AMR"]
    done = _run(repository, *wanted, "--no-renames", "--", f":(glob)**/{pattern}")
    found = []
    for entry in done.decode(errors="replace").split("\x01")[1:]:
        commit, *paths = (part.strip("\n") for part in entry.split("\0"))
        found += [_Version(commit, path) for path in paths if path]
    if not found:
        what = f"no commit has files like {pattern}"
        raise BadInputError(what, where=repository, remedy="give a clone with its whole history")
    return found


def _contents(repository: Path, versions: list[_Version]) -> Iterator[tuple[_Version, bytes]]:
    """The bytes of each version of a file, from one process of git."""
    command = [*GIT, "-C", str(repository), "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as git:  # noqa: S603
        asked, answered = _streams(git)
        for version in versions:
            asked.write(f"{version.commit}:{version.path}\n".encode())
            asked.flush()
            *_, kind, size = answered.readline().split()
            if size.isdigit() and kind == b"blob":
                yield version, answered.read(int(size))
                answered.read(1)
        asked.close()


def _streams(git: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if git.stdin is None or git.stdout is None:  # never: both are pipes
        raise RuntimeError
    return git.stdin, git.stdout


def _run(repository: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run([*GIT, "-C", str(repository), *arguments], capture_output=True, check=False)  # noqa: S603
    except OSError:
        raise BadInputError("git is not installed", remedy="install git, or give files") from None
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["git failed"]
        raise BadInputError(
            reason[0].removeprefix("fatal: "), where=repository, remedy="give the directory of a git repository"
        )
    return done.stdout
