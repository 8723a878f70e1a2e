"""Dense and lexical search see only what they may, and find what they should."""

import pytest
from sqlalchemy import select, text

from benchmarks.search.in_memory import LexicalIndex
from db.models import Document, Lexeme, Workspace
from db.queries.documents.documents import delete_document
from db.queries.search.filters import conditions
from db.queries.search.passages import as_tsvector, recount, search_text, search_vector, uncount_chunks
from db.session import reading, system_transaction, transaction
from domain.query.options import Bounds, DocumentFilter
from domain.retrieval.lexemes import lexemes
from tests.factories import make_chunk, make_document

pytestmark = pytest.mark.usefixtures("database")


def axis(index: int) -> list[float]:
    return [float(place == index) for place in range(512)]


def stored(*texts: str, workspace: str = "w") -> tuple[int, list[int]]:
    """A document of these passages: its workspace and their keys."""
    with transaction() as session:
        document = make_document(session, "\n".join(texts), workspace=workspace)
        keys, start = list[int](), 0
        for index, passage in enumerate(texts):
            keys.append(make_chunk(session, document, start, start + len(passage), index=index).id)
            start += len(passage) + 1
        return document.workspace_id, keys


def found(workspace_id: int, question: str, k: int = 5) -> list[int]:
    with reading() as session:
        return search_text(session, workspace_id, question, k)


def test_the_nearest_chunk_comes_first_with_its_similarity() -> None:  # S1.1
    workspace_id, (first, second) = stored("one", "two")
    with reading() as session:
        near = search_vector(session, workspace_id, axis(1), 5)
    assert near == [(second, pytest.approx(1.0)), (first, pytest.approx(0.0))]


@pytest.mark.parametrize("status", ["queued", "processing", "failed"])
def test_chunks_of_an_unfinished_document_are_not_found(status: str) -> None:
    with transaction() as session:
        document = make_document(session, "returns", status=status)
        make_chunk(session, document, 0, 7)
    with reading() as session:
        assert search_vector(session, document.workspace_id, axis(0), 5) == []
        assert search_text(session, document.workspace_id, "returns", 5) == []


def test_workspaces_are_separate() -> None:  # S2.5
    stored("returns", workspace="mine")
    with transaction() as session:
        other = make_document(session, "returns", workspace="other").workspace_id
    with reading() as session:
        assert search_vector(session, other, axis(0), 5) == []
        assert search_text(session, other, "returns", 5) == []


def test_any_word_of_the_question_finds_in_any_form() -> None:
    workspace_id, (policy, _) = stored("All returns must be made within 30 days.", "Tokens expire.")
    assert found(workspace_id, "Can I return it?") == [policy]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    workspace_id, keys = stored("the fee is due", "the fee is paid", "the fee is high", "the surcharge is due")
    assert found(workspace_id, "fee or surcharge")[0] == keys[3]


def test_words_that_stand_together_count_more() -> None:
    workspace_id, keys = stored("net income and yearly sales", "net sales and yearly income")
    assert found(workspace_id, "What was the income, net?") == keys
    assert found(workspace_id, "What were net sales?") == list(reversed(keys))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("전기버스를 몇 대 운행하나요?", "전기버스는 총 120대를 운행한다."),
        ("버스 운행", "전기버스는 총 120대를 운행한다."),
        ("東京の人口は?", "東京都の人口は1400万人です。"),
        ("Muller cafe", "Im Café Müller"),
    ],
)
def test_words_are_found_in_compounds_with_particles_and_accents(question: str, text: str) -> None:
    workspace_id, (key, _) = stored(text, "Something else.")
    assert found(workspace_id, question) == [key]


_SAMPLE = (
    "Year ended May 31 | 2019 | 2018\nOther assets | 1,911 | 1,812\nTotal assets | 4,489 | 3,895",
    "The weighted average remaining amortization period for customer relationships is 14.3 years.",
    "Interest expense increased in fiscal 2019 compared to fiscal 2018 due to higher average borrowings.",
    "The percentage change in operating revenue was 13 percent in 2019 and 2018 respectively.",
    "전기요금 인상 계획을 이사회가 논의했다. 2019년 기본요금은 2,500원이다.",
    "전기요금인상안은 2018년 이사회에서 의결되었다.",
    "전기버스는 2019년 기준 총 120대를 운행하며, 평균 운행 거리는 212km이다.",
    "東京都の人口は1400万人です。",
    "Net sales and yearly income; fees apply to assets of others.",
    "Purchases of property and equipment were 12 million in 2019, and 14 million in 2018.",
    "Total current assets\t71\t68\nTotal current liabilities\t40\t45",
)
_ASKED = (
    "What was the average of other assets for 2018 and 2019?",
    "percentage change in interest expense from 2018 to 2019",
    "전기요금 인상의 계획",
    "2019년 전기버스의 평균 운행 거리는 얼마인가?",
    "東京の人口 2019",
    "assets",
    "What was the capex in FY2019? Round your answer to two decimal places.",
    "Did the working capital grow?",
)


@pytest.mark.parametrize("question", _ASKED)
def test_the_order_is_that_of_the_ranking_computed_in_memory(question: str) -> None:
    """What benchmarks.search measures without a database is what a search of the database returns."""
    workspace_id, keys = stored(*_SAMPLE)
    in_memory = LexicalIndex(dict(zip(keys, _SAMPLE, strict=True)))
    assert found(workspace_id, question, k=50) == in_memory.order(question)


