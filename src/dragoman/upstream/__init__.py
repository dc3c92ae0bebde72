"""Other translation engines: asked once for each text, checked, and kept, so that dragoman can build on their answers.

1. `from_name("ct2:models/nmt-en-es", source="en", target="es")` is an engine.
2. `Upstream` asks it for a project: within a time allowed, never raising, keeping its answers.
"""

from dragoman.upstream.contract import Answer, Hints, Scored, Silence, TermPlace, UnansweredError, UpstreamEngine
from dragoman.upstream.names import from_name
from dragoman.upstream.paragraphs import AnswerOrSilence
from dragoman.upstream.upstream import Upstream

__all__ = [
    "Answer",
    "AnswerOrSilence",
    "Hints",
    "Scored",
    "Silence",
    "TermPlace",
    "UnansweredError",
    "Upstream",
    "UpstreamEngine",
    "from_name",
]
