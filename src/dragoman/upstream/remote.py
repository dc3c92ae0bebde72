"""What engines over HTTP have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dragoman.upstream.contract import Answer, EngineName, Languages, Scored, Traits, UnansweredError
from dragoman.upstream.credentials import Key
from dragoman.upstream.transport import Meter, Transport

BILLED = {"is_metered": True, "requests_per_day": 20_000, "characters_per_day": 1_000_000}  # unless options say more


class Remote:
    """An engine at an address."""

    def __init__(
        self,
        place: EngineName,
        languages: Languages,
        about: Traits,
        *,
        address: str,
        key: Key | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.version, self.traits = place.name, place.options.get("version", ""), about
        self._languages = languages
        self._transport = Transport(place, address, key, headers)

    def set_meter(self, meter: Meter) -> None:
        """Let each request be counted before it is sent."""
        self._transport.meter = meter

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def _unexpected(self, wanted: str) -> UnansweredError:
        return UnansweredError(f"did not answer with {wanted}", where=self.name, blames_texts=True)


def with_alternatives(text: str, others: Any) -> Answer:
    """An answer with its alternatives, which have no scores.

    >>> with_alternatives("Abra", ["Abre", "Abra", 3]).nbest
    (Scored(text='Abra', score=None), Scored(text='Abre', score=None))
    """
    known = [each for each in others if isinstance(each, str)] if isinstance(others, list) else []
    return Answer(text, tuple(Scored(each) for each in dict.fromkeys([text, *known])) if known else ())
