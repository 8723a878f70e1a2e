"""From the outcomes of the checks to the published answer: corrected, exact, and honest about what was not checked."""

import uuid
from typing import Any

import pytest

from citewell_verify.embeddings.wheel import default_embedder
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from config.settings import settings
from db.models import QueryStatus
from db.queries.runs import queries, steps
from db.session import transaction
from services.core.context import Outcome, QuerySnapshot, StepContext, StepResult, Tools
from services.correction.conclusion import conclude
from services.finishing.completion import publish
from services.queries.results import read_history, read_query
from services.verification.checks import EvidenceMismatch
from tests.factories import finish_items, make_chunk, make_document, make_options, make_query

pytestmark = pytest.mark.usefixtures("database")

TEXT = "Returns are accepted within 30 days of purchase.\n\nRefunds are paid within 10 business days to the card."
ANSWER = "Returns are accepted within 30 days [†1]. Refunds take 10 business days [†2]. Shipping is free [†2][†7]."
GOOD = {"is_accurate": True, "relation": "supports", "confidence": 0.95, "explanation": "it says so"}
WRONG = {"is_accurate": False, "relation": "does_not_mention", "confidence": 0.9, "explanation": "no word of it"}
SUPPORTED = {"status": "checked", "verdict": {"supported": True, "reason": "all of it"}}


def checked(verdict: dict[str, Any] | None, reason: str = "") -> Outcome:
    return {"status": "checked" if verdict else "not_checked", "verdict": verdict, "reason": reason}


class Case:
    """A query with a document of two chunks, ready to be concluded."""

    def __init__(self, **options: Any) -> None:
        with transaction() as session:
            document = make_document(session, TEXT, filename="policy.txt")
            first = make_chunk(session, document, 0, 48, index=0)
            second = make_chunk(session, document, 50, len(TEXT), index=1)
            query = make_query(session, options=make_options(**options).model_dump(mode="json"))
            self.query_id, self.document_id = query.id, document.id
            self.workspace_id = document.workspace_id
        self.options = make_options(**options)
        self.outcomes: dict[tuple[str, str], Outcome] = {
            ("select", ""): {
                "status": "selected",
                "selected": [first.id, second.id],
                "ranked": [first.id, second.id],
                "sources": [],
                "issues": [],
            },
            ("generate", ""): {"status": "complete", "text": ANSWER, "model": "m"},
            ("extract_citations", ""): {"status": "extracted", "citations": []},
            ("check_alignment", ""): checked({"score": 0.9, "reason": "fine"}),
            ("check_coverage", ""): checked({"score": 1.0}),
            ("check_answerability", ""): SUPPORTED,
            ("check_statements", "s0:c1"): checked(GOOD),
            ("check_statements", "s1:c2"): checked(GOOD),
            ("check_statements", "s2:c2"): checked(WRONG),
        }

    def set(self, step: str, outcome: Outcome, item: str = "") -> "Case":
        self.outcomes[step, item] = outcome
        return self

    def publish(self) -> dict[str, Any]:
        """Conclude and publish as the workers do; return the finished query."""
        with transaction() as session:
            queries.mark_launched(session, self.query_id, 0)
        self._run("conclude", conclude)
        self._run("publish", publish)
        return read_query(self.query_id)

    def _run(self, name: str, body: Any) -> None:
        model = ModelGateway(make_model(settings()), settings().models)
        snapshot = QuerySnapshot(self.query_id, self.workspace_id, "How long?", "balanced", "offline", self.options)
        context = StepContext(snapshot, 0, ("",), self.outcomes, Tools(model, default_embedder()))
        result: StepResult = body(context)
        with transaction() as session:
            attempts = steps.claim_items(session, str(self.query_id), 0, name, [""], worker="t", lease_s=10)
            assert finish_items(session, self.query_id, 0, name, result.values, attempts)
            if result.save is not None:
                result.save(session)
        self.outcomes |= {(name, item): value for item, value in result.values.items()}


def states(query: dict[str, Any]) -> list[str]:
    return [sentence["status"] for sentence in query["verification"]["sentences"]]


def test_wrong_and_dangling_citations_go_and_the_rest_is_renumbered() -> None:  # S5.4, S5.5
    query = Case().publish()
    assert query["answer"] == (
        "Returns are accepted within 30 days. [1] Refunds take 10 business days. [2] Shipping is free."
    )
    assert query["original_answer"] == ANSWER
    assert query["removed_citations"] == [7]
    assert query["references"] == ["[1] policy.txt", "[2] policy.txt"]
    assert states(query) == ["supported", "supported", "unsupported"]


def test_a_number_that_loses_all_its_citations_is_removed() -> None:  # S5.5
    query = Case().set("check_statements", checked(WRONG), "s0:c1").publish()
    assert query["removed_citations"] == [1, 7]
    assert [(c["number"], c["chunk_id"]) for c in query["citations"]] == [(1, "doc_0::chunk_1")]


