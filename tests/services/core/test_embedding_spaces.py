"""Vectors of a workspace come from one model; the same text is embedded once."""

import uuid
from collections.abc import Generator

import pytest
from sqlalchemy import func, select, text

from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.embeddings.wheel import default_embedder
from clients.embeddings.openai_compatible import EndpointEmbedder
from config.settings import IngestionSettings, settings
from db.indexes import ensure_space_index
from db.models import ChunkVector
from db.queries.access.keys import get_or_add_tenant
from db.queries.documents.spaces import MAX_DIMENSION, Space, get_or_add_space, space_of
from db.session import acting_for, engine, reading, system_transaction, transaction
from domain.errors.service import EmbeddingRejected, EmbeddingUnavailable
from domain.errors.state import EmbeddingMismatch
from services.core.model_choice import ensure_space
from services.documents.documents import NewDocument, accept_document, read_document
from services.documents.ingestion import ingest
from services.retrieval.candidates import Search, find_candidates
from tests.factories import make_document
from tests.leases import hold
from tests.simulators.embeddings import EmbeddingServer

pytestmark = pytest.mark.usefixtures("database")

LIMITS = IngestionSettings(chunk_tokens=30, overlap_tokens=0)
RULES = [f"Rule {n}: goods of kind {n} may be returned within {n + 10} days of their purchase." for n in range(5)]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    monkeypatch.setattr("services.documents.ingestion.BATCH", 2)


@pytest.fixture
def server() -> Generator[EmbeddingServer]:
    with EmbeddingServer() as running:
        yield running


def add(embedder: Embedder, rules: list[str], filename: str = "a.txt", workspace: str = "w") -> uuid.UUID:
    new = NewDocument(filename, "\n\n".join(rules).encode(), workspace)
    document_id = accept_document(new, settings()).document_id
    ingest(document_id, embedder, LIMITS, hold)
    return document_id


def workspace_of(document_id: uuid.UUID) -> int:
    with reading() as session:
        return session.scalar(text("SELECT workspace_id FROM documents WHERE id = :id"), {"id": document_id}) or 0


def test_the_first_document_decides_the_space_and_gets_it_an_index(server: EmbeddingServer) -> None:  # S1.1
    document_id = add(EndpointEmbedder(server.model("tiny-16")), RULES)
    with reading() as session:
        space = space_of(session, workspace_of(document_id))
    assert space == Space(space.id if space else 0, "tiny-16", 16)
    with reading() as session:
        index = session.scalar(
            text("SELECT indexdef FROM pg_indexes WHERE indexname = :name"),
            {"name": f"ix_chunk_vectors_space_{space.id if space else 0}"},
        )
    assert "halfvec(16)) halfvec_cosine_ops) WHERE (space_id" in str(index)


def test_only_texts_that_the_tenant_does_not_have_yet_are_embedded(server: EmbeddingServer) -> None:  # A5
    embedder = EndpointEmbedder(server.model("tiny-16", dimension=16))
    add(embedder, RULES[:4])
    before = server.texts
    second = add(embedder, [*RULES[:4], "Something else altogether is said here, and nowhere else."], "b.txt", "other")
    assert read_document(second)["status"] == "ready"
    assert server.texts[: len(before)] == before
    assert [each[:9] for each in server.texts[len(before) :]] == ["Something"]
    with reading() as session:
        counted = text("SELECT count(*), count(DISTINCT embedding::text) FROM chunk_vectors GROUP BY sha256")
        counts = sorted(tuple(row) for row in session.execute(counted))
    assert counts == [(1, 1), (2, 1), (2, 1), (2, 1), (2, 1)]


def test_vectors_of_another_tenant_are_not_taken(server: EmbeddingServer) -> None:  # A8
    embedder = EndpointEmbedder(server.model("tiny-16", dimension=16))
    add(embedder, RULES)
    before = len(server.texts)
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger):
        add(embedder, RULES)
        with reading() as session:
            assert session.scalar(select(func.count()).select_from(ChunkVector)) == before
    assert server.texts[before:] == server.texts[:before]


def test_a_workspace_of_the_programs_own_model_is_searched_whatever_is_configured(server: EmbeddingServer) -> None:
    document_id = add(default_embedder(), RULES)
    configured = EndpointEmbedder(server.model("tiny-16"))
    assert find_candidates([RULES[3]], Search(workspace_of(document_id), "vector", 1), configured)[0][1] == (
        pytest.approx(1.0, abs=0.01)
    )
    assert read_document(add(configured, ["One more."], "more.txt"))["status"] == "ready"
    assert server.texts in ([], ["dimension"])


