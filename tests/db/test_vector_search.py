"""Nearest vectors: exact or through the index, with filters, and never another tenant's."""

import uuid
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import insert, text

from db.models import WHEEL_SPACE, Chunk, ChunkVector, Document
from db.queries.access.keys import get_or_add_tenant
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.documents.spaces import Space, add_vectors, assign_space, get_or_add_space, known_vectors, text_digest
from db.queries.search import passages
from db.queries.search.passages import Candidates, search_vector
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.state import EmbeddingMismatch
from tests.db.statements import statements
from tests.factories import make_chunk, make_document

pytestmark = pytest.mark.usefixtures("database")

WHEEL = Space(WHEEL_SPACE, "use-multilingual-v3", 512)


def axis(index: int) -> list[float]:
    return [float(place == index) for place in range(512)]


def clustered(rng: np.random.Generator, centres: NDArray[np.float32], of: NDArray[np.int64]) -> NDArray[np.float32]:
    vectors = centres[of] + 0.7 * rng.standard_normal((len(of), centres.shape[1]), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def store(workspace: str, vectors: NDArray[np.float32], space: Space, *, per_document: int = 10) -> int:
    """Store chunks in the order of their ids; document n has `of100` = n % 100. Return the workspace's key."""
    ids = [uuid.uuid4() for _ in range(0, len(vectors), per_document)]
    with transaction() as session:
        workspace_id = get_or_add_workspace(session, workspace).id
        assign_space(session, workspace_id, space)
        common = {"workspace_id": workspace_id, "size_bytes": 1, "status": "ready", "chunks_done": per_document}
        session.execute(
            insert(Document),
            [
                {**common, "id": each, "number": n, "filename": f"{n}", "sha256": str(n), "details": {"of100": n % 100}}
                for n, each in enumerate(ids)
            ],
        )
        owners = [ids[row // per_document] for row in range(len(vectors))]
        words = {"workspace_id": workspace_id, "start_index": 0, "end_index": 1, "text": "x", "sha256": ""}
        keys = session.scalars(
            insert(Chunk).returning(Chunk.id, sort_by_parameter_order=True),
            [{**words, "document_id": owner, "chunk_id": str(n), "chunk_index": n} for n, owner in enumerate(owners)],
        ).all()
        rows = zip(keys, owners, vectors.tolist(), strict=True)
        mine = {"space_id": space.id, "workspace_id": workspace_id, "sha256": b""}
        session.execute(
            insert(ChunkVector),
            [{**mine, "chunk_id": key, "document_id": owner, "embedding": vector} for key, owner, vector in rows],
        )
    return workspace_id


def recall(found: Sequence[tuple[int, float]], expected: Sequence[tuple[int, float]]) -> float:
    return len(dict(found).keys() & dict(expected).keys()) / len(expected)


def test_a_vector_comes_back_in_half_precision() -> None:  # S1.1
    vector = np.random.default_rng(1).standard_normal(512).astype(np.float32)
    vector /= np.linalg.norm(vector)
    with transaction() as session:
        chunk = make_chunk(session, make_document(session, "text"), 0, 4, embedding=vector.tolist())
    with reading() as session:
        assert session.get_one(ChunkVector, (chunk.id, WHEEL.id)).sha256 == text_digest("text")
        stored = known_vectors(session, WHEEL, ["text", "other"])
        assert search_vector(session, chunk.workspace_id, vector.tolist(), 1) == [
            (chunk.id, pytest.approx(1.0, abs=1e-3))
        ]
    np.testing.assert_array_equal(
        np.array(stored[text_digest("text")], dtype=np.float32), vector.astype(np.float16).astype(np.float32)
    )
    assert len(stored) == 1


@pytest.mark.parametrize("limit", [1, 5_000], ids=["index", "exact"])
def test_filters_on_documents_hold(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:  # S1.1
    monkeypatch.setattr(passages, "EXACT_UP_TO", limit)
    with transaction() as session:
        old = make_document(session, "one two", filename="2023.txt", number=0, chunks_done=2)
        new = make_document(session, "one two", filename="2024.txt", number=1, chunks_done=2)
        make_chunk(session, old, 0, 3, index=0)
        wanted = make_chunk(session, new, 0, 3, index=1)
    with reading() as session:
        near = search_vector(session, new.workspace_id, axis(0), 5)
        filtered = search_vector(session, new.workspace_id, axis(0), 5, where=[Document.filename == "2024.txt"])
        assert (len(near), [key for key, _ in filtered]) == (2, [wanted.id])
        assert search_vector(session, new.workspace_id, axis(0), 5, where=[Document.filename == "2025.txt"]) == []


@pytest.mark.slow
def test_rare_candidates_are_found_among_many() -> None:  # S1.1: 1 % of the chunks match
    rng = np.random.default_rng(5)
    centres = rng.standard_normal((40, 16), dtype=np.float32)
    vectors = clustered(rng, centres, np.repeat(rng.integers(0, 40, 300), 10))
    questions = clustered(rng, centres, rng.integers(0, 40, 20))
    with transaction() as session:
        space = get_or_add_space(session, "small", 16)
        session.execute(
            text(
                f"CREATE INDEX ix_chunk_vectors_space_{space.id} ON chunk_vectors "
                f"USING hnsw ((embedding::halfvec(16)) halfvec_cosine_ops) WHERE space_id = {space.id}"
            )
        )
    workspace_id = store("w", vectors, space)
    where = [Document.details["of100"].as_integer() == 7]
    chosen, everything = Candidates(space, workspace_id, where), Candidates(space, workspace_id)
    with transaction() as session:
        session.execute(text("ANALYZE chunk_vectors"))
    with reading() as session:
        as_it_is = [search_vector(session, workspace_id, each, 10, where=where) for each in questions.tolist()]
        exact = [passages.exactly(session, chosen, each, 10) for each in questions.tolist()]
        whole = [passages.exactly(session, everything, each, 10) for each in questions.tolist()]
    with reading() as session:
        indexed = [passages.through_index(session, chosen, each, 10) for each in questions.tolist()]
        whole_indexed = [passages.through_index(session, everything, each, 10) for each in questions.tolist()]
        session.execute(text("SET LOCAL enable_sort = off"))
        plan = "\n".join(session.scalars(text(_plan(space, questions[0].tolist()))))
    assert all(len(each) == 10 for each in (*as_it_is, *indexed, *whole_indexed))
    assert np.mean([recall(*pair) for pair in zip(as_it_is, exact, strict=True)]) == 1
    assert np.mean([recall(*pair) for pair in zip(indexed, exact, strict=True)]) >= 0.9
    assert np.mean([recall(*pair) for pair in zip(whole_indexed, whole, strict=True)]) >= 0.95
    assert f"ix_chunk_vectors_space_{space.id}" in plan


def _plan(space: Space, vector: list[float]) -> str:
    distance = f"embedding::halfvec({space.dimension}) <=> '{vector}'"
    return f"EXPLAIN SELECT chunk_id FROM chunk_vectors WHERE space_id = {space.id} ORDER BY {distance} LIMIT 5"


def test_a_tenants_vectors_are_found_by_no_other() -> None:  # A8
    with transaction() as session:
        mine = make_chunk(session, make_document(session, "text"), 0, 4)
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger), transaction() as session:
        theirs = make_chunk(session, make_document(session, "text"), 0, 4)
        assert search_vector(session, theirs.workspace_id, axis(0), 5) == [(theirs.id, pytest.approx(1.0))]
        elsewhere = Candidates(WHEEL, mine.workspace_id)
        assert passages.exactly(session, elsewhere, axis(0), 5) == []
        assert passages.through_index(session, elsewhere, axis(0), 5) == []
        assert known_vectors(session, WHEEL, ["text"]).keys() == {text_digest("text")}
    with reading() as session:
        assert search_vector(session, mine.workspace_id, axis(0), 5) == [(mine.id, pytest.approx(1.0))]


def test_the_settings_of_a_scan_are_one_statement_and_end_with_it() -> None:  # A2
    with transaction() as session:
        chunk = make_chunk(session, make_document(session, "text"), 0, 4)
    shown = text("SELECT current_setting('hnsw.ef_search'), current_setting('hnsw.iterative_scan')")
    with reading() as session, statements(session) as sent:
        chosen = Candidates(WHEEL, chunk.workspace_id)
        assert passages.through_index(session, chosen, axis(0), 5, ef_search=77) == [(chunk.id, pytest.approx(1.0))]
        assert len(sent) == 3
        assert session.execute(shown).one() == ("77", "relaxed_order")
        assert session.scalar(text("SHOW enable_sort")) == "on"


def test_a_question_of_another_dimension_is_refused() -> None:
    with transaction() as session:
        document = make_document(session, "text")
        with pytest.raises(EmbeddingMismatch, match="512 components"):
            search_vector(session, document.workspace_id, [1.0, 0.0], 5)


def test_a_chunk_that_is_gone_gets_no_vector_and_one_that_has_one_keeps_it() -> None:
    with transaction() as session:
        chunk = make_chunk(session, make_document(session, "text"), 0, 4)
        add_vectors(session, WHEEL, [(chunk.id, "text", axis(3)), (chunk.id + 1000, "text", axis(4))])
        assert search_vector(session, chunk.workspace_id, axis(0), 5) == [(chunk.id, pytest.approx(1.0))]
