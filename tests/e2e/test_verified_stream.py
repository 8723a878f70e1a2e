"""Sentences are verified while their answer is still being written, with the verdicts of a later verification (N1)."""

import json
import re
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

import httpx
import pytest
from httpx_sse import connect_sse
from openai import OpenAI

from domain.answers.continuous_text import without_links
from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

pytestmark = pytest.mark.slow

FACTS = [
    "All returns must be made within 30 days of the purchase date.",
    "A receipt is required for every return.",
    "Refunds are paid to the original payment method within 10 business days.",
    "Restocking fees of 15 percent are deducted for opened electronics.",
    "Gift cards can neither be returned nor exchanged.",
    "Damaged goods are replaced free of charge by the warehouse.",
    "Customers abroad pay the postage of their parcels.",
    "Furniture is collected by a carrier on a weekday.",
    "Shoes must be unworn and in their original box.",
    "The support desk answers questions about returns by telephone.",
    "Orders above 500 euros are insured during the transport.",
    "Members of the loyalty programme have 60 days for their returns.",
]
WRONG = {4: "Restocking fees of 45 percent are deducted for opened electronics."}
ANSWER = " ".join(f"{WRONG.get(place, fact)[:-1]} [†1]." for place, fact in enumerate(FACTS, start=1))
ENDINGS = ("sentence.verified", "sentence.repaired", "sentence.removed", "sentence.kept")

Told = tuple[str, dict[str, Any]]


@contextmanager
def stream(stack: Stack, query_id: str) -> Generator[Generator[Told]]:
    with (
        httpx.Client(base_url=str(stack.http.base_url), timeout=60) as http,
        connect_sse(http, "GET", f"/v1/queries/{query_id}/events") as source,
    ):
        yield ((event.event, json.loads(event.data)) for event in source.iter_sse() if event.data)


def verdicts(history: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    fields = ("statement", "status", "is_accurate", "relation", "confidence", "evidence")
    checks = history["verifications"][-1]["citation_checks"]
    return {each["item"]: tuple(each[name] for name in fields) for each in checks if ":c" in each["item"]}


def test_openais_client_gets_a_sentence_while_the_rest_is_being_written(  # N1, N9
    groq: Stack, provider: GroqSimulator
) -> None:
    groq.add_text("returns.md", " ".join(FACTS), workspace="verified-stream")
    draft = " ".join(f"{fact[:-1]} [†1]." for fact in FACTS)
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=draft))
    pieces: list[str] = []
    proof: dict[str, Any] = {}
    with OpenAI(base_url=f"{groq.supervisor.url}/v1", api_key="not-needed", timeout=60) as client:
        question = {"role": "user", "content": "Within how many days must returns be made?"}
        create: Callable[..., Any] = client.chat.completions.create
        for chunk in create(model="verified-stream", messages=[question], stream=True):
            if content := chunk.choices[0].delta.content:
                pieces.append(content)
                # Only now does the model write the second half.
                provider.go_on()
            proof = cast("dict[str, Any]", chunk.model_extra or {}).get("citewell", {})
    content = "".join(pieces)
    place = rf"\({groq.supervisor.url}/#/document/[0-9a-f-]+\?start=\d+&end=\d+\)"
    assert re.match(rf"{FACTS[0]} \[\[1\]\]{place}", pieces[0])
    query = groq.http.get(proof["links"]["self"]).json()
    assert without_links(content).startswith(query["answer"] + "\n\n- [1] returns.md")
    for each in proof["citations"]:
        assert content[each["answer_start"] : each["answer_end"]] == each["claim_text"]


def test_a_sentence_is_verified_before_the_answer_is_complete(groq: Stack, provider: GroqSimulator) -> None:  # N1, N4
    groq.add_text("returns.md", " ".join(FACTS), workspace="verified-stream")
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=ANSWER))
    query_id = groq.submit("Within how many days must returns be made?", workspace="verified-stream")
    told: list[Told] = []
    with stream(groq, query_id) as events:
        for type_, data in events:
            told.append((type_, data))
            if type_ == "sentence.verified":
                # Only now does the model write the second half.
                provider.go_on()
    types = [type_ for type_, _ in told]
    last_draft = len(types) - 1 - types[::-1].index("draft")
    assert types.index("sentence.verified") < last_draft < types.index("sentence.checked")
    assert types[-1] == "final"
    query = groq.wait(query_id)
    assert query["original_answer"] == ANSWER

    # Every sentence has its state early or late, and exactly one last word.
    first = told[types.index("sentence.verified")][1]
    assert (first["sentence"], first["text"], first["status"]) == (0, FACTS[0], "supported")
    assert ANSWER[first["start"] : first["end"]] == FACTS[0][:-1] + " [†1]."
    assert [(each["citation_number"], each["status"], each["evidence"]) for each in first["citations"]] == [
        (1, "accurate", FACTS[0])
    ]
    states = {data["sentence"]: data["status"] for type_, data in told if type_ == "sentence.checked"}
    for type_, data in told:
        if type_ in ("sentence.verified", "sentence.failed"):
            assert states[data["sentence"]] == data["status"]
    assert Counter(data["sentence"] for type_, data in told if type_ in ENDINGS) == dict.fromkeys(range(12), 1)
    assert [data["sentence"] for type_, data in told if type_ == "sentence.failed"] == [3]

    # The same checks as afterwards, each made once.
    early = [step for step in groq.history(query_id)["steps"] if step["step"] == "check_early"]
    assert early
    given = {"question": query["question"], "answer": ANSWER, "sources": [{"text": " ".join(FACTS)}]}
    verification = groq.http.post("/v1/verifications", json=given).raise_for_status().json()
    groq.http.get(f"/v1/verifications/{verification['id']}", params={"wait": 60}).raise_for_status()
    again = groq.http.get(f"/v1/verifications/{verification['id']}/history").raise_for_status().json()
    found = verdicts(groq.history(query_id))
    assert len(found) == 12
    assert found == verdicts(again)
    # A late call may have been sent a second time.
    asked = Counter(
        call["item"]
        for call in groq.history(query_id)["model_calls"]
        if call["prompt"] == "check_statement" and not call["hedged"]
    )
    assert {item: count for item, count in asked.items() if ":c" in item} == dict.fromkeys(found, 1)
