"""Following a journal that another process writes, by notifications and by polling.

PostgreSQL announces each append to those who listen (LISTEN, NOTIFY). An announcement can be lost: with a connection,
in a connection pooler, on a read-only copy of the database. So followers also poll once a second,
and more often where nothing is announced at all, as in SQLite.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from dragoman.store.database import Database
from dragoman.store.fencing import find_channel

TICK = 0.2  # seconds between looks whether to stop, or to take over
UNTOLD = 0.1  # seconds between looks for new rows where nothing announces them,
TOLD = 1.0  # and where they are announced
AGAIN = 1.0  # seconds after which to try again what went wrong,
LISTEN_AGAIN = 60.0  # and to listen


class Listener:
    """Waits for announcements of new rows; the caller then reads them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._session: sa.Connection | None = None
        self._driver: Any = None  # the connection of psycopg behind the session, if it listens
        self._looked = self._tried = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait this long, or until there may be new rows; whether it is time to read them."""
        if self._session is None and self._database.file is None:
            self._listen()
            told = True  # what was appended before we listened was not announced to us
        elif self._driver is None:
            time.sleep(min(seconds, UNTOLD))
            told = time.monotonic() - self._looked >= UNTOLD
            if time.monotonic() - self._tried >= LISTEN_AGAIN:
                self.close()
        else:
            told = self._hear(seconds) or time.monotonic() - self._looked >= TOLD
        if told:
            self._looked = time.monotonic()
        return told

    def _listen(self) -> None:
        self._tried = time.monotonic()
        session = self._database.session()
        try:
            session.exec_driver_sql(f'LISTEN "{find_channel(session)}"')
            self._driver = session.connection.driver_connection
        except sa.exc.DBAPIError:  # a copy of the database that only reads announces nothing
            self._driver = None
        self._session = session

    def _hear(self, seconds: float) -> bool:
        import psycopg

        try:
            return any(True for _ in self._driver.notifies(timeout=seconds, stop_after=1))
        except psycopg.Error:
            self.close()
            return True

    def close(self) -> None:
        """Stop listening."""
        if self._session:
            with contextlib.suppress(sa.exc.DBAPIError):
                self._session.invalidate()
                self._session.close()
        self._session = self._driver = None


class Follower:
    """A thread that reads new rows when there may be some, and takes over writing if it should.

    `look` folds the new rows; `take_over` tries to become the writer, which ends the following.
    """

    def __init__(self, listener: Listener, look: Callable[[], object], take_over: Callable[[], bool] | None) -> None:
        self.problem: str | None = None  # what went wrong the last time
        self.takes_over = take_over is not None
        self._listener, self._look, self._take_over = listener, look, take_over
        self._current = time.monotonic()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="following the journal")
        self._thread.start()

    @property
    def seconds_behind(self) -> float:
        """The time since we were last known to be up to date."""
        return time.monotonic() - self._current

    def stop(self) -> None:
        """End the thread and wait for it, unless called from the thread itself."""
        self._stopping.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._step()
            except Exception as error:  # whatever it is, there is nobody above us; it is told as our problem
                self.problem = str(error)
                self._stopping.wait(AGAIN)
        self._listener.close()

    def _step(self) -> None:
        if self._listener.wait(TICK) and not self._stopping.is_set():
            now = time.monotonic()
            self._look()
            self._current, self.problem = now, None
        if self._take_over and not self._stopping.is_set() and self._take_over():
            self._stopping.set()
