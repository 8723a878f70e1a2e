"""The reranker of a worker process, which does not start with an unusable one."""

from collections.abc import Generator

import pytest
import structlog.testing

from config.settings import settings
from workers import lifecycle
from workers.processes import runtime


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Generator[pytest.MonkeyPatch]:
    """Settings that are read again, and forgotten afterwards."""
    settings.cache_clear()
    with monkeypatch.context() as patched:
        yield patched
    settings.cache_clear()


def test_a_worker_scores_with_what_is_configured(environment: pytest.MonkeyPatch) -> None:  # S1.1
    assert runtime.tools.__wrapped__().reranker is None
    environment.setenv("CITEWELL_RERANK__PROVIDER", "endpoint")
    environment.setenv("CITEWELL_RERANK__BASE_URL", "http://127.0.0.1:9")
    environment.setenv("CITEWELL_RERANK__MODEL", "rerank-3")
    environment.setenv("CITEWELL_RERANK__API_KEY", "k-1")
    settings.cache_clear()
    reranker = runtime.tools.__wrapped__().reranker
    assert reranker is not None
    assert reranker.name == "endpoint/rerank-3"
    assert "k-1" not in repr(settings())


def test_a_worker_does_not_start_with_a_reranker_that_cannot_be_used(environment: pytest.MonkeyPatch) -> None:  # S1.1
    environment.setenv("CITEWELL_RERANK__PROVIDER", "cross_encoder")
    with structlog.testing.capture_logs() as logs, pytest.raises(SystemExit) as caught:
        lifecycle.worker_init.send(sender=None)
    assert caught.value.code == 2
    assert "rerank.model is not set" in logs[0]["error"]