def test_a_model_that_nobody_can_ask_any_more_is_named_with_the_way_out(server: EmbeddingServer) -> None:  # S1.1
    document_id = add(EndpointEmbedder(server.model("tiny-16")), RULES)
    with pytest.raises(EmbeddingMismatch, match=r"tiny-16 \(16 components\).*citewell reembed --workspace w`"):
        find_candidates(["?"], Search(workspace_of(document_id), "vector", 1), default_embedder())
    refused = read_document(add(default_embedder(), ["One more."], "more.txt"))
    assert (refused["status"], refused["error"]["code"]) == ("failed", "embedding_mismatch")


def test_a_document_waits_for_an_endpoint_that_is_away(server: EmbeddingServer) -> None:  # A5
    embedder = EndpointEmbedder(server.model("tiny-16", dimension=16), backoff_s=0.001)
    server.refuses = lambda _: (503, b"")
    for _ in range(5):
        with pytest.raises(EmbeddingUnavailable):
            add(embedder, RULES)
    server.refuses = lambda _: None
    assert read_document(add(embedder, RULES))["status"] == "ready"


def test_a_workspace_without_documents_finds_nothing() -> None:
    with transaction() as session:
        workspace_id = make_document(session, "x").workspace_id
        session.execute(text("UPDATE workspaces SET space_id = NULL"))
    assert find_candidates(["?"], Search(workspace_id, "vector", 3), default_embedder()) == []


def test_vectors_too_long_for_an_index_are_refused() -> None:
    with pytest.raises(EmbeddingRejected, match="4001 components"), transaction() as session:
        get_or_add_space(session, "huge", MAX_DIMENSION + 1)


def test_an_index_whose_building_was_interrupted_is_made_anew() -> None:  # A5
    with transaction() as session:
        workspace_id = make_document(session, "x").workspace_id
        space = get_or_add_space(session, "interrupted", 8)
    name = f"ix_chunk_vectors_space_{space.id}"
    # The remains of a killed build: an index that exists and is invalid.
    with engine().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("SET statement_timeout = '200ms'"))
        blocker = engine().connect()
        blocker.execute(text("BEGIN"))
        blocker.execute(text("LOCK TABLE chunk_vectors IN ROW EXCLUSIVE MODE"))
        with pytest.raises(Exception, match="statement timeout"):
            connection.execute(
                text(f"CREATE INDEX CONCURRENTLY {name} ON chunk_vectors (chunk_id) WHERE space_id = {space.id}")
            )
        connection.execute(text("RESET statement_timeout"))
        blocker.close()
    ensure_space_index(space)
    ensure_space_index(space)
    with reading() as session:
        valid = text("SELECT indisvalid FROM pg_index WHERE indexrelid = CAST(:name AS regclass)")
        assert session.scalar(valid, {"name": name})
    assert ensure_space(workspace_id, default_embedder()).model == "use-multilingual-v3"


def test_a_passage_that_the_endpoint_cannot_embed_ends_its_document_with_the_servers_words(
    server: EmbeddingServer,
) -> None:
    refused = b'{"error": "failed to encode response: json: unsupported value: NaN"}'
    server.refuses = lambda texts: (500, refused) if any("kind 3" in text for text in texts) else None
    embedder = EndpointEmbedder(server.model("tiny-16", dimension=16), backoff_s=0.001)
    seen = read_document(add(embedder, RULES))
    assert (seen["status"], seen["error"]["code"]) == ("failed", "embedding_rejected")
    assert "unsupported value: NaN" in seen["error"]["message"]
    assert "Rule 3: goods of kind 3" in seen["error"]["message"]


def test_a_document_that_waits_for_the_endpoint_says_so_until_it_is_embedded(server: EmbeddingServer) -> None:
    server.refuses = lambda _: (503, b"the model is being loaded")
    embedder = EndpointEmbedder(server.model("tiny-16", dimension=16), backoff_s=0.001)
    new = NewDocument("a.txt", "\n\n".join(RULES).encode(), "w")
    document_id = accept_document(new, settings()).document_id
    with pytest.raises(EmbeddingUnavailable):
        ingest(document_id, embedder, LIMITS, hold)
    waiting = read_document(document_id)
    assert (waiting["status"], waiting["stage"]) == ("queued", "embedding")
    assert (waiting["error"] or {})["code"] == "embedding_unavailable"
    assert "answered 503: the model is being loaded" in waiting["error"]["message"]
    server.refuses = lambda _: None
    ingest(document_id, embedder, LIMITS, hold)
    assert [read_document(document_id)[name] for name in ("status", "error")] == ["ready", None]
