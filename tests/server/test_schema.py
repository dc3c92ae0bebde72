"""Our own interface holds what its description promises, whatever is sent (schemathesis)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from dragoman.server.app import create_app
from dragoman.server.config import Settings
from tests.server.support import Running, make_projects, running

pytestmark = pytest.mark.kernels
schema = schemathesis.openapi.from_dict(create_app(Settings()).openapi()).include(path_regex="^/api/v1")
schema.config.checks.negative_data_rejection.expected_statuses = ["400", "401", "404", "405", "409", "413", "422"]
schema.config.checks.positive_data_acceptance.enabled = False  # a correction without words is refused, for instance


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("described")
    make_projects(folder)
    with running(folder) as found, found.client() as client:
        client.post("/api/v1/projects/manual/documents", json={"name": "page", "segments": [{"source": "lid"}] * 3})
        yield found


@schema.parametrize()
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case: schemathesis.Case[Any], described: Running) -> None:
    for name, known in (("project", "manual"), ("document", 1), ("number", 1)):
        if name in case.path_parameters and case.method != "DELETE":  # else nothing would ever be found
            case.path_parameters[name] = known
    case.validate_response(case.call(base_url=described.url))
