"""How much a client may ask for, and the types of request fields that these limits bound.

The limits belong to an app, but request models are classes of a module. So a field names the limit that bounds it
(`Annotated[str, AtMost("text")]`) and looks it up when a request is validated, or the OpenAPI schema written, among the
limits in force: those of the app that handles the request (`use_limits`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema


@dataclass(frozen=True)
class Limits:
    """How much a client may ask for; each limit with what it guards against."""

    body: int = 1 << 20  # bytes of a request
    upload: int = 64 << 20  # bytes of an uploaded document
    body_seconds: float = 30.0  # for a body to arrive: slow ones hold a connection
    head_seconds: float = 20.0  # for the head of a request to arrive, the first of a connection or a later one
    write_seconds: float = 20.0  # in which a client has to read some bytes of an answer larger than it takes at once
    write_bytes: int = 20_000  # that it has to read in this time
    text: int = 20_000  # characters of one text
    texts: int = 500  # texts in one request
    nbest: int = 100  # translations of one text
    nbest_characters: int = 200_000  # translations of one text times its length
    work: int = 2_000_000  # characters to translate in one request, each text as often as translations are asked for
    requests: float = 500.0  # per second for each key or address, on average
    burst: float = 1000.0  # requests at once
    messages: float = 100.0  # per second in each live session, on average
    message_burst: float = 200.0  # messages at once
    message: int = 1 << 16  # bytes of a message in a live session
    sessions: int = 100  # live sessions at a time for each key or address
    session_bytes: int = 100 << 20  # that the text open in a live session may take
    key_bytes: int = 250 << 20  # that all live sessions of a key may take
    live_bytes: int = 750 << 20  # that all live sessions may take
    live_seconds: float = 10.0  # for opening a text, and for a completion
    jobs: int = 4  # imports and exports for each project that are not finished
    jobs_running: int = 4  # of all projects, at a time: each may hold a whole file in memory
    result_bytes: int = 1 << 30  # of all exported files that wait to be fetched; the oldest are removed
    result_seconds: float = 3600.0  # for an exported file to be fetched
    behind_seconds: float = 2.0  # that a request waits for a revision its replica does not have yet
    waiting: int = 1000  # requests waiting for a thread; beyond that the server reports that it is busy
    waiting_each: int = 200  # of one key
    connections: int = 2000


DEFAULTS = Limits()
_IN_FORCE: ContextVar[Limits] = ContextVar("limits", default=DEFAULTS)


@contextmanager
def use_limits(limits: Limits) -> Iterator[None]:
    """Validate, inside the block, against these limits."""
    token = _IN_FORCE.set(limits)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


@dataclass(frozen=True)
class _Bound:
    """How a kind of value is measured, and what its bound is called in an error."""

    measure: Callable[[Any], int]
    error: Callable[[Any, int], PydanticKnownError]


def _characters(text: str) -> int:
    """The length of a text; half a surrogate pair, which JSON can contain, is rejected."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PydanticKnownError("string_unicode") from None
    return len(text)


_BOUNDS: Final = {
    "str": _Bound(_characters, lambda _, most: PydanticKnownError("string_too_long", {"max_length": most})),
    "list": _Bound(
        len,
        lambda value, most: PydanticKnownError(
            "too_long", {"field_type": "List", "max_length": most, "actual_length": len(value)}
        ),
    ),
    "int": _Bound(int, lambda _, most: PydanticKnownError("less_than_equal", {"le": most})),
}
_KEYWORDS: Final = {"string": "maxLength", "array": "maxItems", "integer": "maximum"}  # by type, in JSON Schema


@dataclass(frozen=True)
class AtMost:
    """Bounds the length of a text or list, or the value of a number, by one of the limits in force.

    >>> from typing import Annotated
    >>> from pydantic import TypeAdapter
    >>> text = TypeAdapter(Annotated[str, AtMost("text")])
    >>> text.json_schema()
    {'maxLength': 20000, 'type': 'string'}
    >>> with use_limits(Limits(text=5)):
    ...     text.json_schema(), text.validate_python("12345")
    ({'maxLength': 5, 'type': 'string'}, '12345')
    """

    limit: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the type itself, and a check of the bound after it."""
        schema = handler(source)
        bound = _BOUNDS[schema["type"]]

        def check(value: Any) -> Any:
            if bound.measure(value) > self._most:
                raise bound.error(value, self._most)
            return value

        return core_schema.no_info_after_validator_function(check, schema)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema of the type itself, with the bound in force at the moment."""
        found = handler(schema)
        found[_KEYWORDS[found["type"]]] = self._most
        return found

    @property
    def _most(self) -> int:
        return int(getattr(_IN_FORCE.get(), self.limit))
