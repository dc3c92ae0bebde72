"""What happens in documents, as it happens, for everybody who has one open; and who they are.

Events are only published in the event loop. Somebody who is too slow to take them is told to load everything again, so
nothing grows.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WAITING = 200  # events that wait for a listener
PAUSE = 0.2  # seconds between two times that everybody is told who is there, however much they move
SHOWN = 100  # people who are named
Event = dict[str, Any]
Place = tuple[str, int]  # project and document


class DocumentViewer:
    """Somebody who has a document open."""

    def __init__(self, user: str | None) -> None:
        self.id, self.user = secrets.token_hex(4), user
        self.segment: int | None = None  # where they are
        self.events: asyncio.Queue[Event] = asyncio.Queue(WAITING)

    def tell(self, event: Event) -> None:
        """Queue an event; if too many wait, they are replaced by one that says to load again."""
        if self.events.full():
            while not self.events.empty():
                self.events.get_nowait()
            event = {"event": "reload"}
        self.events.put_nowait(event)

    @property
    def person(self) -> Event:
        """Who they are, for the others."""
        return {"id": self.id, "user": self.user, "segment": self.segment}


class DocumentFeed:
    """The listeners of all documents."""

    def __init__(self) -> None:
        self._listeners: dict[Place, list[DocumentViewer]] = {}
        self._moved: dict[Place, bool] = {}  # whether somebody has moved since everybody was told, a moment ago

    @contextmanager
    def listening(self, project: str, document: int, user: str | None) -> Iterator[DocumentViewer]:
        """Listen to a document; the others see that somebody is there."""
        place, listener = (project, document), DocumentViewer(user)
        self._listeners.setdefault(place, []).append(listener)
        listener.tell({"event": "hello", "you": listener.id, "people": self.people(project, document)})
        self.show_people(project, document)
        try:
            yield listener
        finally:
            self._listeners[place].remove(listener)
            if not self._listeners[place]:
                del self._listeners[place]
            self.show_people(project, document)

    def people(self, project: str, document: int) -> list[Event]:
        """Who has a document open, and where they are."""
        return [each.person for each in self._listeners.get((project, document), [])[:SHOWN]]

    def show_people(self, project: str, document: int) -> None:
        """Tell everybody who is there: at once, or if that was done a moment ago, in a moment."""
        place = project, document
        if place in self._moved:
            self._moved[place] = True
            return
        self.publish(project, document, {"event": "people", "people": self.people(project, document)})
        self._moved[place] = False
        asyncio.get_running_loop().call_later(PAUSE, self._show_again, place)

    def _show_again(self, place: Place) -> None:
        if self._moved.pop(place):
            self.show_people(*place)

    def publish(self, project: str, document: int | None, event: Event) -> None:
        """Tell everybody who has a document of a project open; None stands for all documents."""
        for (name, number), listeners in list(self._listeners.items()):
            if name == project and document in (None, number):
                for listener in listeners:
                    listener.tell(event)
