"""Logs as one JSON object a line. What people write is never in them: no text, no query, no message of an error."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

LOGGER = logging.getLogger("dragoman.server")


def log(event: str, level: int = logging.INFO, **fields: Any) -> None:
    """Write a line about something that happened."""
    LOGGER.log(level, event, extra={"fields": fields})


def log_failure(event: str, error: BaseException, **fields: Any) -> None:
    """Write a line about an error that nobody foresaw: its kind and where it came from, since its message may quote."""
    places = [
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    LOGGER.error(event, extra={"fields": {**fields, "error": type(error).__name__, "places": places[-8:]}})


class Lines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; of an exception, only what kind it is."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": record.levelname.lower(), "event": record.getMessage()}
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line | getattr(record, "fields", {}), ensure_ascii=False)


def set_up(level: int = logging.INFO) -> None:
    """Send our lines and uvicorn's to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    for name in ("dragoman.server", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level if name != "uvicorn" else max(level, logging.WARNING))
