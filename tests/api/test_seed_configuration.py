"""The seeds' endpoints obey the configuration: request beats environment beats file (S1.7, S2.4, S5.2)."""

import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from config.settings import settings
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.runs.queries import get_query
from db.session import reading, transaction
from domain.query.options import QueryOptions
from tests.api.standing_in import worker
from tests.api.test_seed_routes import ASKS as WAITED_FOR
from tests.stored import abstain
from verify_material.rows import for_all_rows

Json = dict[str, Any]

FILE = """
verification:
  {switch}: false
  confidence_threshold: 0.3
  max_crag_attempts: 1
  show_claims: true
  citation_confidence: 0.95
retrieval:
  method: vector
rerank:
  max_sources: 4
  min_relevance: 0.6
  min_excerpt_length: 30
"""
ASKS = [*WAITED_FOR, ("/api/query", {"query": "How long?"})]
SWITCHABLE = [ask for ask in ASKS if ask[0] != "/query/verified"]


BOTH_WORDS = pytest.mark.parametrize("configured", ["enable", "enabled"], indirect=True)


@pytest.fixture
def configured(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A configuration file that changes every default; `enabled` is the word in S2's settings."""
    assert database
    file = tmp_path / "config.yaml"
    file.write_text(FILE.format(switch=getattr(request, "param", "enabled")), encoding="utf-8")
    monkeypatch.setenv("CITEWELL_CONFIG", str(file))
    settings.cache_clear()
    with transaction() as session:
        get_or_add_workspace(session, "default")
    return file


def options_of(http: httpx.Client, path: str, body: Json) -> QueryOptions:
    with worker(http, abstain):
        response = http.post(path, json=body)
    assert response.status_code == 200, response.text
    with reading() as session:
        stored = get_query(session, uuid.UUID(response.headers["location"].rpartition("/")[2]))
        return QueryOptions.model_validate(stored.options)


@BOTH_WORDS
@pytest.mark.usefixtures("configured")
@for_all_rows(("path", "body"), ASKS)
def test_what_a_request_leaves_out_is_as_configured(http: httpx.Client, path: str, body: Json) -> None:
    options = options_of(http, path, body)  # S1.7, S2.4, S5.6
    assert (options.confidence_threshold, options.max_crag_attempts, options.show_claims) == (0.3, 1, True)
    assert (options.citation_confidence, options.retrieval_method) == (0.95, "vector")
    # S4.5: the streamed answer is written from the best ten passages, however they are chosen.
    assert options.max_sources == (10 if path == "/api/query" else 4)
    assert (options.min_relevance, options.min_excerpt_length) == (0.6, 30)
    # A request for a verified answer is a request for its verification.
    assert options.verification == (path == "/query/verified")


@BOTH_WORDS
@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("value", ["true", "false"])
@for_all_rows(("path", "body"), SWITCHABLE)
def test_the_environment_beats_the_file(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, path: str, body: Json, value: str
) -> None:  # S1.7
    monkeypatch.setenv("ENABLE_VERIFICATION", value)
    monkeypatch.setenv("CITEWELL_VERIFICATION__CONFIDENCE_THRESHOLD", "0.6")
    settings.cache_clear()
    options = options_of(http, path, body)
    assert (options.verification, options.confidence_threshold) == (value == "true", 0.6)


@BOTH_WORDS
@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("wanted", [True, False])
@for_all_rows("path", ["/query", "/chat"])
def test_the_request_beats_the_environment(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, path: str, wanted: bool
) -> None:  # S1.7
    monkeypatch.setenv("ENABLE_VERIFICATION", str(not wanted).lower())
    settings.cache_clear()
    question = "prompt" if path == "/chat" else "query"
    assert options_of(http, path, {question: "How long?", "enable_verification": wanted}).verification is wanted


@pytest.mark.usefixtures("configured")
def test_every_setting_of_a_reply_can_be_requested(http: httpx.Client) -> None:  # S2.4
    asked = {"enable_verification": True, "confidence_threshold": 0.0, "max_crag_attempts": 0, "show_claims": False}
    options = options_of(http, "/chat", {"prompt": "How long?", **asked})
    assert options.verification
    assert (options.confidence_threshold, options.max_crag_attempts, options.show_claims) == (0.0, 0, False)


@pytest.mark.usefixtures("configured")
def test_the_sources_of_a_verified_answer_can_be_requested(http: httpx.Client) -> None:  # S5.2
    asked = {"max_sources": 2, "min_relevance": 0.0, "min_excerpt_length": 0, "confidence_threshold": 0.0}
    options = options_of(http, "/query/verified", {"question": "How long?", **asked})
    assert options.source_scoring
    assert (options.max_sources, options.min_relevance, options.min_excerpt_length) == (2, 0.0, 0)
    assert options.citation_confidence == 0.0


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("configured_to", [None, "true", "false"])
@for_all_rows(("path", "body"), ASKS)
def test_sources_are_scored_for_verified_answers_unless_configured_otherwise(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, path: str, body: Json, configured_to: str | None
) -> None:  # S5.2
    if configured_to:
        monkeypatch.setenv("CITEWELL_RERANK__SOURCE_SCORING", configured_to)
        settings.cache_clear()
    by_default = path == "/query/verified"
    assert options_of(http, path, body).source_scoring == (
        by_default if configured_to is None else configured_to == "true"
    )
