"""The simulated model is plausible for our prompts: right on plain questions, and wrong only when told to lie."""

import json
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.prompting.judgements import (
    CHECK_ALIGNMENT,
    CHECK_ANSWERABILITY,
    CHECK_STATEMENT,
    EXTRACT_CITATIONS,
    GENERATE_ANSWER,
    RERANK_CHUNK,
    Judgement,
    Reply,
)
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.completions.request_body import request_body
from clients.llm.protocol import ModelRequest
from config.models import ModelSettings
from domain.query.workspace_rules import PLAIN
from tests.clients.groq_questions import ANSWER, ASKED, GUIDE, IDK, POLICY, QUESTION, SOURCES, Task
from tests.simulators.groq import mind
from tests.simulators.groq.calls import read_call
from tests.simulators.groq.catalogue import MODELS
from verify_material.rows import for_all_rows

R = TypeVar("R", bound=Reply)
KOREAN = "환불 규정\n\n환불은 반품 후 14일 이내에 지급됩니다. 모든 환불에는 영수증이 필요합니다."
LIMITS = {"min_chars": 50, "max_chars": 200}


def said(task: Task, fields: dict[str, object], *, lying: bool = False) -> str:
    """The model's reply to one of our prompts."""
    reply = task.reply if isinstance(task, Judgement) else None
    request = ModelRequest(task.name, fields, "openai/gpt-oss-20b", task.max_tokens, 1.0, reply=reply)
    body = request_body(request, ModelSettings().catalogue[request.model])
    return mind.think(read_call(json.dumps(body).encode(), MODELS), lying=lying)


def judged(judgement: Judgement[R], fields: dict[str, object], *, lying: bool = False) -> R:
    return judgement.reply.model_validate_json(said(judgement, fields, lying=lying), strict=True)


def written(question: str, *texts: str) -> str:
    sources = Sources.numbered((f"document {n}", text) for n, text in enumerate(texts, 1))
    return said(GENERATE_ANSWER, {"sources": sources, "question": question, "idk": IDK, "style": PLAIN})


@for_all_rows(("task", "fields"), ASKED)
def test_it_recognises_every_prompt_with_and_without_a_schema(task: Task, fields: dict[str, object]) -> None:
    reply = task.reply if isinstance(task, Judgement) else None
    for model in ("openai/gpt-oss-20b", "llama-3.1-8b-instant"):
        request = ModelRequest(task.name, fields, model, task.max_tokens, 1.0, reply=reply)
        body = request_body(request, ModelSettings().catalogue[model])
        # The simulated model answers any request for prose. A part of an answer is an answer.
        expected = task.name.removesuffix("_part") if isinstance(task, Judgement) else "generate_answer"
        assert mind.kind_of(read_call(json.dumps(body).encode(), MODELS)) == expected


@pytest.mark.parametrize(
    ("question", "passage", "answer"),
    [
        (QUESTION, POLICY, ANSWER),
        ("When do access tokens expire?", GUIDE, "Access tokens expire after 30 minutes[†1]."),
        ("환불은 며칠 이내에 지급됩니까?", KOREAN, "환불은 반품 후 14일 이내에 지급됩니다[†1]."),
    ],
)
def test_it_answers_with_the_sentence_that_answers_and_its_marker(question: str, passage: str, answer: str) -> None:
    assert answer in written(question, passage, "Nothing about it here. Only some other text.")


def test_it_cites_all_sources_that_hold_the_sentence() -> None:
    assert "[†1][†3]" in written(QUESTION, POLICY, GUIDE, POLICY)


@pytest.mark.parametrize(
    "question", ["Who founded the company?", "What is the capital of France?", "대표이사는 누구입니까?"]
)
def test_it_does_not_know_what_the_sources_do_not_say(question: str) -> None:
    assert written(question, POLICY, GUIDE, KOREAN) == IDK


def test_relevance_tells_the_right_passage_from_the_wrong_one() -> None:
    right, wrong = (judged(RERANK_CHUNK, {"chunk": text, "question": QUESTION}).score for text in (POLICY, GUIDE))
    assert right > 0.8
    assert wrong < 0.2


@for_all_rows(
    ("statement", "relation"),
    [
        ("Refunds are paid within 14 days of the return.", "supports"),
        ("Refunds are paid within 30 days of the return.", "contradicts"),
        ("A receipt is not required for a refund.", "contradicts"),
        ("Refunds are paid within 14 days by the friendly accounting department.", "partially_supports"),
        ("The moon is made of green cheese.", "does_not_mention"),
    ],
)
def test_it_checks_statements_by_words_numbers_and_negation(statement: str, relation: str) -> None:
    check = judged(CHECK_STATEMENT, {"sources": SOURCES, "statement": statement})
    assert check.relation == relation
    assert check.is_accurate == (relation == "supports")
    assert check.confidence >= 0.7


def test_it_judges_answers_as_a_whole() -> None:
    wrong = ANSWER.replace("14", "99")
    asked: dict[str, object] = {"sources": SOURCES, "question": QUESTION}
    assert judged(CHECK_ALIGNMENT, asked | {"answer": ANSWER}).score > 0.8
    assert judged(CHECK_ALIGNMENT, asked | {"answer": wrong}).score < 0.5
    assert judged(CHECK_ANSWERABILITY, asked | {"answer": ANSWER}).supported
    assert not judged(CHECK_ANSWERABILITY, asked | {"answer": wrong}).supported


prose = st.lists(st.sampled_from([*POLICY.split(), *KOREAN.split(), "refunds.", "days,", "\n\n", "# Head"])).map(
    " ".join
)


@given(st.lists(prose, min_size=1, max_size=4), st.integers(10, 60), st.integers(61, 200))
def test_quotations_are_exact_and_within_the_limits(texts: list[str], low: int, high: int) -> None:
    sources = Sources.numbered(("x", text) for text in texts)
    fields: dict[str, object] = {"sources": sources, "question": QUESTION, "min_chars": low, "max_chars": high}
    for citation in judged(EXTRACT_CITATIONS, fields).citations:
        source = texts[citation.source - 1]
        assert citation.text_span in source
        assert len(citation.text_span) <= high


def test_a_lie_fits_the_schema_and_is_wrong() -> None:
    fields: dict[str, object] = {"sources": SOURCES, "question": QUESTION}
    citations = judged(EXTRACT_CITATIONS, fields | LIMITS, lying=True).citations
    assert citations
    assert not any(citation.text_span in text for citation in citations for text in (POLICY, GUIDE))
    check: dict[str, object] = {"sources": SOURCES, "statement": "Refunds are paid within 14 days of the return."}
    assert judged(CHECK_STATEMENT, check, lying=True).relation == "contradicts"
    answer = said(GENERATE_ANSWER, fields | {"idk": IDK, "style": PLAIN}, lying=True)
    assert answer.endswith("[†1].")
    assert not judged(CHECK_ANSWERABILITY, fields | {"answer": answer}).supported
