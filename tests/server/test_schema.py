"""Our own API holds what its description promises, whatever is sent, and no API ever answers 500 (schemathesis)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.parameters import ParameterLocation

from dragoman.server.app import create_app
from dragoman.server.config import Settings
from tests.conftest import RANDOM_INPUTS
from tests.server.support import Running, make_projects, running

everything = schemathesis.openapi.from_dict(create_app(Settings()).openapi())
if not RANDOM_INPUTS:
    everything.config.seed = 1
own = everything.include(path_regex="^/api/v1")
own.config.checks.negative_data_rejection.expected_statuses = ["400", "401", "404", "405", "409", "413", "422"]
own.config.checks.positive_data_acceptance.enabled = False  # a correction without words is refused, for instance
others = everything.exclude(path_regex="^/api/v1")
KNOWN = {"project": "manual", "document": 1, "number": 1, "memory": "manual"}
CHOSEN = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("described")
    make_projects(folder)
    with running(folder) as found, found.client() as client:
        client.post("/api/v1/projects/manual/documents", json={"name": "page", "segments": [{"source": "lid"}] * 3})
        yield found


def point(case: schemathesis.Case[Any]) -> None:
    """Let a request name what exists, else nothing would ever be found; unless its path is what must be refused."""
    path = case.meta.components.get(ParameterLocation.PATH) if case.meta else None
    if path and path.mode.is_negative:
        return
    for name, known in KNOWN.items():
        if name in case.path_parameters and case.method != "DELETE":
            case.path_parameters[name] = known


@own.parametrize()
@CHOSEN
def test_answers_are_as_described(case: schemathesis.Case[Any], described: Running) -> None:
    point(case)
    case.validate_response(case.call(base_url=described.url))


@others.parametrize()
@CHOSEN
def test_no_other_api_answers_with_an_internal_error(case: schemathesis.Case[Any], described: Running) -> None:
    point(case)
    case.validate_response(case.call(base_url=described.url), checks=[not_a_server_error])


def test_there_is_nothing_of_a_document_that_does_not_exist(described: Running) -> None:
    with described.client() as client:
        paths = client.get("/api/v1/openapi.json").json()["paths"]
        shown = [path for path, operations in paths.items() if "{document}" in path and "get" in operations]
        absent = [path.format(project="manual", document=987_654, number=1, kind="xlf") for path in shown]
        assert {path: client.get(path, params={"segment": 1}).status_code for path in absent} == dict.fromkeys(
            absent, 404
        )
