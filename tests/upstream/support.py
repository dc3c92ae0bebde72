"""Engines made for tests, a real HTTP server that answers as a test wants, and a tiny neural model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from dragoman.upstream import Answer, Hints
from dragoman.upstream.contract import Traits

WORDS = {"open": "abra", "close": "cierre", "the": "el", "file": "archivo", "press": "pulse", "button": "botón"}


def word_by_word(text: str) -> str:
    """A translation good enough for a test: other words, the same order."""
    return " ".join(WORDS.get(word.lower(), word) for word in text.split(" "))


@dataclass
class Scripted:
    """An engine that does what a test tells it to, and remembers what it was asked."""

    say: Callable[[str], str | None] = word_by_word
    name: str = "test:scripted"
    version: str = "1"
    traits: Traits = field(default_factory=Traits)
    asked: list[list[str]] = field(default_factory=list)
    error: Exception | None = None
    is_closed: bool = False

    def translate(
        self, texts: Sequence[str], *, seconds: float, hints: Sequence[Hints] = (), marked: bool = False
    ) -> list[Answer | None]:
        del seconds, hints, marked
        self.asked.append(list(texts))
        if self.error:
            raise self.error
        said = [self.say(text) for text in texts]
        return [None if each is None else Answer(each) for each in said]

    def close(self) -> None:
        self.is_closed = True

    @property
    def texts(self) -> list[str]:
        """All texts that it was asked for."""
        return [text for batch in self.asked for text in batch]


@dataclass
class Request:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Reaction = tuple[int, dict[str, str], bytes]


def as_json(value: object, status: int = 200, **headers: str) -> Reaction:
    """An answer with a value as JSON."""
    return status, {"Content-Type": "application/json"} | headers, json.dumps(value).encode()


class Service:
    """A real HTTP server on this machine, which reacts as it is told to and remembers its requests."""

    def __init__(self, react: Callable[[Request], Reaction]) -> None:
        self.requests: list[Request] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.command, self.path, dict(self.headers.items()), body)
                service.requests.append(request)
                status, headers, data = react(request)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST  # noqa: N815 (the name that the library wants)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                del format, args

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@contextmanager
def serving(react: Callable[[Request], Reaction]) -> Iterator[Service]:
    """A service, as long as this lasts."""
    service = Service(react)
    thread = threading.Thread(target=service.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.server.shutdown()
        service.server.server_close()
        thread.join()


def make_model(path: Path, *, separate: bool = False) -> Path:
    """A neural model with random weights in CTranslate2's format: what it says makes no sense, but it is real."""
    import ctranslate2
    import numpy as np
    import sentencepiece

    path.mkdir()
    text = path / "corpus.txt"
    text.write_text("\n".join(["open the file", "close the file", "abra el archivo", "cierre el archivo"] * 10))
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(path / "pieces"), vocab_size=40, hard_vocab_limit=False, minloglevel=2
    )
    text.unlink()
    (path / "pieces.vocab").unlink()
    data = (path / "pieces.model").read_bytes()
    (path / "pieces.model").unlink()
    for name in ("source.spm", "target.spm") if separate else ("sentencepiece.model",):
        (path / name).write_bytes(data)
    pieces = sentencepiece.SentencePieceProcessor(model_proto=data)
    tokens = [pieces.id_to_piece(number) for number in range(pieces.get_piece_size())]

    random = np.random.default_rng(1)
    size, inner = 8, 16
    spec = ctranslate2.specs.TransformerSpec.from_config(num_layers=(1, 1), num_heads=2)

    def dense(layer: Any, rows: int, columns: int) -> None:
        layer.weight = random.normal(size=(rows, columns)).astype(np.float32)
        layer.bias = np.zeros(rows, np.float32)

    def norm(layer: Any) -> None:
        layer.gamma, layer.beta = np.ones(size, np.float32), np.zeros(size, np.float32)

    def feed_forward(layer: Any) -> None:
        dense(layer.linear_0, inner, size)
        dense(layer.linear_1, size, inner)
        norm(layer.layer_norm)

    def attention(layer: Any, *, own: bool) -> None:
        sizes = [3 * size, size] if own else [size, 2 * size, size]
        for linear, rows in zip(layer.linear, sizes, strict=True):
            dense(linear, rows, size)
        norm(layer.layer_norm)

    embeddings = random.normal(size=(len(tokens), size)).astype(np.float32)
    positions = random.normal(size=(600, size)).astype(np.float32)
    spec.encoder.embeddings[0].weight = spec.decoder.embeddings.weight = embeddings
    spec.encoder.position_encodings.encodings = spec.decoder.position_encodings.encodings = positions
    for layer in (*spec.encoder.layer, *spec.decoder.layer):
        attention(layer.self_attention, own=True)
        feed_forward(layer.ffn)
    for layer in spec.decoder.layer:
        attention(layer.attention, own=False)
    norm(spec.encoder.layer_norm)
    norm(spec.decoder.layer_norm)
    dense(spec.decoder.projection, len(tokens), size)
    spec.config.add_source_eos = True
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.validate()
    spec.save(str(path))
    return path
