"""The metrics of the history, from rows as the workers store them (S2.7, S3.7)."""

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from db.models import (
    Answer,
    Citation,
    CitationCheck,
    Query,
    QueryStatus,
    StepOutcome,
    Verification,
    VerificationSentence,
)
from db.queries.runs.queries import mark_finished
from db.queries.runs.results import StoredVerification, add_answer, add_verification
from db.session import transaction
from services.quality.history import Label, read_quality
from tests.factories import make_document, make_query

pytestmark = pytest.mark.usefixtures("database")

NAMES = {
    *("rerank_score_gain", "selection_rate", "answerability_rejection_rate", "answerability_false_positive_rate"),
    *("answerability_false_negative_rate", "citation_accuracy", "citation_coverage", "hallucination_rate"),
    *("unsupported_claim_rate", "crag_trigger_rate", "crag_success_rate", "mean_confidence", "confidence_accuracy"),
}


def verified(
    states: list[str] | None = None,
    *,
    confidence: float | None = 1.0,
    kind: str = "published",
    attempts: int = 0,
    draft: float | None = None,
    supported: bool | None = True,
    of: uuid.UUID | None = None,
    workspace: str = "w",
    provider: str = "groq",
) -> uuid.UUID:
    """Store one verification with sentences in these states, of a new query or of the given one; return the query."""
    checks = {} if supported is None else {"check_answerability": {"status": "checked", "supported": supported}}
    with transaction() as session:
        query_id = of or make_query(session, workspace=workspace, provider=provider).id
        verification = Verification(
            query_id=query_id,
            round=0,
            kind=kind,
            answer="",
            calibrated_confidence=confidence,
            draft_confidence=confidence if draft is None else draft,
            attempts=attempts,
            claims_checked=0,
            claims_supported=0,
            issues=[],
            verified_sources=[],
            unverified_claims=[],
            checks=checks,
        )
        sentences = [
            VerificationSentence(position=n, start=10 * n, end=10 * n + 5, text="words", status=state, reason="")
            for n, state in enumerate(["supported"] if states is None else states)
        ]
        add_verification(session, StoredVerification(verification, sentences, [], []))
        return query_id


def reranked(query_id: uuid.UUID, scores: dict[str, float | None], selected: list[int], round_: int = 0) -> None:
    """Store the outcomes of reranking and selection."""
    values: list[tuple[str, str, dict[str, Any]]] = [
        ("score_chunks", item, {"status": "scored", "score": score}) for item, score in scores.items()
    ]
    values.append(("select", "", {"status": "selected", "selected": selected}))
    now = datetime.now(UTC)
    with transaction() as session:
        session.add_all(
            StepOutcome(query_id=query_id, round=round_, step=step, item=item, worker="w", lease_until=now, value=value)
            for step, item, value in values
        )


def check_citations(query_id: uuid.UUID, *states: str, item: str = "s{n}:c1", number: int | None = 1) -> None:
    """Store citation checks with these results at the query's verification."""
    with transaction() as session:
        verification = session.query(Verification).filter_by(query_id=query_id).one()
        session.add_all(
            CitationCheck(
                verification_id=verification.id,
                item=item.format(n=n),
                statement="words",
                citation_number=number,
                explanation="",
                status=state,
            )
            for n, state in enumerate(states)
        )


def cite(query_id: uuid.UUID, *starts: int) -> None:
    """Store an answer with a citation of the sentence at each of these places."""
    with transaction() as session:
        document = make_document(session, "words", number=0, workspace="w")
        answer = Answer(
            query_id=query_id, round=0, text="", original_text="", abstained=False, references=[], removed_citations=[]
        )
        answer.edits = []
        add_answer(session, answer, [_citation(document.id, n, start) for n, start in enumerate(starts)])


def _citation(document_id: uuid.UUID, position: int, start: int) -> Citation:
    return Citation(
        position=position,
        number=1,
        document_id=document_id,
        document_name="a.txt",
        doc_id="doc_0",
        chunk_id="doc_0::chunk_0",
        chunk_index=0,
        start_index=0,
        source="api-server",
        text_span="words",
        source_start=0,
        source_end=5,
        claim_text="words",
        answer_start=start,
        answer_end=start + 5,
        citation_type="paraphrase",
        confidence_score=0.9,
        status="accurate",
        explanation="",
    )


