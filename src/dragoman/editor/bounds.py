"""Bounds of what a request may hold, and the types of request fields that they bound.

The bounds belong to an app, but request models are classes of a module. So a field names the bound that it is subject
to (`Annotated[str, AtMost("text")]`) and looks it up when a request is validated, or the OpenAPI schema written, among
the bounds in force: those of the app that handles the request (`use_bounds`).
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
class Bounds:
    """How much the fields of a request may hold."""

    text: int = 20_000  # characters of one text
    texts: int = 500  # texts in one request
    nbest: int = 100  # translations of one text


DEFAULTS: Final = Bounds()
_IN_FORCE: ContextVar[Bounds] = ContextVar("bounds", default=DEFAULTS)


@contextmanager
def use_bounds(bounds: Bounds) -> Iterator[None]:
    """Validate, inside the block, against these bounds."""
    token = _IN_FORCE.set(bounds)
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
    """Bounds the length of a text or list, or the value of a number, by one of the bounds in force.

    >>> from typing import Annotated
    >>> from pydantic import TypeAdapter
    >>> text = TypeAdapter(Annotated[str, AtMost("text")])
    >>> text.json_schema()
    {'maxLength': 20000, 'type': 'string'}
    >>> with use_bounds(Bounds(text=5)):
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

        def count(value: Any) -> Any:
            return check(value) if isinstance(value, list) else value

        if schema["type"] == "list":  # which is counted before anything is done with its items
            return core_schema.no_info_before_validator_function(count, schema)
        return core_schema.no_info_after_validator_function(check, schema)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema of the type itself, with the bound in force at the moment."""
        found = handler(schema)
        found[_KEYWORDS[found["type"]]] = self._most
        return found

    @property
    def _most(self) -> int:
        return int(getattr(_IN_FORCE.get(), self.limit))
