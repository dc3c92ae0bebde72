"""The marks `forgotten_by`: they repeat what later rows say, and where they do not, the later rows are right.

A mark is in no digest, since it is set after its row was written. Rows that forget are, so a mark that was altered is
found by comparing the two. It is repaired when the journal is opened for writing, and never believed where the index of
the rows that forget exists; only in a journal of an older version that nobody has opened for writing since it does not.
"""

from __future__ import annotations

import sqlalchemy as sa

from dragoman.store.journal_tables import FORGETS, JOURNAL, MARKED

_forget = JOURNAL.alias("forgetting")
_is_forget = _forget.c.kind == sa.literal_column("'forget'")
_first = sa.func.min(_forget.c.id).label("by")
_FORGOTTEN = sa.select(_forget.c.refers_to, _first).where(_is_forget).group_by(_forget.c.refers_to).subquery()
_NOT_MARKED = (
    sa.select(JOURNAL.c.id, _FORGOTTEN.c.by)
    .join(_FORGOTTEN, _FORGOTTEN.c.refers_to == JOURNAL.c.id)
    .where(JOURNAL.c.forgotten_by.is_distinct_from(_FORGOTTEN.c.by))
)
_WRONGLY_MARKED = sa.select(JOURNAL.c.id).where(
    JOURNAL.c.forgotten_by.is_not(None),
    ~sa.exists().where(_is_forget, _forget.c.refers_to == JOURNAL.c.id),
)
_TWICE = sa.select(_forget.c.refers_to).where(_is_forget).group_by(_forget.c.refers_to).having(sa.func.count() > 1)

_IN_SQLITE = sa.text("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = :name").bindparams(name=FORGETS.name)


def create_indexes(connection: sa.Connection) -> None:
    """Create the indexes of marks and of rows that forget, in a journal from before there were any."""
    for index in (FORGETS, MARKED):
        index.create(connection, checkfirst=True)


def has_index(connection: sa.Connection) -> bool:
    """Whether the rows that forget are indexed."""
    if connection.dialect.name == "sqlite":
        return connection.execute(_IN_SQLITE).first() is not None
    return connection.execute(sa.select(sa.func.to_regclass(FORGETS.name))).scalar() is not None


def repair_marks(connection: sa.Connection) -> list[str]:
    """Put right every mark that disagrees with the rows that forget; a line on each, and on what cannot be repaired."""
    right: dict[int, int | None] = dict.fromkeys(connection.execute(_WRONGLY_MARKED).scalars())
    right |= {each.id: each.by for each in connection.execute(_NOT_MARKED)}
    for row_id, by in right.items():
        connection.execute(sa.update(JOURNAL).where(JOURNAL.c.id == row_id).values(forgotten_by=by))
    lines = [f"correction {row_id} of the journal was {_altered(by)}; repaired" for row_id, by in sorted(right.items())]
    twice = connection.execute(_TWICE.order_by(_forget.c.refers_to)).scalars()
    return lines + [
        f"correction {row_id} of the journal is forgotten by two rows; only the first counts" for row_id in twice
    ]


def _altered(by: int | None) -> str:
    return "marked as forgotten, but no row forgets it" if by is None else f"not marked as forgotten by row {by}"