def metric(name: str, *labels: Label, workspace: str | None = None, limit: int = 1000) -> tuple[float | None, int, Any]:
    """(value, cases, met) of one metric."""
    found = read_quality(workspace, limit, labels)["metrics"][name]
    value = found["value"]
    return None if value is None else round(value, 6), found["count"], found["met"]


def test_without_a_verified_answer_no_metric_has_a_value() -> None:  # S2.7, S3.7
    with transaction() as session:
        make_query(session)
    found = read_quality(None, 1000)
    assert found["queries"] == 0
    assert found["metrics"].keys() == NAMES
    assert {(each["value"], each["count"], each["met"]) for each in found["metrics"].values()} == {(None, 0, None)}


def test_what_people_must_say_has_no_value_without_their_labels() -> None:  # S2.7, S3.7
    verified()
    for name in ("confidence_accuracy", "answerability_false_positive_rate", "answerability_false_negative_rate"):
        assert metric(name) == (None, 0, None)


@pytest.mark.parametrize(("bad", "good", "met"), [(1, 19, False), (0, 20, True), (1, 20, True)])
def test_answers_with_an_invention_are_counted(bad: int, good: int, met: bool) -> None:  # S2.7
    for _ in range(bad):
        verified(["supported", "contradicted", "unsupported"])
    for _ in range(good):
        verified(["supported", "partial", "no_claim"])
    verified(["no_claim"])  # "I don't know" invents nothing and says nothing
    verified(["supported", "not_checked"])
    assert metric("hallucination_rate") == (round(bad / (bad + good), 6), bad + good, met)


def test_copied_answers_alone_neither_meet_nor_miss_the_aim_for_inventions() -> None:  # S2.7, V10
    def found() -> dict[str, Any]:
        told = read_quality(None, 1000)["metrics"]["hallucination_rate"]
        return {name: told[name] for name in ("value", "count", "met", "copied")}

    verified(["supported"], provider="offline")
    verified(["no_claim"], provider="offline")
    assert found() == {"value": 0.0, "count": 1, "met": None, "copied": 1}
    verified(["supported"])
    assert found() == {"value": 0.0, "count": 2, "met": True, "copied": 1}
    assert metric("crag_trigger_rate")[2] is True


@pytest.mark.parametrize("name", ["unsupported_claim_rate", "citation_accuracy", "citation_coverage"])
def test_metrics_of_what_a_writer_gets_wrong_count_their_copies(name: str) -> None:  # S2.7, V10
    def counted() -> tuple[int, int]:
        told = read_quality(None, 1000)["metrics"]
        assert told["mean_confidence"]["copied"] == told["crag_trigger_rate"]["copied"] == 0
        return told[name]["count"], told[name]["copied"]

    check_citations(verified(["supported", "supported"], provider="offline"), "accurate")
    cases, copied = counted()
    assert cases == copied > 0
    check_citations(verified(["supported"]), "accurate", "inaccurate")
    assert counted()[0] > cases
    assert counted()[1] == copied


def test_claims_are_counted_where_they_were_checked() -> None:  # S2.7
    verified(["supported", "contradicted", "unsupported", "not_checked", "no_claim", "partial"])
    assert metric("unsupported_claim_rate") == (0.5, 4, None)


def test_a_verification_that_was_not_published_does_not_count() -> None:  # S2.7
    query = verified(["unsupported"], kind="attempt", confidence=0.0)
    verified(["supported"], of=query, attempts=1)
    assert metric("hallucination_rate") == (0.0, 1, True)


@pytest.mark.parametrize(("corrected", "plain", "met"), [(1, 4, False), (1, 5, True), (0, 1, True)])
def test_queries_with_a_corrective_round_are_counted(corrected: int, plain: int, met: bool) -> None:  # S2.7
    for _ in range(corrected):
        verified(attempts=2)
    for _ in range(plain):
        verified()
    assert metric("crag_trigger_rate") == (round(corrected / (corrected + plain), 6), corrected + plain, met)


