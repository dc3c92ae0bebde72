"""Other translation engines: asked once for each text, checked, and kept, so that dragoman can build on what they say.

1. `from_name("ct2:models/nmt-en-es", source="en", target="es")` is an engine.
2. `Upstream` asks it for a project: within a time allowed, never raising, keeping what it said.
"""

from dragoman.upstream.contract import Answer, Hints, Scored, Silence, TermPlace, UnansweredError, UpstreamEngine
from dragoman.upstream.names import from_name
from dragoman.upstream.upstream import Reply, Upstream

__all__ = [
    "Answer",
    "Hints",
    "Reply",
    "Scored",
    "Silence",
    "TermPlace",
    "UnansweredError",
    "Upstream",
    "UpstreamEngine",
    "from_name",
]
