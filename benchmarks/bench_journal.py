"""Journal: how long until a correction is safe on disk, against a bare insert and commit into the same database.

Both take turns, append by append, so that the moods of the disk fall on both alike. The bare insert has the same
columns and the same settings, and neither digest nor check of what went before.

    python benchmarks/bench_journal.py --appends 500
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from dragoman.store import Journal

sys.path.insert(0, str(Path(__file__).parents[1]))

SOURCE = "Press the green button and hold it for three seconds, until the light above it comes on."
TARGET = "Pulse el botón verde y manténgalo pulsado durante tres segundos, hasta que se encienda la luz que hay encima."
COLUMNS = "kind, time, username, source, target, revision, digest, contribution"
Append = Callable[[bytes], object]


def learn(journal: Journal) -> Append:
    return lambda contribution: journal.append_learn(SOURCE, TARGET, contribution=contribution, user="ana")


@contextlib.contextmanager
def bare_sqlite(path: Path) -> Iterator[Append]:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"CREATE TABLE bare (id INTEGER PRIMARY KEY AUTOINCREMENT, {COLUMNS})")

    def append(contribution: bytes) -> None:
        row = ("learn", "2024-05-01T12:00:00.000000+00:00", "ana", SOURCE, TARGET, 0, bytes(32), contribution)
        connection.execute(f"INSERT INTO bare ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608
        connection.commit()

    yield append
    connection.close()


@contextlib.contextmanager
def bare_postgresql(url: str) -> Iterator[Append]:
    import psycopg

    texts = "kind text, time text, username text, source text, target text"
    with psycopg.connect(url) as connection:
        connection.execute(
            f"CREATE TABLE bare (id bigserial PRIMARY KEY, {texts}, revision bigint, digest bytea, contribution bytea)"
        )
        connection.commit()

        def append(contribution: bytes) -> None:
            row = ("learn", "2024-05-01T12:00:00.000000+00:00", "ana", SOURCE, TARGET, 0, bytes(32), contribution)
            connection.execute(f"INSERT INTO bare ({COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", row)  # noqa: S608
            connection.commit()

        yield append


def take_turns(contenders: list[Append], appends: int, size: int) -> list[list[float]]:
    """Milliseconds of each append of each contender."""
    times: list[list[float]] = [[] for _ in contenders]
    for _ in range(appends):
        contribution = os.urandom(size)
        for append, taken in zip(contenders, times, strict=True):
            begin = time.perf_counter()
            append(contribution)
            taken.append(1e3 * (time.perf_counter() - begin))
    return times


def show(name: str, times: list[float]) -> None:
    p95 = statistics.quantiles(times, n=20)[-1]
    rate = 1e3 * len(times) / sum(times)
    print(f"{name:24} {rate:8.0f} a second, median {statistics.median(times):6.2f} ms, 95 % within {p95:6.2f} ms")


def compare(database: str, times: list[list[float]]) -> None:
    show(f"{database}: journal", times[0])
    show(f"{database}: bare insert", times[1])
    print(f"{database}: ratio of the medians {statistics.median(times[0]) / statistics.median(times[1]):.2f}")


def reading(journal: Journal) -> None:
    begin = time.perf_counter()
    count = sum(1 for _ in journal.rows())
    elapsed = time.perf_counter() - begin
    print(f"reading for a replay     {count / elapsed:8.0f} rows a second, each checked")


def postgresql(directory: Path, appends: int, size: int) -> None:
    try:
        from tests.store.postgresql import UnavailableError, private_server
    except ModuleNotFoundError as error:
        print(f"PostgreSQL is left out: {error}")
        return
    try:
        with (
            private_server(directory) as server,
            Journal.create(server.url) as journal,
            bare_postgresql(server.url) as bare,
        ):
            compare("PostgreSQL", take_turns([learn(journal), bare], appends, size))
            reading(journal)
    except UnavailableError as error:
        print(f"PostgreSQL is left out: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--appends", type=int, default=500, help="appends of each contender (default 500)")
    parser.add_argument("--bytes", type=int, default=30_000, help="size of a contribution (default 30000)")
    parser.add_argument("--directory", type=Path, help="where the disk is that is to be measured (default: temporary)")
    options = parser.parse_args()
    print(f"{options.appends} appends with contributions of {options.bytes:,} bytes")
    with tempfile.TemporaryDirectory(dir=options.directory) as temporary:
        directory = Path(temporary)
        directory.chmod(0o755)  # the server of PostgreSQL may be run by somebody else
        with Journal.create(directory / "journal.db") as journal, bare_sqlite(directory / "bare.db") as bare:
            compare("SQLite", take_turns([learn(journal), bare], options.appends, options.bytes))
            reading(journal)
        postgresql(directory, options.appends, options.bytes)


if __name__ == "__main__":
    main()
