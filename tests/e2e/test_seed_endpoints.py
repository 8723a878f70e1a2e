"""Each seed's endpoint on a whole stack: its own format, with a real answer."""

import json
import re
from typing import Any

import httpx
import pytest

from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

pytestmark = pytest.mark.slow

Json = dict[str, Any]

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
FEES = "Restocking fees. A restocking fee of 15 percent is deducted for electronics that have been opened."
WARRANTY = "Warranty. Broken lamps are repaired under the warranty by the service centre of the maker."
QUESTION = "Within how many days must returns be made?"


@pytest.fixture(scope="module")
def policy(offline: Stack) -> str:
    """The id of the policy, in a workspace with one more document."""
    offline.add_text("fees.md", FEES, workspace="seeds")
    return offline.add_text("policy.md", POLICY, workspace="seeds")


def answer(stack: Stack, path: str, **body: Any) -> httpx.Response:
    response = stack.http.post(path, json={"workspace": "seeds", **body})
    assert response.status_code == 200, response.text
    return response


def history_of(stack: Stack, response: httpx.Response) -> Json:
    return stack.http.get(response.headers["location"]).raise_for_status().json()


def test_the_weighted_seed(offline: Stack, policy: str) -> None:  # S1.8
    response = answer(offline, "/query", query=QUESTION)
    told = response.json()
    assert "30 days" in told["answer"]
    assert policy in {source["document_id"] for source in told["sources"]}
    kept = history_of(offline, response)["verification"]
    assert told["verification"] == {name: kept[name] for name in told["verification"]}
    assert told["verification"]["overall_score"] > 0.5
    assert answer(offline, "/query", query=QUESTION, enable_verification=False).json().keys() == {"answer", "sources"}


@pytest.mark.usefixtures("policy")
def test_the_claims_seed(offline: Stack) -> None:  # S2.4
    told = answer(offline, "/chat", prompt=QUESTION, show_claims=True).json()
    assert "30 days" in told["content"]
    assert (told["model"], told["workspace"]) == ("offline", "seeds")
    verification = told["verification"]
    assert (verification["is_grounded"], verification["crag_attempts"]) == (True, 0)
    assert verification["claims_checked"] == verification["claims_supported"] >= 1
    assert {claim["status"] for claim in verification["claims"]} == {"SUPPORTED"}


def test_the_agents_seed(offline: Stack, policy: str) -> None:  # S3.3, S3.6
    told = answer(offline, "/agent/chat", question=QUESTION, inference_mode="low").json()
    assert "30 days" in told["answer"]
    citation = next(each for each in told["citations"] if each["metadata"]["filename"] == "policy.md")
    text = offline.stored_text(policy)
    assert text[citation["start_index"] :].startswith(citation["text"])
    assert citation["chunk_id"] == f"{citation['doc_id']}::chunk_{citation['metadata']['chunk_index']}"
    assert len({each["chunk_id"] for each in told["citations"]}) == len(told["citations"])


def test_the_citations_seed(offline: Stack, policy: str) -> None:  # S4.4
    claim = {"document_id": policy, "chunk_index": 0, "claim_text": "Returns must be made within 30 days"}
    told = offline.http.post("/api/verify-citation", json=claim).raise_for_status().json()
    assert (told["is_accurate"], told["issues"]) == (True, [])
    assert told["citation"]["text_span"] in offline.stored_text(policy)
    wrong = {**claim, "claim_text": "Returns must be made within 90 days"}
    told = offline.http.post("/api/verify-citation", json=wrong).raise_for_status().json()
    assert (told["is_accurate"], told["issues"]) == (False, ["number_mismatch"])


@pytest.mark.parametrize("mode", ["hybrid", "naive"])
@pytest.mark.usefixtures("policy")
def test_the_corrections_seed(offline: Stack, mode: str) -> None:  # S5.5, S5.6
    response = answer(offline, "/query/verified", question=QUESTION, mode=mode)
    told = response.json()
    assert (told["mode"], told["removed_citations"], told["accuracy_rate"]) == (mode, [], 1.0)
    assert "[†1]" in told["original_answer"]
    body, _, references = told["corrected_answer"].partition("\n\n### References\n")
    assert "30 days" in body
    assert "[†1]" in body
    assert references == "- [†1] policy.md"
    for entry in told["verification_log"]:
        source = told["sources"][entry["citation_number"] - 1]
        assert (entry["source_file"], entry["source_page"]) == (source["filename"], source["page_number"])
        assert (entry["status"], entry["is_accurate"]) == ("accurate", True)
    assert told["processing_time_ms"] == history_of(offline, response)["timings"]["total"]