@pytest.mark.parametrize(
    "question", ["?", "…!", "'; DROP TABLE chunks; --", "a & | ! ( ) :* <->", "\\", "it's", "'\\'"]
)
def test_no_question_breaks_the_query_language(question: str) -> None:
    workspace_id, _ = stored("returns")
    assert found(workspace_id, question) == []


def test_a_question_of_a_thousand_words_is_answered() -> None:
    workspace_id, keys = stored("word7 word8", "word999")
    assert set(found(workspace_id, " ".join(f"word{n}" for n in range(1000)))) == set(keys)


def known_of(workspace_id: int) -> tuple[int, int, dict[str, int]]:
    with reading() as session:
        workspace = session.get_one(Workspace, workspace_id)
        counted = session.execute(select(Lexeme.lexeme, Lexeme.chunks).where(Lexeme.workspace_id == workspace_id))
        return workspace.chunk_count, workspace.lexeme_count, {key: count for key, count in counted if count}


def test_deleted_passages_are_forgotten_and_counting_again_gives_the_same() -> None:
    workspace_id, _ = stored("fees apply", "fees")
    before = known_of(workspace_id)
    (fee,), (apply,) = lexemes("fees"), lexemes("apply")
    assert before == (2, 3, {fee: 2, apply: 1})
    with transaction() as session:
        other = make_document(session, "zebra fees", number=1)
        make_chunk(session, other, 0, 10)
    assert known_of(workspace_id)[2][fee] == 3
    with reading() as session:
        assert len(session.scalars(select(Lexeme.lexeme)).all()) == 3
    with transaction() as session:
        delete_document(session, other.id)
        uncount_chunks(session, other.id)
    assert known_of(workspace_id) == before
    with reading() as session:  # what only a deleted document said stays nowhere
        assert set(session.scalars(select(Lexeme.lexeme))) == {fee, apply}
    with transaction() as session:
        recount(session, workspace_id)
    assert known_of(workspace_id) == before


def test_the_places_of_lexemes_are_those_of_the_text() -> None:
    held = lexemes("Return fees: a return costs 5 EUR, 30일")
    assert [held[0], *held[-4:]] == [held[2], "5", "eur", "30", "일"]
    assert as_tsvector(held).startswith(f"'{held[0]}':1,3 '{held[1]}':2 '{held[3]}':4")


def test_lexical_search_uses_its_index_under_row_level_security() -> None:
    """Postgres would read every row before the policy allows an index with a function that may leak."""
    with system_transaction() as session:
        assert session.scalar(text("SELECT proleakproof FROM pg_proc WHERE proname = 'ts_match_vq'"))
    with transaction() as session:
        session.execute(text("SET LOCAL enable_seqscan = off"))
        plan = session.scalars(text("EXPLAIN SELECT id FROM chunks WHERE search @@ CAST('''fee''' AS tsquery)"))
        assert "ix_chunks_search" in "\n".join(plan)


def filtered(wanted: DocumentFilter) -> list[str]:
    with reading() as session:
        return sorted(session.scalars(select(Document.filename).where(*conditions(wanted))))


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        ({"year": 2023}, ["a"]),
        ({"year": "2023"}, ["a"]),
        ({"year": [2023, 2024]}, ["a", "b"]),
        ({"year": Bounds(gte=2024)}, ["b"]),
        ({"year": Bounds(gte=2000, lte=2023)}, ["a"]),
        ({"date": Bounds(gte="2024-01-01", lte="2024-12-31")}, ["b"]),
        ({"ticker": "acme"}, ["a", "b"]),
        ({"ticker": "acme", "year": 2024}, ["b"]),
        ({"tags": "hr"}, ["c"]),
        ({"tags": ["IT", "x"]}, ["c"]),
        ({"tags": Bounds(gte="a")}, []),
        ({"year": 2024.0}, ["b"]),
        ({"at": Bounds(lte="2024-05-01")}, ["b"]),
        ({"at": Bounds(gte="2024-01-01")}, ["b"]),
        ({"public": True}, ["c"]),
        ({"missing": "x"}, []),
    ],
)
def test_documents_are_filtered_by_their_metadata(metadata: dict[str, object], expected: list[str]) -> None:
    of = {
        "a": {"year": 2023, "ticker": "ACME", "date": "2023-05-01"},
        "b": {"year": "2024", "ticker": "Acme", "date": "2024-05-01", "at": "2024-05-01T10:00:00"},
        "c": {"at": "unknown", "tags": ["hr", "it"], "public": True},
    }
    with transaction() as session:
        for number, (name, details) in enumerate(of.items()):
            make_document(session, "x", filename=name, number=number).details = details
    assert filtered(DocumentFilter.model_validate({"metadata": metadata})) == expected


def test_searches_see_only_documents_that_pass_the_filter() -> None:
    workspace_id, (here,) = stored("fees apply")
    with transaction() as session:
        other = make_document(session, "fees apply", filename="b.txt", number=1)
        make_chunk(session, other, 0, 10)
    where = conditions(DocumentFilter(filenames=["a.txt"]))
    with reading() as session:
        assert search_text(session, workspace_id, "fees", 5, where) == [here]
        assert [key for key, _ in search_vector(session, workspace_id, axis(0), 5, where=where)] == [here]
