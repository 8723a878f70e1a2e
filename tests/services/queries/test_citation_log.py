"""The log of S5.6: the checks of the original answer's citations, in the order of its statements."""

import uuid

import pytest

from db.models import CitationCheck, Query, Verification
from db.queries.runs.results import StoredVerification, add_verification
from db.session import transaction
from services.queries.results import read_citation_checks
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")


def check(item: str, number: int | None) -> CitationCheck:
    return CitationCheck(item=item, statement=item, citation_number=number, explanation="", status="accurate")


def verification(query: Query, kind: str) -> Verification:
    return Verification(
        query_id=query.id, round=0, kind=kind, answer="", claims_checked=0, claims_supported=0, issues=[],
        verified_sources=[], unverified_claims=[], checks={},
    )  # fmt: skip


def store(*items: tuple[str, int | None], kind: str = "published") -> uuid.UUID:
    with transaction() as session:
        query = make_query(session)
        add_verification(session, StoredVerification(verification(query, kind), [], [], [check(*i) for i in items]))
        return query.id


def test_checks_come_in_the_order_of_statements_and_numbers() -> None:  # S5.6
    query_id = store(("s10:c1", 1), ("s2:c10", 10), ("s2:c9", 9), ("s0:c3", 3))
    assert [found["item"] for found in read_citation_checks(query_id)] == ["s0:c3", "s2:c9", "s2:c10", "s10:c1"]


def test_only_citations_of_the_original_answer_are_in_it() -> None:  # S5.6
    query_id = store(("s0:c1", 1), ("s0:repair", 2), ("s1:c0", None))
    assert [found["item"] for found in read_citation_checks(query_id)] == ["s0:c1"]


def test_what_was_not_published_has_no_log() -> None:  # S5.6
    assert read_citation_checks(store(("s0:c1", 1), kind="attempt")) == []
