"""A document becomes searchable as a whole or not at all."""

import uuid
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import func, select, text, update

from citewell_documents.errors import DocumentEmpty, DocumentTooLarge
from citewell_verify.embeddings.protocol import Vectors
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import DEFAULT_TENANT, Chunk, Document, Workspace
from db.queries.access.workspaces import lock_workspace
from db.queries.documents import ingestion as rows
from db.queries.documents.documents import get_document, get_document_text
from db.queries.documents.spaces import get_or_add_space
from db.session import acting_for, reading, transaction
from domain.errors.service import DatabaseUnavailable
from services.documents.documents import (
    NewDocument,
    accept_document,
    read_document,
    read_document_text,
    remove_document,
)
from services.documents.ingestion import MAX_ATTEMPTS, ingest
from tests.leases import hold

pytestmark = pytest.mark.usefixtures("database")

LIMITS = IngestionSettings(chunk_tokens=50, overlap_tokens=10)
BATCH = 2
POLICY = "\n\n".join(
    f"Rule {n}: returns of kind {n} are accepted within {n + 10} days of the purchase." for n in range(12)
)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    monkeypatch.setattr("services.documents.ingestion.BATCH", BATCH)


def accept(content: bytes = POLICY.encode(), filename: str = "policy.txt", workspace: str = "w") -> uuid.UUID:
    return accept_document(NewDocument(filename, content, workspace), settings()).document_id


def run(document_id: uuid.UUID) -> bool:
    return ingest(document_id, default_embedder(), LIMITS, hold)


def chunk_count() -> int:
    with reading() as session:
        return session.scalar(select(func.count(Chunk.id))) or 0


def test_a_ready_document_has_all_its_chunks_as_slices_of_its_text() -> None:  # S3.3, N3
    document_id = accept()
    assert run(document_id)
    state = read_document(document_id)
    with reading() as session:
        stored = get_document_text(session, document_id) or ""
        chunks = session.scalars(select(Chunk).order_by(Chunk.chunk_index)).all()
    assert state["status"] == "ready"
    assert (state["progress"]["chunks_done"], state["progress"]["chunks_total"]) == (len(chunks), len(chunks))
    assert [chunk.chunk_id for chunk in chunks] == [f"doc_0::chunk_{n}" for n in range(len(chunks))]
    assert all(stored[chunk.start_index : chunk.end_index] == chunk.text for chunk in chunks)


def test_documents_are_numbered_within_their_workspace() -> None:  # S3.3, S2.5
    ids = [accept(b"one fish", "a.txt"), accept(b"two fish", "b.txt"), accept(b"red fish", "c.txt", workspace="other")]
    assert [read_document(document_id)["doc_id"] for document_id in ids] == ["doc_0", "doc_1", "doc_0"]


def test_a_second_delivery_changes_nothing() -> None:  # A5
    document_id = accept()
    run(document_id)
    before = chunk_count()
    assert not run(document_id)
    assert chunk_count() == before


def test_the_same_file_is_accepted_once() -> None:
    first = accept()
    again = accept_document(NewDocument("policy.txt", POLICY.encode(), "w"), settings())
    assert (again.document_id, again.created, again.needs_work) == (first, False, False)


def test_a_document_that_cannot_be_read_leaves_a_reason_and_nothing_else() -> None:
    document_id = accept(b"%PDF-1.7 and then nothing of the kind", "broken.pdf")
    run(document_id)
    state = read_document(document_id)
    assert (state["status"], state["error"]["code"]) == ("failed", "document_unreadable")
    assert "broken.pdf" in state["error"]["message"]
    assert chunk_count() == 0


def test_a_failed_document_is_tried_again_when_it_is_sent_again() -> None:
    document_id = accept(b"%PDF-1.7 nothing", "broken.pdf")
    run(document_id)
    again = accept_document(NewDocument("broken.pdf", b"%PDF-1.7 nothing", "w"), settings())
    assert (again.document_id, again.needs_work) == (document_id, True)
    assert read_document(document_id)["status"] == "queued"


def test_a_text_whose_encoding_cannot_be_told_is_read_when_it_is_named() -> None:  # A8
    content = "İsim;Yaş\nAyşe;41\nOğuz;37\n".encode("cp1254")
    document_id = accept(content, "people.csv")
    run(document_id)
    failed = read_document(document_id)
    assert (failed["status"], failed["error"]["code"]) == ("failed", "document_unreadable")
    assert "Turkish (Windows-1254)" in failed["error"]["message"]
    named = NewDocument("people.csv", content, "w", metadata={"encoding": "windows-1254"})
    assert accept_document(named, settings()).document_id == document_id
    assert run(document_id)
    assert (read_document_text(document_id) or "").startswith("İsim\tYaş\nAyşe")


