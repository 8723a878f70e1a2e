"""A finished query in the format of each seed: a pure mapping of `services.queries.results`."""

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from sqlalchemy import delete, select

from api.adapters.questions import of_chat, of_verified
from api.adapters.seeds import (
    agent_answer,
    chat_reply,
    rag_answer,
    researched_answer,
    verified_answer,
    with_daggers,
    with_references,
)
from api.schemas.formats.seeds import AgentAnswer, ChatAsk, ChatReply, RagAnswer, VerifiedAnswer, VerifiedAsk
from citewell_verify.markers.parser import cited_markers
from db.models import Document
from db.session import reading, transaction
from domain.errors.requests import ModeUnknown
from services.queries.results import read_citation_checks, read_query
from tests.stored import store_answered_query
from verify_material.answers import ANYTHING
from verify_material.rows import for_all_rows

Json = dict[str, Any]


@pytest.fixture
def query(database: str) -> Json:
    assert database
    with transaction() as session:
        stored = store_answered_query(session)
    return {**read_query(stored.id), "checks": read_citation_checks(stored.id)}


def test_the_weighted_result_has_the_seven_fields(query: Json) -> None:  # S1.8
    told = rag_answer(query)
    assert RagAnswer.model_validate(told)
    assert set(told) == {"answer", "sources", "verification"}
    assert told["sources"] == query["sources"]
    assert told["verification"] == {
        "overall_score": 0.91,
        "answer_source_alignment": 0.9,
        "citation_coverage": 1.0,
        "fact_verification_score": 0.83,
        "issues": ["1 of 3 chunks could not be scored: unreadable reply"],
        "verified_sources": ["doc_0::chunk_0"],
        "unverified_claims": [],
    }


def test_without_a_verification_there_is_no_such_field(query: Json) -> None:  # S1.6, S1.8, S2.4
    query["verification"] = None
    assert set(rag_answer(query)) == {"answer", "sources"}
    assert set(chat_reply(query)) == {"content", "model", "workspace"}


def test_a_reply_has_the_seeds_block(query: Json) -> None:  # S2.4
    told = chat_reply({**query, "model": "openai/gpt-oss-120b"})
    assert ChatReply.model_validate(told)
    assert (told["content"], told["model"], told["workspace"]) == (query["answer"], "openai/gpt-oss-120b", "w")
    assert told["verification"] == {
        "confidence": 1.0,
        "is_grounded": True,
        "claims_checked": 1,
        "claims_supported": 1,
        "crag_attempts": 0,
    }


def test_claims_are_shown_when_the_result_has_them(query: Json) -> None:  # S2.4
    claims = [{"claim": "30 days", "status": "SUPPORTED", "evidence": None, "source": None, "reasoning": "There."}]
    query["verification"] = {**query["verification"], "claims": claims, "facts": []}
    verification = chat_reply(query)["verification"]
    assert verification["claims"] == claims
    assert "facts" not in verification


@for_all_rows(
    ("crag", "asked", "rounds"),
    [(None, None, None), (None, 1, 1), (True, None, None), (True, 1, 1), (False, 5, 0), (False, None, 0)],
)
def test_without_correction_there_are_no_rounds(crag: bool | None, asked: int | None, rounds: int | None) -> None:
    new = of_chat(ChatAsk(prompt="How long?", enable_crag=crag, max_crag_attempts=asked))  # S2.4
    # what is left out is as configured.
    assert (new.max_crag_attempts, new.confidence_threshold, new.enable_verification) == (rounds, None, None)


def test_a_citation_is_a_passage_with_its_metadata(query: Json) -> None:  # S3.3, S3.6
    told = agent_answer(query)
    assert AgentAnswer.model_validate(told)
    metadata = {
        "chunk_id": "doc_0::chunk_0",
        "doc_id": "doc_0",
        "chunk_index": 0,
        "start_index": 0,
        "filename": "환불 policy.pdf",
        "source": "api-server",
        "timestamp": query["sources"][0]["timestamp"],
    }
    (citation,) = told["citations"]
    assert citation == {
        "text": query["sources"][0]["text"],
        "metadata": metadata,
        "chunk_id": "doc_0::chunk_0",
        "doc_id": "doc_0",
        "start_index": 0,
    }


def test_a_citation_tells_when_its_document_was_added(query: Json) -> None:  # S3.3
    with reading() as session:
        (document,) = session.scalars(select(Document))
    (cited,), (source,), (shown,) = query["citations"], query["sources"], agent_answer(query)["citations"]
    for told in (cited["metadata"]["timestamp"], source["timestamp"], shown["metadata"]["timestamp"]):
        assert datetime.fromisoformat(told) == document.created_at


def test_the_time_and_workspace_of_a_deleted_document_are_unknown_and_all_else_stays(query: Json) -> None:  # S3.3
    with transaction() as session:
        session.execute(delete(Document))
    later = read_query(UUID(query["id"]))
    assert [citation["metadata"].pop("timestamp") for citation in later["citations"]] == [None]
    assert [citation.pop("workspace") for citation in later["citations"]] == [None]
    del query["citations"][0]["metadata"]["timestamp"], query["citations"][0]["workspace"]
    assert later["citations"] == query["citations"]
    assert AgentAnswer.model_validate(agent_answer(later)).citations[0].metadata.timestamp is None


