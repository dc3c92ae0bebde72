"""Limits can be raised and lowered: they drive request models and the OpenAPI schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from dragoman.editor.bounds import use_bounds
from dragoman.server.limits import Limits
from dragoman.server.routes.live import LiveRequest
from dragoman.server.schemas import Correction, TranslationWanted
from tests.server.support import make_projects, running

API = "/api/v1/projects/manual"


def texts(count: int = 1, length: int = 1, n: int = 1) -> dict[str, Any]:
    return {"texts": ["x" * length] * count, "n": n}


@pytest.mark.parametrize(
    ("limits", "fits", "exceeds"),
    [
        (Limits(), texts(length=20_000), texts(length=20_001)),
        (Limits(text=50_000), texts(length=50_000), texts(length=50_001)),
        (Limits(text=5), texts(length=5), texts(length=6)),
        (Limits(texts=900), texts(count=900), texts(count=901)),
        (Limits(texts=2), texts(count=2), texts(count=3)),
        (Limits(nbest=400), texts(n=400), texts(n=401)),
        (Limits(nbest=3), texts(n=3), texts(n=4)),
    ],
)
def test_a_request_is_bounded_by_the_limits_in_force(
    limits: Limits, fits: dict[str, Any], exceeds: dict[str, Any]
) -> None:
    with use_bounds(limits):
        TranslationWanted.model_validate(fits)
        with pytest.raises(ValidationError):
            TranslationWanted.model_validate(exceeds)


def test_every_text_of_every_request_is_bounded() -> None:
    with use_bounds(Limits(text=5)):
        for wrong in ({"source": "123456", "target": "x"}, {"source": "x", "target": "123456"}):
            with pytest.raises(ValidationError, match="at most 5 characters"):
                Correction.model_validate(wrong)
        with pytest.raises(ValidationError, match="at most 5 characters"):
            LiveRequest.model_validate({"number": 1, "do": "prefix", "prefix": "123456"})


def test_the_json_schema_shows_the_limits_in_force() -> None:
    with use_bounds(Limits(text=7, texts=8, nbest=9)):
        found = TypeAdapter(TranslationWanted).json_schema()["properties"]
    assert found["texts"]["items"]["maxLength"] == 7
    assert (found["texts"]["maxItems"], found["texts"]["minItems"]) == (8, 1)
    assert (found["n"]["maximum"], found["n"]["minimum"]) == (9, 1)


def test_two_servers_in_one_process_have_limits_of_their_own(tmp_path: Path) -> None:
    for name in ("wide", "narrow"):
        make_projects(tmp_path / name)
    with (
        running(tmp_path / "wide", limits=Limits(text=40_000, texts=600, nbest=200)) as wide,
        running(tmp_path / "narrow", limits=Limits(text=20, texts=2, nbest=5)) as narrow,
        wide.client() as at_wide,
        narrow.client() as at_narrow,
    ):
        long, many, deep = texts(length=30_000), {"texts": ["", "", ""]}, {"texts": ["lid"], "n": 150}
        for body, status in ((long, 413), (many, 413), (deep, 422)):
            assert at_wide.post(f"{API}/translations", json=body).status_code == 200
            assert at_narrow.post(f"{API}/translations", json=body).status_code == status
        for client, most in ((at_wide, 40_000), (at_narrow, 20)):
            described = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
            assert described["Correction"]["properties"]["source"]["maxLength"] == most