def test_what_a_dead_worker_left_half_done_is_done_again_from_the_start() -> None:  # A5
    document_id = accept()
    with transaction() as session:
        assert rows.claim_document(session, document_id, lease_s=-1) == (1, 1)
        session.execute(text("UPDATE documents SET chunks_done = 2"))
    assert run(document_id)
    assert read_document(document_id)["status"] == "ready"


class Breaking:
    """The usual embedder, which fails in its call number `breaks_at` and records what it embedded."""

    def __init__(self, breaks_at: int) -> None:
        self._inner, self._left = default_embedder(), breaks_at
        self.name, self.dimension = self._inner.name, self._inner.dimension
        self.embedded: list[str] = []

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._inner.encode_queries(texts)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        self._left -= bool(texts)
        if texts and not self._left:
            raise RuntimeError("the process ran out of time")
        self.embedded += texts
        return self._inner.encode_documents(texts)


def stored_rows(name: str) -> list[tuple[Any, ...]]:
    chunks = "SELECT chunk_index, start_index, end_index, text, search::text FROM chunks ORDER BY chunk_index"
    words = "SELECT lexeme, chunks FROM lexemes ORDER BY lexeme"
    with reading() as session:
        return [tuple(row) for row in session.execute(text({"chunks": chunks, "words": words}[name]))]


def expire_leases() -> None:
    with transaction() as session:
        session.execute(text("UPDATE documents SET lease_until = now() - interval '1 second'"))


def test_an_attempt_goes_on_where_the_one_before_it_ended() -> None:  # A5
    run(accept())
    at_once = stored_rows("chunks"), stored_rows("words")
    with transaction() as session:
        session.execute(text("DELETE FROM documents"))
        session.execute(text("DELETE FROM lexemes"))
    document_id = accept()
    first, second = Breaking(3), Breaking(100)
    ingest(document_id, first, LIMITS, hold)
    expire_leases()
    ingest(document_id, second, LIMITS, hold)
    assert read_document(document_id)["status"] == "ready"
    assert len(first.embedded) == 2 * BATCH
    assert not set(first.embedded) & set(second.embedded)
    assert (stored_rows("chunks"), stored_rows("words")) == at_once


@pytest.mark.slow
def test_what_makes_progress_is_never_given_up(monkeypatch: pytest.MonkeyPatch) -> None:  # A5
    monkeypatch.setattr("services.documents.ingestion.BATCH", 1)
    document_id = accept()
    attempts = 0
    while read_document(document_id)["status"] != "ready":
        expire_leases()
        ingest(document_id, Breaking(2), LIMITS, hold)
        attempts += 1
        assert attempts < 20
    assert attempts > MAX_ATTEMPTS


def test_what_makes_none_is() -> None:  # A5
    document_id = accept()
    for _ in range(MAX_ATTEMPTS):
        expire_leases()
        ingest(document_id, Breaking(1), LIMITS, hold)
    assert read_document(document_id)["error"]["code"] == "ingestion_broke"
    assert chunk_count() == 0


def test_chunks_of_another_reading_do_not_stay() -> None:  # A5, N3
    document_id = accept()
    ingest(document_id, Breaking(3), LIMITS, hold)
    expire_leases()
    # As if the settings had been changed between the two attempts.
    assert ingest(document_id, default_embedder(), LIMITS.model_copy(update={"chunk_tokens": 40}), hold)
    state = read_document(document_id)
    assert (state["progress"]["chunks_done"], state["progress"]["chunks_total"]) == (chunk_count(), chunk_count())


def test_a_worker_that_lost_its_claim_stores_nothing_more() -> None:  # A5
    document_id = accept()

    @contextmanager
    def overtaken(_: Callable[[], None]) -> Generator[None]:
        with transaction() as session:
            session.execute(text("UPDATE documents SET attempt = attempt + 1"))
        yield

    assert ingest(document_id, default_embedder(), LIMITS, overtaken)
    assert read_document(document_id)["status"] == "processing"
    assert chunk_count() == 0


def test_a_document_that_ends_its_workers_is_given_up() -> None:  # A5
    document_id = accept()
    with transaction() as session:
        session.execute(text(f"UPDATE documents SET idle = {MAX_ATTEMPTS}"))
    assert not run(document_id)
    assert read_document(document_id)["error"]["code"] == "ingestion_gave_up"


