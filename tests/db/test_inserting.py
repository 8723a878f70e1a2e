"""A row and its parts are stored by one statement as the objects say."""

import math

import pytest
from sqlalchemy import select

from db.models import Answer, CitationCheck, Verification, VerificationSentence
from db.round_trips import insert_with_parts
from db.session import reading, transaction
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")

SAID = 'It says "7 kg" — 일곱\n\\ {x} :y %(z)s'


def test_a_verification_comes_back_as_it_was_given() -> None:  # S1.8
    with transaction() as session:
        query = make_query(session)
        whole = Verification(
            query_id=query.id,
            round=0,
            answer=SAID,
            overall_score=math.pi,
            claims_checked=1,
            claims_supported=0,
            issues=[SAID],
            verified_sources=[],
            unverified_claims=[],
            checks={"nested": {"of": [1, None, SAID]}},
        )
        sentence = VerificationSentence(position=0, start=0, end=4, text=SAID, status="supported", reason="")
        check = CitationCheck(item="s0:c1", statement=SAID, explanation="", status="checked", confidence=0.1 + 0.2)
        insert_with_parts(session, whole, "verification_id", [sentence, check])
    with reading() as session:
        stored = session.get_one(Verification, whole.id)
        assert (stored.answer, stored.overall_score, stored.issues) == (SAID, math.pi, [SAID])
        assert stored.checks == {"nested": {"of": [1, None, SAID]}}
        # Defaults of the database, and what was not given.
        assert (stored.kind, stored.attempts, stored.calibration) == ("published", 0, None)
        assert session.scalars(select(VerificationSentence.text)).all() == [SAID]
        assert session.scalars(select(CitationCheck.confidence)).all() == [0.1 + 0.2]


def test_an_answer_without_citations_is_stored_alone() -> None:
    with transaction() as session:
        query = make_query(session)
        answer = Answer(
            query_id=query.id, round=0, text="", original_text=SAID, abstained=True, references=[], removed_citations=[]
        )
        answer.edits = []
        insert_with_parts(session, answer, "answer_id", [])
    with reading() as session:
        assert session.get_one(Answer, answer.id).original_text == SAID
