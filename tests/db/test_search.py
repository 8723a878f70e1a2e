"""Vector and full-text search see only what they should."""

import pytest

from db.queries.nearest import search_vector
from db.queries.search import search_text, text_query
from db.session import reading, transaction
from tests.factories import make_chunk, make_document

pytestmark = pytest.mark.usefixtures("database")


def axis(index: int) -> list[float]:
    return [float(place == index) for place in range(512)]


def test_the_nearest_chunk_comes_first_with_its_similarity() -> None:  # S1.1
    with transaction() as session:
        document = make_document(session, "one two")
        first = make_chunk(session, document, 0, 3, index=0)
        second = make_chunk(session, document, 4, 7, index=1)
    with reading() as session:
        found = search_vector(session, document.workspace_id, axis(1), 5)
    assert found == [(second.id, pytest.approx(1.0)), (first.id, pytest.approx(0.0))]


@pytest.mark.parametrize("status", ["queued", "processing", "failed"])
def test_chunks_of_an_unfinished_document_are_not_found(status: str) -> None:
    with transaction() as session:
        document = make_document(session, "returns", status=status)
        make_chunk(session, document, 0, 7)
    with reading() as session:
        assert search_vector(session, document.workspace_id, axis(0), 5) == []
        assert search_text(session, document.workspace_id, "returns", 5) == []


def test_workspaces_are_separate() -> None:  # S2.5
    with transaction() as session:
        mine = make_document(session, "returns", workspace="mine")
        make_chunk(session, mine, 0, 7)
        other = make_document(session, "returns", workspace="other")
    with reading() as session:
        assert search_vector(session, other.workspace_id, axis(0), 5) == []
        assert search_text(session, other.workspace_id, "returns", 5) == []


def test_any_word_of_the_question_finds_in_any_form() -> None:
    with transaction() as session:
        document = make_document(session, "All returns must be made within 30 days. Tokens expire.")
        policy = make_chunk(session, document, 0, 40, index=0)
        make_chunk(session, document, 41, 55, index=1)
    with reading() as session:
        assert search_text(session, document.workspace_id, "Can I return it?", 5) == [policy.id]


def test_a_korean_word_finds_itself_under_other_particles() -> None:
    with transaction() as session:
        document = make_document(session, "전기버스는 총 120대를 운행한다.")
        chunk = make_chunk(session, document, 0, 18)
    with reading() as session:
        assert search_text(session, document.workspace_id, "전기버스를 몇 대 운행하나요?", 5) == [chunk.id]


@pytest.mark.parametrize("question", ["?", "…!", "'; DROP TABLE chunks; --", "a & | ! ( ) :* <->", "\\"])
def test_no_question_breaks_the_query_language(question: str) -> None:
    with transaction() as session:
        document = make_document(session, "returns")
    with reading() as session:
        assert search_text(session, document.workspace_id, question, 5) == []


def test_quotes_cannot_leave_a_term() -> None:
    assert text_query("it's") == "'it' | 's'"