def test_vectors_of_another_model_are_refused_with_a_way_out() -> None:
    run(accept())
    with transaction() as session:
        space = get_or_add_space(session, "another", 512)
        session.execute(update(Workspace).values(space_id=space.id))
    second = accept(b"another text", "second.txt")
    run(second)
    assert read_document(second)["error"]["code"] == "embedding_mismatch"
    assert "citewell reembed --workspace w" in read_document(second)["error"]["message"]


@pytest.mark.parametrize(
    ("content", "error"), [(b"", DocumentEmpty), (b"x" * 60_000_000, DocumentTooLarge)], ids=["empty", "huge"]
)
def test_a_file_that_is_no_document_is_not_accepted(content: bytes, error: type[Exception]) -> None:  # A8
    with pytest.raises(error):
        accept(content)
    with reading() as session:
        assert session.scalar(select(func.count(Document.id))) == 0


def test_what_a_document_says_of_itself_is_metadata_unless_the_user_said_it() -> None:  # S1.3
    content = f"---\ntitle: Returns\nauthor: Ann\n---\n{POLICY}".encode()
    given = {"title": "Our policy", "team": "shop"}
    document_id = accept_document(
        NewDocument("ACME_10-K_2023.md", content, "w", metadata=given), settings()
    ).document_id
    assert run(document_id)
    assert read_document(document_id)["metadata"] == {
        **given,
        "author": "Ann",
        "language": "en",
        "ticker": "ACME",
        "year": "2023",
        "filing_type": "10-K",
    }


def test_what_passes_takes_no_attempt_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:  # A5
    document_id = accept()
    with monkeypatch.context() as away:
        away.setattr(rows, "store_parsed", _database_away)
        for _ in range(MAX_ATTEMPTS + 1):
            with pytest.raises(DatabaseUnavailable):
                run(document_id)
    assert run(document_id)
    assert read_document(document_id)["status"] == "ready"


def _database_away(*_: object, **__: object) -> bool:
    raise DatabaseUnavailable


def test_who_deletes_and_who_stores_take_their_locks_in_one_order() -> None:  # A5
    document_id = accept()
    with transaction() as session:
        claim = rows.claim_document(session, document_id, 60.0)
        attempt = claim.attempt if claim else 0
        workspace_id = get_document(session, document_id).workspace_id

    def delete() -> None:
        with acting_for(DEFAULT_TENANT):
            remove_document(document_id)

    with ThreadPoolExecutor(1) as pool:
        with transaction() as session:
            lock_workspace(session, workspace_id)
            deleting = pool.submit(delete)
            assert wait([deleting], timeout=0.3).not_done
            # It waits for the workspace and holds nothing that this needs.
            assert rows.advance_document(session, document_id, attempt, lease_s=60.0, chunks_done=1)
        deleting.result(60)
    with reading() as session:
        assert session.scalar(select(func.count(Document.id))) == 0


def test_a_title_of_a_hundred_thousand_words_is_not_indexed_with_every_passage() -> None:  # A8
    title = "word " * 100_000
    document_id = accept_document(
        NewDocument("a.txt", POLICY.encode(), "w", metadata={"title": title}), settings()
    ).document_id
    assert run(document_id)
    with reading() as session:
        assert (session.scalar(select(func.max(Chunk.length))) or 0) < 200


class TakenOverMeanwhile(Breaking):
    """During its first embedding, a renewal finds the document taken over."""

    renew: Callable[[], None]

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        if not self.embedded:
            # Only the renewal sees the other one, so nothing that is stored can find it out.
            another_attempt(+1)
            self.renew()
            another_attempt(-1)
        return super().encode_documents(texts)


def another_attempt(by: int) -> None:
    with transaction() as session:
        session.execute(text("UPDATE documents SET attempt = attempt + :by"), {"by": by})


def test_a_renewal_that_finds_itself_taken_over_buys_no_more_vectors() -> None:
    document_id, embedder = accept(), TakenOverMeanwhile(100)

    @contextmanager
    def keep(renew: Callable[[], None]) -> Generator[None]:
        embedder.renew = renew
        yield

    ingest(document_id, embedder, LIMITS, keep)
    assert len(embedder.embedded) == BATCH
    # Whoever claims it next goes on.
    expire_leases()
    assert run(document_id)
    assert read_document(document_id)["status"] == "ready"
