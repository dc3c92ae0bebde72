"""What ICU makes of a message: read by pyicumessageformat, the plural rules of CLDR by Babel."""

from __future__ import annotations

from typing import Any

from babel import Locale
from pyicumessageformat import Parser


def formatted(message: str, language: str, values: dict[str, Any]) -> str:
    """A message with its values; raises if it is not a message, or lacks a form that its language needs."""
    return _text(Parser({"strict_tags": False}).parse(message), language, values)


def _text(parts: list[Any], language: str, values: dict[str, Any]) -> str:
    return "".join(part if isinstance(part, str) else _value(part, language, values) for part in parts)


def _value(part: dict[str, Any], language: str, values: dict[str, Any]) -> str:
    value = values[part["name"]]
    options = part.get("options")
    if options is None:
        return str(value)
    if part["type"] == "select":
        return _text(options.get(value, options["other"]), language, values)
    form = f"={value}"
    if form not in options:
        form = Locale.parse(language).plural_form(value)
    return _text(options[form], language, values)
