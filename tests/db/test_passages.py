"""Reading documents for a question: no more of a long one than of a short one, and nothing item by item."""

import uuid
from bisect import bisect_right

import pytest
from sqlalchemy import delete
from sqlalchemy.orm import Session

from db.models import Citation, CitationCheck, Document, Verification, VerificationSentence
from db.queries.documents.chunks import (
    find_passages,
    get_passage,
    get_passages,
    list_passages,
    read_given_slices,
    read_slices,
)
from db.queries.documents.documents import DocumentFilter, get_document, list_documents
from db.queries.runs import results
from db.queries.runs.results import StoredVerification
from db.queries.verifications.external_sources import add_given_sources
from db.session import reading, transaction
from services.documents.documents import read_document_layout
from services.verification.checks import EvidenceMismatch, assert_exact
from tests.db.statements import statements
from tests.factories import make_chunk, make_document, make_query

pytestmark = pytest.mark.usefixtures("database")

# Signs of one to four bytes, so that an offset in bytes would show.
TEXT = "".join(f"## Section {number}\n밀린 숙제 😀 is done on day {number}.\n\n" for number in range(400))
STARTS = [place for place in range(len(TEXT)) if TEXT.startswith("## ", place)]
ENDS = [*STARTS[1:], len(TEXT)]
SECTIONS = [[f"Section {number}", start, ENDS[number]] for number, start in enumerate(STARTS)]


def long_document(session: Session, number: int = 0) -> Document:
    return make_document(session, TEXT, number=number, sections=SECTIONS)


def test_a_chunk_brings_the_sections_that_it_touches_and_no_others() -> None:
    spans = [(0, 60), (55, 300), (STARTS[200], STARTS[201]), (len(TEXT) - 100, len(TEXT))]
    with transaction() as session:
        document = long_document(session)
        keys = [make_chunk(session, document, *span, index=index).id for index, span in enumerate(spans)]
        bare = make_chunk(session, make_document(session, TEXT, number=1), 0, 60, section="Own").id
    with reading() as session:
        passages = get_passages(session, keys)
        (without,) = get_passages(session, [bare])
        assert [passage.key for passage in passages] == keys
        assert list(find_passages(session, [(document.id, 1)]).values()) == passages[1:2]
        assert get_passage(session, document.id, 2) == passages[2]
        assert list_passages(session, document.id, limit=10) == passages
    for passage in passages:
        assert len(passage.sections) <= 10
        for offset in range(passage.start_index, passage.end_index):
            assert passage.section_at(offset) == f"Section {bisect_right(STARTS, offset) - 1}"
    assert (without.sections, without.section_at(7)) == ([], "Own")


def test_a_list_of_documents_brings_no_sections_and_the_layout_of_one_does() -> None:
    with transaction() as session:
        document_id = long_document(session).id
    with reading() as session, statements(session) as sent:
        assert [found.id for found, _ in list_documents(session, DocumentFilter(), limit=10)] == [document_id]
        assert get_document(session, document_id).filename == "a.txt"
        assert [each for each in sent if "sections" in each] == []
    layout = read_document_layout(document_id)
    assert layout is not None
    assert [list(each.values()) for each in layout["sections"]] == SECTIONS


def test_slices_of_texts_are_read_by_one_statement_as_they_stand_there() -> None:
    wanted = [(13, 40), (0, 5), (len(TEXT) - 9, len(TEXT)), (700, 700), (STARTS[300], STARTS[302])]
    with transaction() as session:
        documents = [long_document(session, number).id for number in range(2)]
        query_id = make_query(session).id
        rows = [{"query_id": query_id, "number": number, "title": "t", "text": TEXT[number:]} for number in (1, 2)]
        add_given_sources(session, rows)
    places = [(of, *span) for span in wanted for of in [*documents, uuid.uuid4()]]
    with reading() as session, statements(session) as sent:
        assert read_slices(session, places) == [
            text for start, end in wanted for text in (TEXT[start:end], TEXT[start:end], None)
        ]
        given = [(number, *span) for span in wanted[:2] for number in (1, 2, 3)]
        assert read_given_slices(session, query_id, given) == [
            text for start, end in wanted[:2] for text in (TEXT[1:][start:end], TEXT[2:][start:end], None)
        ]
        assert (read_slices(session, []), len(sent)) == ([], 2)


def test_a_history_of_many_verifications_is_read_by_as_many_statements_as_one() -> None:  # A4
    with transaction() as session:
        query = make_query(session)
        for kind in ("attempt", "attempt", "published"):
            results.add_verification(session, checked(query.id, kind))
    with reading() as session, statements(session) as sent:
        found = results.list_verifications(session, query.id)
        assert len(sent) == 4
    assert [each.verification.kind for each in found] == ["attempt", "attempt", "published"]
    for each in found:
        assert [row.position for row in each.sentences] == [0, 1]
        assert [row.item for row in each.citation_checks] == ["s0:c1", "s1:c1"]
        assert {row.verification_id for row in each.citation_checks} == {each.verification.id}


def checked(query_id: uuid.UUID, kind: str) -> StoredVerification:
    verification = Verification(
        query_id=query_id, round=0, kind=kind, answer="", claims_checked=0, claims_supported=0, issues=[],
        verified_sources=[], unverified_claims=[], checks={},
    )  # fmt: skip
    sentences = [
        VerificationSentence(position=place, start=place, end=place, text="", status="supported", reason="")
        for place in (1, 0)
    ]
    checks = [
        CitationCheck(item=item, statement="", citation_number=1, explanation="", status="accurate")
        for item in ("s1:c1", "s0:c1")
    ]
    return StoredVerification(verification, sentences, [], checks)


def cited(document_id: uuid.UUID, start: int, end: int, claim: tuple[int, int]) -> Citation:
    return Citation(
        document_id=document_id,
        chunk_id="doc_0::chunk_0",
        chunk_index=0,
        source_start=start,
        source_end=end,
        text_span=TEXT[start:end],
        claim_text="An answer."[slice(*claim)],
        answer_start=claim[0],
        answer_end=claim[1],
    )


def test_however_many_citations_are_held_against_the_texts_by_one_statement() -> None:  # N3
    with transaction() as session:
        kept, gone = (long_document(session, number).id for number in range(2))
        session.execute(delete(Document).where(Document.id == gone))
    citations = [cited(of, start, start + 30, (0, 2)) for of in (kept, gone) for start in STARTS[:20]]
    with reading() as session, statements(session) as sent:
        assert_exact(session, "An answer.", citations)
        assert len(sent) == 1
        citations[7].text_span += "!"
        with pytest.raises(EvidenceMismatch, match=f"at {STARTS[7]}:"):
            assert_exact(session, "An answer.", citations)
        citations[7].text_span, citations[8].claim_text = TEXT[STARTS[7] : STARTS[7] + 30], "Another"
        with pytest.raises(EvidenceMismatch, match="answer at 0:2"):
            assert_exact(session, "An answer.", citations)