@pytest.mark.parametrize(
    ("first", "kept", "value"), [(0.2, 0.9, 1.0), (0.5, 0.5, 0.0), (0.5, 0.4, 0.0), (None, 0.9, 0.0)]
)
def test_a_correction_succeeds_when_the_kept_attempt_is_surer_than_the_first(
    first: float | None, kept: float, value: float
) -> None:  # S2.7
    query = verified(kind="attempt", confidence=first)
    verified(kind="attempt", confidence=kept, of=query)
    verified(of=query, confidence=1.0, draft=kept, attempts=1)  # repairs made it 1.0: that is not the round's doing
    assert metric("crag_success_rate") == (value, 1, value > 0.7)


def test_accurate_citations_are_counted_over_those_that_were_checked() -> None:  # S3.7, S5.6
    query = verified()
    check_citations(query, "accurate", "accurate", "inaccurate", "uncertain", "not_checked")
    check_citations(query, "accurate", item="s{n}:repair")  # of the repaired answer, not of what was written
    check_citations(query, "inaccurate", item="s{n}:c0", number=None)  # an uncited claim is no citation
    assert metric("citation_accuracy") == (0.5, 4, None)


def test_cited_claims_are_counted_over_all_claims() -> None:  # S3.7
    query = verified(["supported", "no_claim", "partial", "unsupported", "supported"])
    cite(query, 0, 0, 10, 40)
    assert metric("citation_coverage") == (0.5, 4, None)


def test_selection_is_measured_against_what_was_retrieved() -> None:  # S3.7
    reranked(verified(), {"1": 0.9, "2": 0.5, "3": 0.1, "4": None}, [1, 2])
    reranked(verified(), {"5": 0.4}, [])
    query = verified()
    reranked(query, {"6": None}, [6])
    reranked(query, {"7": 1.0}, [7], round_=1)  # of a later round: merged, not selected again
    assert metric("rerank_score_gain") == (0.2, 1, None)
    assert metric("selection_rate") == (0.5, 6, None)


def test_answerability_is_compared_with_labels() -> None:  # S3.7
    passed, rejected = [verified(supported=True) for _ in range(3)], [verified(supported=False) for _ in range(2)]
    verified(supported=None)
    labels = [*(Label(query, grounded) for query, grounded in zip(passed, (True, True, False), strict=True))]
    labels += [Label(rejected[0], grounded=True), Label(rejected[1], grounded=False)]
    assert metric("answerability_rejection_rate", *labels) == (0.4, 5, None)
    assert metric("answerability_false_positive_rate", *labels) == (0.5, 2, None)
    assert metric("answerability_false_negative_rate", *labels) == (0.333333, 3, None)


def test_confidence_is_right_when_people_say_the_same() -> None:  # S2.7
    sure, unsure, silent = verified(), verified(confidence=0.69), verified(["no_claim"], confidence=None)
    labels = [Label(sure, grounded=True), Label(unsure, grounded=False), Label(silent, grounded=True)]
    assert metric("confidence_accuracy", *labels) == (1.0, 2, True)
    assert metric("confidence_accuracy", Label(sure, grounded=False), Label(unsure, grounded=False)) == (0.5, 2, False)


def test_a_label_of_a_query_that_is_not_there_counts_for_nothing() -> None:  # S2.7
    verified()
    assert metric("confidence_accuracy", Label(uuid.uuid4(), grounded=True)) == (None, 0, None)


def test_only_the_newest_queries_of_the_workspace_are_looked_at() -> None:  # S2.7
    verified(["unsupported"])
    verified(["supported"])
    verified(["unsupported"], workspace="other")
    assert metric("hallucination_rate")[:2] == (0.666667, 3)
    assert metric("hallucination_rate", workspace="w")[:2] == (0.5, 2)
    assert metric("hallucination_rate", workspace="w", limit=1)[:2] == (0.0, 1)
    assert metric("hallucination_rate", workspace="nowhere") == (None, 0, None)


def test_a_verification_that_broke_is_no_answer_to_count() -> None:  # S1.6, N4
    query = verified(["not_checked"], confidence=None, supported=None)
    with transaction() as session:
        session.query(Verification).filter_by(query_id=query).one().checks = {"broken": "verification broke"}
        mark_finished(session, query, QueryStatus.SUCCEEDED)
        assert session.get_one(Query, query).finished_at
    found = read_quality(None, 10)
    assert found["queries"] == 1
    assert {name for name, each in found["metrics"].items() if each["count"]} == {
        "crag_trigger_rate",
        "citation_coverage",
    }
