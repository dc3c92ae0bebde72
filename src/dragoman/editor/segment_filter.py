"""Which segments of a document are wanted, as a condition of SQL."""

from __future__ import annotations

from dataclasses import dataclass

NOBODY = "-"  # as the name of who segments are assigned to
STAGES = {
    "translate": "state IN ('new', 'translated')",
    "review": "(state = 'confirmed' AND reviewer IS NULL)",
    "done": "(state = 'confirmed' AND reviewer IS NOT NULL)",
}


@dataclass(frozen=True)
class Filter:
    """Segments in a state or stage, with warnings, assigned to somebody, or containing a text; all that is given."""

    state: str | None = None
    stage: str | None = None
    warnings: str | None = None  # "any", "held" or the name of a check
    assigned: str | None = None
    search: str | None = None

    def condition(self, document: int) -> tuple[str, list[object]]:
        """The condition, which begins with AND unless it is empty, and its values; all but the text to search for."""
        parts, values = [""], list[object]()
        if self.state is not None:
            parts.append("state = ?")
            values.append(self.state)
        if self.stage is not None:
            parts.append(STAGES[self.stage])
        if self.warnings == "any":
            parts.append("(warnings > 0 OR held)")
        elif self.warnings == "held":
            parts.append("held")
        elif self.warnings is not None:
            parts.append(f"number IN ({UNACCEPTED} AND found.name = ?)")
            values += [document, self.warnings]
        if self.assigned == NOBODY:
            parts.append("assignee IS NULL")
        elif self.assigned is not None:
            parts.append("assignee = ?")
            values.append(self.assigned)
        return " AND ".join(parts), values


# The numbers of segments with findings that nobody has accepted
UNACCEPTED = (
    "SELECT found.number FROM findings AS found WHERE found.document = ? AND NOT EXISTS (SELECT 1 FROM accepted"
    " WHERE accepted.document = found.document AND accepted.number = found.number AND accepted.name = found.name"
    " AND accepted.what = found.what)"
)


def contains(search: str) -> tuple[str, list[object]]:
    """The condition that a segment contains a text, whatever the case, and its values.

    SQLite itself knows only the case of ASCII, which is enough for most texts; the others are folded in Python, slowly.
    """
    folded = search.casefold()
    slow = "(LENGTH({0}) <> LENGTH(CAST({0} AS BLOB)) AND instr(folded({0}), ?))"
    if not folded.isascii():
        return f"({slow.format('source')} OR {slow.format('target')})", [folded, folded]
    quick = "instr(lower({0}), ?)"
    either = " OR ".join(f"{kind.format(side)}" for side in ("source", "target") for kind in (quick, slow))
    return f"({either})", [folded] * 4
