"""Logs with one JSON object per line. They never contain what people write: no text, no query, no error message."""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

PLACES = re.compile(
    r"""["'][^"']*[/\\][^"']*["']|(?<![\w.])/[\w.+-]+(/[\w.+-]+)+|(?<=server at )"[^"]*"(, port \d+)?"""
)
LOGGER = logging.getLogger("dragoman.server")


def log(event: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event."""
    LOGGER.log(level, event, extra={"fields": fields})


def log_failure(event: str, error: BaseException, **fields: Any) -> None:
    """Log an unexpected error: its type and where it was raised, but not its message, which may quote a text."""
    places = [
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    LOGGER.error(event, extra={"fields": {**fields, "error": type(error).__name__, "places": places[-8:]}})


def without_places(message: str) -> str:
    """A message of the system or a database without the paths and hosts in it, which are nobody else's business.

    >>> without_places('cannot write: connection to server on socket "/run/pg/.s.PGSQL.5432" failed')
    'cannot write: connection to server on socket … failed'
    """
    return PLACES.sub("…", message)


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; of an exception, only its type."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": record.levelname.lower(), "event": record.getMessage()}
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line | getattr(record, "fields", {}), ensure_ascii=False)


def set_up(level: int = logging.INFO) -> None:
    """Send our log and uvicorn's to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name in ("dragoman.server", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level if name != "uvicorn" else max(level, logging.WARNING))