def test_each_passage_is_cited_once(query: Json) -> None:  # S3.3
    (source,) = query["sources"]
    nameless = {**source, "chunk_id": ""}
    query["sources"] = [
        source,
        {**source, "text": "The same chunk."},
        {**nameless, "text": "a" * 120 + "b"},
        {**nameless, "text": "a" * 120 + "c"},
        {**nameless, "text": "a" * 119 + "d"},
        {**source, "chunk_id": "doc_0::chunk_1"},
    ]
    texts = [citation["text"] for citation in agent_answer(query)["citations"]]
    assert texts == [source["text"], "a" * 120 + "b", "a" * 119 + "d", source["text"]]


def test_a_research_cites_five_passages_and_those_first_that_its_answer_cites(query: Json) -> None:  # S3.3, S3.6
    (source,) = query["sources"]
    query["sources"] = [{**source, "chunk_id": f"doc_9::chunk_{n}"} for n in range(5)] + [source, source]
    told = researched_answer(query)
    assert AgentAnswer.model_validate(told)
    ids = [citation["chunk_id"] for citation in told["citations"]]
    assert ids == [source["chunk_id"], *(f"doc_9::chunk_{n}" for n in range(4))]
    assert researched_answer({**query, "abstained": True})["citations"] == []


def test_a_refusal_cites_nothing(query: Json) -> None:  # S3.4
    assert agent_answer({**query, "abstained": True})["citations"] == []


def test_the_verified_result_is_the_seeds(query: Json) -> None:  # S5.6
    told = verified_answer(query, query["checks"], "hybrid")
    assert VerifiedAnswer.model_validate(told)
    assert told["original_answer"] == "A product can be returned within 30 days [†1][†2]. Have a nice day."
    assert told["corrected_answer"] == (
        "A product can be returned within 30 days [†1]. Have a nice day.\n\n### References\n- [†1] 환불 policy.pdf, p.1"
    )
    assert (told["mode"], told["removed_citations"], told["accuracy_rate"]) == ("hybrid", [2], 0.5)
    assert told["sources"] == [{"number": 1, **query["sources"][0]}]
    assert told["processing_time_ms"] == query["timings"]["total"]
    assert told["verification_log"] == [
        {
            "citation_number": 1,
            "statement": "A product can be returned within 30 days",
            "source_file": "환불 policy.pdf",
            "source_page": 1,
            "is_accurate": True,
            "confidence": 0.93,
            "explanation": "The source says so.",
            "status": "accurate",
        }
    ]


def test_a_refusal_has_no_references_and_no_rate(query: Json) -> None:  # S5.6, S1.6
    query |= {"answer": "I don't know based on the documents.", "references": [], "verification": None}
    told = verified_answer(query, [], "naive")
    assert told["corrected_answer"] == "I don't know based on the documents."
    assert (told["accuracy_rate"], told["verification_log"]) == (None, [])


@for_all_rows(
    ("published", "told"),
    [
        ("Sales rose [1][2].", "Sales rose [†1][†2]."),
        ("Sales rose [1, 3] in all.", "Sales rose [†1][†3] in all."),
        ("Sales rose [†2-4]. 늘었다【5†L3】", "Sales rose [†2][†3][†4]. 늘었다[†5]"),
        ("Use `x[1]` [1].", "Use `x[1]` [†1]."),
        ("```\nx[1] = 2\n```\n[1]", "```\nx[1] = 2\n```\n[†1]"),
        ("Norvex [2023] and [1](https://a.example) won.", "Norvex [2023] and [1](https://a.example) won."),
        ("", ""),
    ],
)
def test_markers_get_a_dagger(published: str, told: str) -> None:  # S5.3
    assert with_daggers(published) == told


@given(ANYTHING)
@example("http://[[0]]0")
@example("see http://a.b(Source: 1)c")
@example("[【1】]")
@example("[[1]]: www.a.example")
@example("[SOURCE:[][[0]]]")
@example("[SOURCE0:[][[0]]]")
def test_a_dagger_changes_no_number_and_comes_once(text: str) -> None:  # S5.3, S5.5
    once = with_daggers(text)
    numbers = [number for marker in cited_markers(text) for number in marker.numbers]
    assert [number for marker in cited_markers(once) for number in marker.numbers] == numbers
    assert with_daggers(once) == once


def test_references_are_listed_below_the_answer() -> None:  # S5.5
    told = with_references("So it is [†1][†2].", ["[1] 보고서 [2].pdf, p.10", "[2] a.md"])
    assert told == "So it is [†1][†2].\n\n### References\n- [†1] 보고서 [2].pdf, p.10\n- [†2] a.md"


@for_all_rows("mode", ["naive", "local", "global", "hybrid", "mix"])
def test_a_mode_is_a_way_to_retrieve(mode: str) -> None:  # S5.1, S5.6
    new = of_verified(VerifiedAsk(question="How long?", mode=mode, confidence_threshold=0.9))
    assert (new.graph, new.mode, new.citation_confidence, new.enable_verification) == (mode, "balanced", 0.9, True)
    assert new.method == ("vector" if mode == "naive" else None)


@pytest.mark.parametrize("mode", ["low", "balanced", "high"])
def test_a_mode_may_say_how_much_evidence_is_needed(mode: str) -> None:  # S3.5, S5.6
    new = of_verified(VerifiedAsk(question="How long?", mode=mode))
    assert (new.mode, new.graph) == (mode, "hybrid")


def test_another_mode_is_refused() -> None:  # S5.6
    with pytest.raises(ModeUnknown, match="use naive, local, global, hybrid, mix, or low, balanced, high"):
        of_verified(VerifiedAsk(question="How long?", mode="fast"))