# S2.4, S3.6, S4.3, S5.5, N4, N9
def test_a_sentence_that_no_document_has_is_at_no_endpoint(groq: Stack, provider: GroqSimulator) -> None:
    groq.add_text("policy.md", POLICY, workspace="seeds-unproven")
    invented = "Parcels are collected by helicopter on Sundays"
    draft = f"All returns must be made within 30 days of the purchase date [†1]. {invented} [†1]."
    # However unsure the judge is.
    unsure = {"is_accurate": False, "relation": "does_not_mention", "confidence": 0.5, "explanation": "no word of it"}
    said = {
        "\ngenerate_answer\n": draft,
        "\ncheck_answerability\n": json.dumps({"supported": True, "reason": "fine"}),
        f"<statement>\n{invented}": json.dumps({"evidence": "", "differences": [], **unsure}),
    }
    for match, quote in said.items():
        provider.fail(Fault(kind=FaultKind.SAYING, match=match, quote=quote, times=None))
    provider.go_on()
    place = {"workspace": "seeds-unproven"}
    asked = {
        "content": groq.http.post("/chat", json={"prompt": QUESTION, "enable_crag": False, **place}),
        "answer": groq.http.post("/agent/chat", json={"question": QUESTION, **place}),
        "corrected_answer": groq.http.post("/query/verified", json={"question": QUESTION, **place}),
    }
    told = [response.raise_for_status().json()[field] for field, response in asked.items()]
    message = {"messages": [{"role": "user", "content": QUESTION}], "model": "seeds-unproven"}
    completion = groq.http.post("/v1/chat/completions", json=message).raise_for_status().json()
    told.append(completion["choices"][0]["message"]["content"])
    query = history_of(groq, asked["content"])
    exported = groq.http.get(f"/v1/queries/{query['id']}/export").raise_for_status().text
    told.append(exported.partition("## What was changed")[0])
    assert [each["status"] for each in query["verification"]["sentences"]] == ["supported"]
    for text in told:
        assert re.search(r"purchase date\. ?\[", text)
        assert invented not in text


def test_a_citation_that_fails_is_removed_and_the_rest_renumbered(
    groq: Stack, provider: GroqSimulator
) -> None:  # S5.5, S5.6
    groq.add_text("policy.md", POLICY, workspace="seeds")
    groq.add_text("warranty.md", WARRANTY, workspace="seeds")
    lamps = WARRANTY.removeprefix("Warranty. ").rstrip(".")
    said = f"Gift cards are sold at the desk of the town hall[†1]. {lamps}[†2]."
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=said, times=None))
    provider.go_on()
    told = answer(
        groq,
        "/query/verified",
        question=f"{QUESTION} When must returns be made, after the purchase date? Who repairs lamps?",
    ).json()
    assert told["original_answer"].startswith("Gift cards are sold at the desk of the town hall[†1].")
    assert (told["removed_citations"], told["accuracy_rate"]) == ([1], 0.5)
    body, _, references = told["corrected_answer"].partition("\n\n### References\n")
    assert body == "Broken lamps are repaired under the warranty by the service centre of the maker. [†1]"
    assert references == "- [†1] warranty.md"
    log = [(entry["citation_number"], entry["source_file"], entry["status"]) for entry in told["verification_log"]]
    assert log == [(1, "policy.md", "inaccurate"), (2, "warranty.md", "accurate")]


def test_a_wrong_figure_is_in_the_log_and_not_in_the_corrected_answer(
    groq: Stack, provider: GroqSimulator
) -> None:  # S5.6, N5
    groq.add_text("policy.md", POLICY, workspace="seeds")
    provider.fail(Fault(kind=FaultKind.LYING, match="\ngenerate_answer\n", times=None))
    told = answer(groq, "/query/verified", question=QUESTION).json()
    assert "30 days" not in told["original_answer"]
    assert "30 days" in told["corrected_answer"]
    assert [entry["status"] for entry in told["verification_log"]] == ["inaccurate"]
    assert told["accuracy_rate"] == 0.0


def test_a_provider_that_answers_nothing_is_a_502(groq: Stack, provider: GroqSimulator) -> None:
    groq.add_text("policy.md", POLICY, workspace="seeds")
    provider.fail(Fault(kind=FaultKind.FORBIDDEN, match="\ngenerate_answer\n", times=None))
    response = groq.http.post("/chat", json={"prompt": QUESTION, "workspace": "seeds"})
    assert (response.status_code, response.headers["content-type"]) == (502, "application/problem+json")
    kept = history_of(groq, response)
    assert response.json()["code"] == kept["error"]["code"]
    assert response.json()["detail"] == kept["error"]["message"]
