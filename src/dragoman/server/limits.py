"""How much a client may ask for."""

from __future__ import annotations

from dataclasses import dataclass

from dragoman.editor.bounds import Bounds


@dataclass(frozen=True)
class Limits(Bounds):
    """How much a client may ask for; each limit with what it guards against."""

    body: int = 1 << 20  # bytes of a request
    upload: int = 64 << 20  # bytes of an uploaded document
    buffer: int = 1 << 20  # bytes of a body that are held in memory; a larger one is in a file
    body_bytes: int = 512 << 20  # of all bodies that are arriving or being worked on
    body_bytes_each: int = 128 << 20  # of those of one key or address
    anonymous_body: int = 128 << 10  # bytes of a body that may hold the key that says whose it is
    anonymous_bytes: int = 16 << 20  # of all such bodies
    anonymous_bytes_each: int = 2 << 20  # of those of one address
    body_seconds: float = 30.0  # for a body to arrive: slow ones hold a connection
    head_seconds: float = 20.0  # for the head of a request to arrive, the first of a connection or a later one
    write_seconds: float = 20.0  # in which a client has to read some bytes of an answer larger than it takes at once
    write_bytes: int = 20_000  # that it has to read in this time
    nbest_characters: int = 200_000  # translations of one text times its length
    work: int = 2_000_000  # characters to translate in one request, each text as often as translations are asked for
    requests: float = 500.0  # per second for each key or address, on average
    burst: float = 1000.0  # requests at once
    messages: float = 100.0  # per second in each live session, on average
    message_burst: float = 200.0  # messages at once
    client_messages: float = 500.0  # per second in all live sessions of a key; further ones are read later
    client_message_burst: float = 1000.0  # messages at once
    message: int = 1 << 16  # bytes of a message in a live session
    sessions: int = 100  # live sessions at a time for each key or address
    session_bytes: int = 100 << 20  # that the text open in a live session may take
    key_bytes: int = 250 << 20  # that all live sessions of a key may take
    live_bytes: int = 750 << 20  # that all live sessions may take
    live_seconds: float = 10.0  # for opening a text, and for a completion
    jobs: int = 4  # imports and exports of a key in a project that are not finished
    jobs_project: int = 16  # of all keys in it
    jobs_running: int = 4  # of all projects, at a time: each may hold a whole file in memory
    reading_bytes: int = 512 << 20  # of memory that a file may take in the process that reads it
    reading_seconds: float = 60.0  # of processor time
    held_bytes: int = 96 << 20  # of memory, for a file that is translated whole in this process
    segments: int = 500_000  # of one file
    result_bytes: int = 1 << 30  # of all exported files that wait to be fetched; the oldest are removed
    spool_bytes: int = 256 << 20  # of the uploads and results of one key
    result_seconds: float = 3600.0  # for an exported file to be fetched
    behind_seconds: float = 2.0  # that a request waits for a revision its replica does not have yet
    waiting: int = 1000  # requests waiting for a thread; beyond that the server reports that it is busy
    waiting_each: int = 200  # of one key
    connections: int = 2000


DEFAULTS = Limits()
