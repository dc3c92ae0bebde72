"""Who may append to a journal in PostgreSQL: one process at a time, and never one that was superseded.

1. A writer holds an advisory lock on a session of its own. However its process ends, the server then gives the
   lock to whoever asks next.
2. With the lock it takes a token, a number in the table `journal_writer` that only grows.
3. Each append looks, in its own transaction, whether the token is still the newest, and locks it until it is committed.
   So a successor waits for the append in progress and finds every acknowledged row. And a writer that
   lost its connection in the middle of an append waits with the next one until the outcome is known.

A process can lose its lock without noticing, if it or the network was suspended for a while. Then another process has
a newer token, and the append is refused.
"""

from __future__ import annotations

from contextlib import suppress

import sqlalchemy as sa

from dragoman.store.database import Database
from dragoman.store.fork_safety import KEPT, detach, only_here
from dragoman.store.journal_errors import SupersededError
from dragoman.store.journal_tables import METADATA
from dragoman.store.lock import TakenError
from dragoman.store.sqlite_files import TABLE

OURS = 0x64726167  # "drag": half of our key among the advisory locks of PostgreSQL; the table's number is the other
WRITER = sa.Table(
    f"{TABLE}_writer",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),  # 1: there is one row
    sa.Column("token", sa.BigInteger, nullable=False),
    sa.Column("holder", sa.Text),  # who took it
    sa.Column("about", sa.Text),  # what the rows are to be folded into: base, settings, languages
)
ABOUT = sa.select(WRITER.c.about)
TOKEN = sa.select(WRITER.c.token, WRITER.c.holder)
NUMBER = f"coalesce(to_regclass('{TABLE}')::oid::bigint, 0)"  # that PostgreSQL has given to the table
TAKE = sa.text(f"SELECT pg_try_advisory_lock({OURS}::bigint << 32 | {NUMBER})")
GIVE_BACK = sa.text("SELECT pg_advisory_unlock_all()")
HERE = "(SELECT oid FROM pg_database WHERE datname = current_database())"  # a copy of it has tables of the same numbers
HOLDER = sa.text(  # with few permissions one sees only that there is a writer
    "SELECT coalesce(nullif(application_name, ''), 'another process') FROM pg_locks JOIN pg_stat_activity USING (pid)"  # noqa: S608
    f" WHERE locktype = 'advisory' AND granted AND classid = {OURS} AND objid::bigint = {NUMBER} AND database = {HERE}"
)
CHANNEL = sa.text(f"SELECT 'dragoman_' || {NUMBER}")


class Fence:
    """The right to append to a journal, from `take` until `release` or until another process takes it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._session: sa.Connection | None = None
        self._token = 0
        only_here(self)

    def let_go(self) -> None:
        """In a forked child: leave the session, and the lock with it, to the parent."""
        if self._session:
            detach(self._session.connection.driver_connection.fileno())  # type: ignore[union-attr]
            KEPT.append(self._session)
        self._session = None

    def take(self) -> None:
        """Take the lock and a new token; refused if another process holds the lock."""
        from sqlalchemy.dialects import postgresql  # here, since most projects never load it

        session, who = self._lock(), "application_name"
        with self._database.clear_errors("cannot write: {}"):
            WRITER.create(session, checkfirst=True)
            session.execute(postgresql.insert(WRITER).values(id=1, token=0).on_conflict_do_nothing())
            # Waits for an append under way on a connection that its writer has lost the lock of.
            update = sa.update(WRITER).values(token=WRITER.c.token + 1, holder=sa.func.current_setting(who))
            self._token = session.execute(update.returning(WRITER.c.token)).scalar_one()

    def hold(self) -> None:
        """Make sure the lock is still held: if the server was restarted, it was lost with its session.

        If there is no session, reconnecting failed the last time.
        """
        try:
            if self._session:
                self._session.exec_driver_sql("SELECT 1")
        except sa.exc.DBAPIError:
            self.release()
        if self._session is None:
            try:
                self._lock()
            except TakenError as error:
                raise self._superseded(error.what) from None

    def check(self, connection: sa.Connection) -> None:
        """Refuse to continue a transaction if the token is not the newest; until it ends, others wait here."""
        token, holder = connection.execute(TOKEN.with_for_update(key_share=True)).one()
        if token != self._token:
            raise self._superseded(f"is written by {holder} now")

    def is_newest(self, connection: sa.Connection) -> bool:
        """Whether nobody is known to have taken over."""
        return bool(connection.execute(TOKEN).one()[0] == self._token)

    def describe(self, connection: sa.Connection, about: str) -> None:
        """Say what the journal is about, in a transaction."""
        connection.execute(sa.update(WRITER).values(about=about))

    def release(self) -> None:
        """Let others write; a second call does nothing."""
        if self._session:
            with suppress(sa.exc.SQLAlchemyError):  # then the lock went with its session
                self._session.execute(GIVE_BACK)  # at once; closing alone does so a moment later
            self._session.close()
            self._session = None

    def _superseded(self, what: str) -> SupersededError:
        what = f"{what}, which has taken over; nothing was acknowledged"
        return SupersededError(what, where=self._database.name, remedy="send corrections there")

    def _lock(self) -> sa.Connection:
        session = self._database.session()
        try:
            with self._database.clear_errors("cannot write: {}"):
                if not session.execute(TAKE).scalar_one():
                    what = f"is open for writing by {find_holder(session) or 'another process'}"
                    remedy = "close it there first, or open it for reading only"
                    raise TakenError(what, where=self._database.name, remedy=remedy)
        except BaseException:
            session.close()
            raise
        self._session = session
        return session


def find_holder(connection: sa.Connection) -> str | None:
    """Who writes the journal at the moment."""
    return connection.execute(HOLDER).scalar()


def find_about(connection: sa.Connection) -> str | None:
    """The digest that the writer has set for the journal, if any."""
    return connection.execute(ABOUT).scalar() if sa.inspect(connection).has_table(WRITER.name) else None


def find_channel(connection: sa.Connection) -> str:
    """The channel on which appends to the journal are announced."""
    return str(connection.execute(CHANNEL).scalar_one())
