"""Short documents go before the rest of a long one, and a long one takes turns with others."""

import time
import uuid
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import func, select, text

from citewell_verify.embeddings.protocol import Vectors
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import DEFAULT_TENANT, Chunk
from db.queries.access.keys import get_or_add_tenant
from db.session import acting_for, reading, system_transaction, transaction
from services.documents import turns
from services.documents.documents import NewDocument, accept_document, read_document, remove_document
from services.documents.ingestion import ingest
from services.documents.turns import Turn
from services.queries.passage_search import NewSearch, search_passages
from tests.leases import hold

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("database")]

LIMITS = IngestionSettings(chunk_tokens=50, overlap_tokens=10)
BOOK = "\n\n".join(f"Article {n}: boats of class {n} pay {n + 10} crowns in the harbour of Lund." for n in range(24))
NOTE = "The lock of the canal opens at seven."


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    monkeypatch.setattr("services.documents.ingestion.BATCH", 2)
    monkeypatch.setattr(turns, "SHORT_BYTES", 0)


class Watched:
    """The usual embedder, which first calls `then` when it embeds for the second time."""

    def __init__(self, then: Callable[[], object]) -> None:
        self._inner, self._then, self._calls = default_embedder(), then, 0
        self.name, self.dimension = self._inner.name, self._inner.dimension
        self.embedded: list[str] = []

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._inner.encode_queries(texts)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        self._calls += 1
        if self._calls == 2:
            self._then()
        self.embedded += texts
        return self._inner.encode_documents(texts)


def accept(filename: str, content: str) -> uuid.UUID:
    return accept_document(NewDocument(filename, content.encode(), "w"), settings()).document_id


def stranger() -> int:
    with system_transaction() as session:
        return get_or_add_tenant(session, "stranger", "whsec_")


def ended_in_order() -> list[str]:
    with system_transaction() as session:
        ready = "SELECT filename FROM documents WHERE status = 'ready' ORDER BY ready_at"
        return list(session.scalars(text(ready)))


def test_a_short_document_of_another_tenant_is_ready_before_the_long_one_that_was_begun() -> None:  # A7
    other_tenant = stranger()

    def hand_in() -> None:
        with acting_for(other_tenant):
            accept("note.txt", NOTE)

    ingest(accept("book.txt", BOOK), Watched(hand_in), LIMITS, hold)
    assert ended_in_order() == ["note.txt", "book.txt"]
    with acting_for(other_tenant), reading() as session:
        assert list(session.scalars(select(Chunk.text))) == [NOTE]


def test_a_short_document_is_ingested_while_a_long_one_is_being_read() -> None:  # A7
    note = accept("note.txt", NOTE)
    turn = Turn(
        uuid.uuid4(), 3_000_000, lambda waiting, own: ingest(waiting, default_embedder(), LIMITS, hold, turn=own)
    )

    def read() -> str:
        deadline = time.monotonic() + 60
        while read_document(note)["status"] != "ready":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return "read"

    assert turn.beside(read) == "read"


def test_a_failure_to_read_comes_out_of_the_thread_that_read() -> None:
    def fail() -> None:
        raise ValueError("damaged")

    with pytest.raises(ValueError, match="damaged"):
        Turn(uuid.uuid4(), 3_000_000, lambda _, __: False).beside(fail)


def test_after_its_turn_a_long_document_waits_for_another_tenants_and_goes_on_where_it_was(  # A5, A7
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "TURN_S", 0.0)
    monkeypatch.setattr(turns, "_READINGS", 0)
    other_tenant = stranger()

    def hand_in() -> None:
        with acting_for(other_tenant):
            accept("another-book.txt", BOOK * 3)

    embedder = Watched(hand_in)
    book = accept("book.txt", BOOK)
    ingest(book, embedder, LIMITS, hold)
    state = read_document(book)
    done = state["progress"]["chunks_done"]
    assert state["status"] == "queued"
    assert 0 < done < state["progress"]["chunks_total"]
    assert search_passages(NewSearch("boats of class 1", "w"), settings(), default_embedder())["passages"] == []
    before = list(embedder.embedded)
    with system_transaction() as session:
        session.execute(text("DELETE FROM documents WHERE filename = 'another-book.txt'"))
    ingest(book, embedder, LIMITS, hold)
    state = read_document(book)
    assert state["status"] == "ready"
    assert not set(before) & set(embedder.embedded[len(before) :])
    with reading() as session:
        assert session.scalar(select(func.count(Chunk.id))) == state["progress"]["chunks_total"]


def test_a_long_document_that_is_deleted_between_its_batches_leaves_nothing() -> None:  # A5
    book = accept("book.txt", BOOK)

    def replace() -> None:
        accept("note.txt", NOTE)
        remove_document(book)

    ingest(book, Watched(replace), LIMITS, hold)
    with reading() as session:
        assert list(session.scalars(select(Chunk.text))) == []


def test_what_goes_first_and_turns_out_to_be_long_waits_for_its_own_turn() -> None:  # A7
    book = accept("book.txt", BOOK)
    begun = list[uuid.UUID]()
    outer = Turn(uuid.uuid4(), 5_000, lambda waiting, _: bool(begun.append(waiting)))
    own = Turn(book, 1_000, lambda _, __: False, before=outer, most_bytes=1_000)
    assert ingest(book, default_embedder(), LIMITS, hold, turn=own)
    state = read_document(book)
    assert (state["status"], state["progress"]["chunks_done"]) == ("queued", 0)
    assert state["progress"]["chunks_total"] > 3
    # Its length is known now, so it does not go first again.
    outer.give_way()
    assert begun == []


def test_short_ones_that_keep_coming_leave_a_share_of_the_time_to_the_long_one() -> None:  # A7
    ended = list[uuid.UUID]()

    def end_and_hand_in_another(waiting: uuid.UUID, _: Turn) -> bool:
        ended.append(waiting)
        with transaction() as session:
            session.execute(text("UPDATE documents SET status = 'ready' WHERE id = :id"), {"id": waiting})
        with acting_for(DEFAULT_TENANT):
            accept(f"note-{len(ended)}.txt", f"{NOTE} It is number {len(ended)}.")
        turn.given_s += 10.0
        return True

    turn = Turn(uuid.uuid4(), 3_000_000, end_and_hand_in_another)
    accept("note.txt", NOTE)
    turn.give_way()
    assert len(ended) in range(1, 5)