def test_spans_slice_back_from_the_answer_and_the_stored_text() -> None:  # N3, S3.3
    query = Case().publish()
    assert len(query["citations"]) == 2
    for citation in query["citations"]:
        assert TEXT[citation["source_start"] : citation["source_end"]] == citation["text_span"]
        assert query["answer"][citation["answer_start"] : citation["answer_end"]] == citation["claim_text"]
        assert citation["page_number"] is None
        assert citation["metadata"]["start_index"] == citation["start_index"]


def test_a_check_that_did_not_happen_is_never_supported() -> None:  # N4
    query = Case().set("check_statements", checked(None, "timeout"), "s0:c1").publish()
    assert states(query)[0] == "not_checked"
    assert query["verification"]["sentences"][0]["reason"] == "timeout"
    assert query["citations"][0]["status"] == "uncertain"
    assert query["verification"]["is_grounded"] is False
    assert any("could not be checked" in issue for issue in query["verification"]["issues"])


def test_a_check_that_left_nothing_behind_is_not_checked() -> None:  # N4
    case = Case()
    del case.outcomes["check_statements", "s0:c1"]
    query = case.publish()
    assert states(query)[0] == "not_checked"
    assert query["verification"]["checks"]["check_facts"]["status"] == "not_checked"
    assert query["verification"]["fact_verification_score"] == 0.5


def test_an_unsupported_answer_is_replaced_and_its_checks_are_kept() -> None:  # S3.4
    verdict = {"supported": False, "reason": "shipping is not in the context"}
    case = Case().set("check_answerability", checked(verdict))
    query = case.publish()
    assert query["answer"] == "I don't know based on the documents."
    assert query["abstained"] is True
    assert "shipping is not in the context" in query["abstain_reason"]
    assert (query["citations"], query["references"], states(query)) == ([], [], ["no_claim"])
    history = read_history(case.query_id)
    assert [check["item"] for check in history["verifications"][0]["citation_checks"]] == ["s0:c1", "s1:c2", "s2:c2"]


def test_an_unreadable_answerability_verdict_is_not_supported_but_an_issue() -> None:  # S3.4
    query = Case().set("check_answerability", checked(None, "bad JSON")).publish()
    assert query["abstained"] is False
    assert "Answerability was not checked." in query["verification"]["issues"]


def test_without_verification_nothing_is_called_checked() -> None:  # S1.7, N4
    case = Case(verification=False)
    case.outcomes = {key: value for key, value in case.outcomes.items() if not key[0].startswith("check_")}
    query = case.publish()
    assert query["verification"] is None
    assert {c["status"] for c in query["citations"]} == {"uncertain"}
    assert "[7]" not in query["answer"]


def test_verification_that_breaks_does_not_break_the_query() -> None:  # S1.6
    case = Case().set("check_alignment", {"status": "checked", "verdict": {"unexpected": 1}})
    query = case.publish()
    assert query["status"] == QueryStatus.SUCCEEDED
    assert query["verification"] is None
    assert query["answer"].startswith("Returns are accepted within 30 days.")
    stored = read_history(case.query_id)["verifications"][0]
    assert "verification broke" in stored["issues"][0]
    assert {sentence["status"] for sentence in stored["sentences"]} == {"not_checked"}


def test_a_failed_draft_fails_the_query_with_its_reason() -> None:
    failed = {"status": "failed", "text": "", "model": None, "reason": "gpt-oss gave no usable reply"}
    query = Case().set("generate", failed).publish()
    assert (query["status"], query["answer"]) == (QueryStatus.FAILED, None)
    assert query["error"] == {"code": "generation_failed", "message": "gpt-oss gave no usable reply"}


def test_broken_retrieval_fails_the_query_instead_of_not_knowing() -> None:
    failed: Outcome = {"status": "failed", "selected": [], "ranked": [], "sources": [], "issues": [], "reason": "gone"}
    query = Case().set("select", failed).publish()
    assert (query["status"], query["answer"]) == (QueryStatus.FAILED, None)
    assert query["error"] == {"code": "retrieval_failed", "message": "gone"}


def test_a_refused_query_says_why() -> None:  # S3.5
    refused: Outcome = {
        "status": "refused",
        "selected": [],
        "ranked": [],
        "sources": [],
        "issues": [],
        "reason": "too thin",
    }
    query = Case().set("select", refused).publish()
    assert (query["status"], query["abstained"], query["abstain_reason"]) == (QueryStatus.SUCCEEDED, True, "too thin")
    assert query["verification"]["issues"] == ["too thin"]


def test_a_span_that_is_not_in_the_stored_text_is_never_stored() -> None:  # N3
    case = Case()
    with transaction() as session:
        from_db = case.document_id
        session.connection().exec_driver_sql(
            "UPDATE documents SET text = reverse(text) WHERE id = %s", (uuid.UUID(str(from_db)),)
        )
    with pytest.raises(EvidenceMismatch):
        case.publish()
    assert read_query(case.query_id)["answer"] is None
