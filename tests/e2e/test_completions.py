"""Whole stacks with OpenAI's client and with a client of S4: what is sent is what was verified."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from openai import OpenAI

from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

pytestmark = pytest.mark.slow

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
WARRANTY = "Warranty. Broken lamps are repaired under the warranty by the service centre of the maker."
QUESTION = "Within how many days must returns be made?"
WORKSPACE = "completions"


def create(stack: Stack, question: str, *before: str, beside: dict[str, Any] | None = None, **over: Any) -> Any:
    """`before` are the turns of user and assistant, alternating; `beside` are fields that OpenAI's client does not
    know."""
    said = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(before)]
    messages = [*said, {"role": "user", "content": question}]
    key = stack.http.post("/v1/keys", json={"name": "chat", "scopes": ["read", "ask"]}).raise_for_status().json()["key"]
    with OpenAI(base_url=f"{stack.supervisor.url}/v1", api_key=key, timeout=60) as client:
        ask: Callable[..., Any] = client.chat.completions.create
        plain = {"citewell": {"links": False}, **(beside or {})}
        answer = ask(model=WORKSPACE, messages=messages, extra_body=plain, **over)
        return list(answer) if over.get("stream") else answer


def events(stack: Stack, question: str) -> list[dict[str, Any]]:
    response = stack.http.post("/api/query", json={"query": question, "workspace": WORKSPACE}).raise_for_status()
    lines = [line for line in response.text.splitlines() if line.startswith("data: ")]
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def test_a_workspace_is_a_model(offline: Stack) -> None:  # N9
    offline.add_text("policy.md", POLICY, workspace=WORKSPACE)
    completion = create(offline, QUESTION)
    answer, references, line = completion.choices[0].message.content.split("\n\n")
    proof = completion.model_extra["citewell"]
    query = offline.http.get(proof["links"]["self"]).json()
    assert "30 days" in answer
    assert answer == query["answer"]
    assert references == "- [1] policy.md"
    claims = [sentence for sentence in proof["verification"]["sentences"] if sentence["status"] != "no_claim"]
    assert {claim["status"] for claim in claims} == {"supported"}
    assert line == f"{query['signal']['word']}. {query['signal']['reason']}"
    assert proof["signal"] == query["signal"]
    assert proof["verification"] == query["verification"]
    chunks = create(offline, QUESTION, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == completion.choices[0].message.content
    assert create(offline, "What does a unicorn weigh?").choices[0].message.content == (
        "I don't know based on the documents."
    )


def test_a_question_is_understood_from_the_conversation(offline: Stack) -> None:  # N9, N6
    offline.add_text("policy.md", POLICY, workspace=WORKSPACE)
    assert create(offline, "And for lamps?").choices[0].message.content == "I don't know based on the documents."
    completion = create(offline, "By when?", QUESTION, "Within 30 days [1].", stream=False)
    proof = completion.model_extra["citewell"]
    assert proof["restated_question"] == "By when must returns be made (days)?"
    assert "30 days" in completion.choices[0].message.content
    query = offline.http.get(proof["links"]["self"]).json()
    assert (query["question"], query["restated_question"]) == ("By when?", proof["restated_question"])
    told = [event["type"] for event in offline.http.get(proof["links"]["verifications"]).json()["events"]]
    assert "question_restated" in told


def test_an_attached_file_answers_and_is_found_by_no_other_question(offline: Stack) -> None:  # N9, issue 44
    offline.add_text("policy.md", POLICY, workspace=WORKSPACE)
    clauses = (
        f"Clause {n}. The fee of item {n} is {n * 13 % 977} euros, payable to the treasurer." for n in range(4_500)
    )
    long = "\n\n".join(clauses) + "\n\nThe caretaker of the north gate is Imogen\x00 Blackwood."
    ferry = "The ferry Kestrel carries 38 cars.\nIt sails at 07:40."
    asked = "Who is the caretaker of the north gate, and how many cars does the ferry Kestrel carry?"
    content = create(
        offline,
        f"### Task:\nRespond.\n\n### Guidelines:\n- Cite.\n\n<context>\n"
        f'<source id="1" name="rules.txt">{long}</source>\n<source id="2" name="ferry.txt">{ferry}</source>\n</context>'
        f"\n{asked}",
    )
    proof = content.model_extra["citewell"]
    assert "Imogen Blackwood" in content.choices[0].message.content
    assert "38 cars" in content.choices[0].message.content
    assert {citation["document_name"] for citation in proof["citations"]} == {"rules.txt", "ferry.txt"}
    for citation in proof["citations"]:
        text = offline.http.get(citation["links"]["original"]).raise_for_status().text
        assert text[citation["source_start"] : citation["source_end"]] == citation["text_span"]
    query = offline.http.get(proof["links"]["self"]).json()
    assert (query["question"], query["standing"]["state"]) == (asked, "valid")
    assert offline.http.get(f"{proof['links']['self']}/audit/check").json()["intact"]
    accepted = offline.http.post(f"{proof['links']['self']}/reverify", json={}).raise_for_status().json()
    again = offline.http.get(accepted["links"]["self"], params={"wait": 60}).raise_for_status().json()
    assert {sentence["status"] for sentence in again["sentences"]} == {"supported"}
    assert create(offline, "Who is the caretaker of the north gate?").model_extra["citewell"]["abstained"]
    lines = [{"title": f"{n}.txt", "text": f"Cabin {n} has {n + 3} bunks."} for n in range(20)]
    cabin = create(offline, "How many bunks has cabin 19?", beside={"documents": lines})
    assert "22 bunks" in cabin.choices[0].message.content
    versions = [
        f'<source id="1" name="boat.txt">\nThe boat leaves at {hour}.\n</source>\nWhen does the boat leave?'
        for hour in ("07:30", "09:45")
    ]
    newer = create(offline, versions[1], versions[0], "At 07:30.").choices[0].message.content
    assert "09:45" in newer
    assert "07:30" not in newer
    with OpenAI(base_url=f"{offline.supervisor.url}/v1", api_key="none", timeout=60) as client:
        told = client.responses.create(
            model=WORKSPACE,
            input="Summarise the attached file.",
            instructions=f"[CONTEXT 0]:\n{ferry}\n[END CONTEXT 0]",
        )
    assert "38 cars" in told.output_text
    assert "07:40" in told.output_text
    annotations = told.model_dump()["output"][0]["content"][0]["annotations"]
    assert {annotation["title"] for annotation in annotations} == {"Text 1"}
    assert (told.model_extra or {})["citewell"]["attached_texts"] == ["Text 1"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_removed_statement_is_never_sent(groq: Stack, provider: GroqSimulator, stream: bool) -> None:  # N9, N5, S5.5
    """Of documents of the workspace, and in a stream of texts that came with the question."""
    texts = {"policy.md": POLICY, "warranty.md": WARRANTY}
    over = {"documents": [{"title": name, "text": text} for name, text in texts.items()]} if stream else {}
    for name, text in texts.items():
        groq.add_text(name, text if not stream else "Another text.", workspace=WORKSPACE)
    lamps = WARRANTY.removeprefix("Warranty. ").rstrip(".")
    said = f"Gift cards are sold at the desk of the town hall[†1]. {lamps}[†2]."
    provider.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=said, times=None))
    provider.go_on()
    told = create(
        groq,
        f"{QUESTION} When must returns be made, after the purchase date? Who repairs lamps?",
        stream=stream,
        beside=over,
    )
    if stream:
        content = "".join(chunk.choices[0].delta.content or "" for chunk in told)
        proof = told[-1].model_extra["citewell"]
    else:
        content, proof = told.choices[0].message.content, told.model_extra["citewell"]
    query = groq.http.get(proof["links"]["self"]).json()
    assert "Gift cards" in query["original_answer"]
    assert content == (
        "Broken lamps are repaired under the warranty by the service centre of the maker. [1]\n\n- [1] warranty.md\n\n"
        f"{query['signal']['word']}. {query['signal']['reason']} 1 citation removed."
    )
    assert query["signal"]["level"] == "amber"
    assert proof["removed_citations"] == [1]
    assert [citation["document_name"] for citation in proof["citations"]] == ["warranty.md"]


def test_the_streamed_seed(groq: Stack) -> None:  # S4.2, S4.3
    groq.add_text("policy.md", POLICY, workspace=WORKSPACE)
    *pieces, last = events(groq, QUESTION)
    query_id = groq.http.get("/v1/queries", params={"workspace": WORKSPACE}).json()["queries"][0]["id"]
    query = groq.wait(query_id)
    assert {piece["type"] for piece in pieces} == {"stream"}
    assert "".join(piece["data"] for piece in pieces).strip() == query["original_answer"]
    assert list(last) == ["type", "data", "sources", "citations"]
    assert (last["type"], last["data"], last["sources"]) == ("final", query["answer"], query["sources"])
    assert last["citations"][0]["citation_type"] in {"direct_quote", "paraphrase", "inference"}
    assert "30 days" in last["citations"][0]["text_span"]


def test_the_streamed_seed_without_a_model(offline: Stack) -> None:  # S4.3
    offline.add_text("policy.md", POLICY, workspace=WORKSPACE)
    *pieces, last = events(offline, QUESTION)
    assert pieces
    assert "30 days" in "".join(piece["data"] for piece in pieces)
    assert "30 days" in last["data"]


def test_a_provider_that_answers_nothing_ends_the_seeds_stream(groq: Stack, provider: GroqSimulator) -> None:  # S4.3
    groq.add_text("policy.md", POLICY, workspace=WORKSPACE)
    provider.fail(Fault(kind=FaultKind.FORBIDDEN, match="\ngenerate_answer\n", times=None))
    (told,) = events(groq, QUESTION)
    assert told["type"] == "error"
    assert "gpt-oss" in told["data"]


def test_a_conversation_of_six_turns_with_openais_client(groq: Stack) -> None:  # N9
    groq.add_text("policy.md", POLICY, workspace=WORKSPACE)
    questions = [
        QUESTION,
        "Is a receipt required for it?",
        "How are refunds paid?",
        "And when?",
        "To which method?",
        "Why?",
    ]
    metadata: dict[str, str] = {"conversation_id": "new"}
    told: list[dict[str, Any]] = []
    with OpenAI(base_url=f"{groq.supervisor.url}/v1", api_key="not-needed", timeout=60) as client:
        ask: Callable[..., Any] = client.chat.completions.create
        for question in questions:
            messages = [{"role": "user", "content": question}]
            chunks = list(ask(model=WORKSPACE, messages=messages, metadata=metadata, stream=True))
            told.append(next(chunk.model_extra["citewell"] for chunk in chunks if "citewell" in chunk.model_extra))
            metadata = {"conversation_id": told[-1]["conversation_id"]}
    assert len({each["conversation_id"] for each in told}) == 1
    assert [each["restated_question"] is None for each in told] == [True, *[False] * 5]
    turns = groq.http.get(f"/v1/conversations/{metadata['conversation_id']}/turns").json()["turns"]
    assert [(each["position"], each["question"]) for each in turns] == list(enumerate(questions, start=1))
