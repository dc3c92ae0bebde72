"""Metrics are complete and readable at any moment."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from dragoman.errors import BadInputError
from dragoman.server.observability import Metrics
from tests.server.support import make_projects, running


def test_metrics_can_be_read_between_two_writes() -> None:
    for _ in range(5):
        metrics = Metrics()

        def write(metrics: Metrics = metrics) -> None:
            for n in range(200):  # new labels, so that something is added each time
                metrics.operations.labels(f"operation {n}").observe(0.01)
                metrics.refused.labels(str(n)).inc()

        writing = threading.Thread(target=write)
        writing.start()
        while writing.is_alive():
            assert "dragoman_operation_seconds" in metrics.text()
        writing.join()


def test_each_server_counts_for_itself() -> None:
    one, other = Metrics(), Metrics()
    one.stale.inc()
    assert "dragoman_stale_total 1.0" in one.text()
    assert "dragoman_stale_total 0.0" in other.text()


def test_the_names_of_metrics_stay() -> None:
    metrics = Metrics()
    metrics.add_gauge("dragoman_revision", "The last revision.", lambda: {"manual": 3})
    metrics.http.labels("GET", "health.health", "200").observe(0.003)
    lines = metrics.text().splitlines()
    bucket = 'dragoman_http_seconds_bucket{le="0.005",method="GET",route="health.health",status="200"} 1.0'
    assert bucket in lines
    assert 'dragoman_revision{project="manual"} 3.0' in lines
    for name in ("operation_seconds", "refused_total", "stale_total", "projects_open", "live_sessions"):
        assert any(line.startswith(f"# TYPE dragoman_{name.removesuffix('_total')}") for line in lines)


def test_a_project_that_is_being_closed_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_projects(tmp_path)
    with running(tmp_path) as server, server.client() as client:
        closing = type(server.app.state.context.projects.get("manual").engine)

        def closed(_: object) -> int:
            raise BadInputError("is closed")

        monkeypatch.setattr(closing, "correction_count", property(closed))
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert 'dragoman_revision{project="manual"}' in answer.text
    assert 'dragoman_corrections{project="manual"}' not in answer.text
