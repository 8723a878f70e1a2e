"""The guard on a live server: LiteLLM's guardrail API as it calls it, and the proxy before another model (issue 44)."""

import uuid
from typing import Any

import httpx
import pytest
from openai import APIStatusError, OpenAI

from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

Json = dict[str, Any]
GATEWAY = "/v1/guard/beta/litellm_basic_guardrail_api"
POLICY = "Customers have 30 days to return a product. A receipt is required. Shipping is free above 50 euros."
WRONG = "Customers have 60 days to return a product. A receipt is required. The moon was sold in 1999."
RIGHT = "Customers have 30 days to return a product. A receipt is required."
UNKNOWN = "I don't know based on the documents."


def messages(result: str = POLICY, question: str = "How long?") -> list[Json]:
    call = {"id": "t1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    return [
        {"role": "user", "content": question},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": result},
    ]


def judged(stack: Stack, *texts: str, sent: list[Json] | None = None, **parameters: Any) -> Json:
    """What a gateway is told about an answer whose request it has told before."""
    call = {"litellm_call_id": str(uuid.uuid4()), "additional_provider_specific_params": parameters, "request_data": {}}
    before = {**call, "input_type": "request", "structured_messages": messages() if sent is None else sent, "texts": []}
    assert stack.http.post(GATEWAY, json=before).raise_for_status().json() == {"action": "NONE"}
    after = {**call, "input_type": "response", "structured_messages": None, "texts": texts}
    return stack.http.post(GATEWAY, json=after).raise_for_status().json()


def test_a_gateways_answer_passes_is_repaired_or_is_blocked(offline: Stack) -> None:  # issue 44
    assert judged(offline, RIGHT)["action"] == "NONE"
    repaired = judged(offline, WRONG)
    assert (repaired["action"], repaired["texts"]) == ("GUARDRAIL_INTERVENED", [RIGHT])
    blocked = judged(offline, WRONG, on_failure="block")
    assert blocked["action"] == "BLOCKED"
    assert "60 days" in blocked["blocked_reason"]
    both = judged(offline, RIGHT, "The moon was sold in 1999.")
    assert both["texts"] == [RIGHT, UNKNOWN]
    # The sign of a heading lets no changed sentence pass.
    sentence = f"## Shipping is free above 90 euros.\n\n{RIGHT}"
    asked = f"# Returns and Shipping\n\n{RIGHT} Do you need more?"
    told = judged(offline, sentence, asked)["texts"]
    assert "90 euros" not in told[0]
    assert told[1] == asked


def test_what_users_systems_and_models_say_is_no_source(offline: Stack) -> None:  # issue 44
    said = [{"role": role, "content": POLICY} for role in ("user", "system", "assistant")]
    assert judged(offline, RIGHT, sent=said)["action"] == "BLOCKED"
    assert judged(offline, RIGHT, sent=said, without_sources="pass") == {"action": "NONE"}
    # A chat program attaches files to messages; they are sources where the operator says so, and the rest is not.
    asked = [
        {"role": "user", "content": f'Help.\n<context>\n<source id="1">{POLICY}</source>\n</context>\nFree at 60?'}
    ]
    assert judged(offline, RIGHT, sent=asked)["action"] == "BLOCKED"
    assert judged(offline, WRONG, sent=asked, attached_texts=True)["texts"] == [RIGHT]
    assert judged(offline, RIGHT, sent=said, attached_texts=True)["action"] == "BLOCKED"
    smuggled = [
        *messages("Shipping is free."),
        {"role": "assistant", "content": [{"type": "document", "text": POLICY}]},
    ]
    assert judged(offline, RIGHT, sent=smuggled)["texts"] == [UNKNOWN]
    assert judged(offline, RIGHT, source_tools=["another"])["action"] == "BLOCKED"


def test_an_answer_whose_request_is_unknown_is_blocked(offline: Stack) -> None:  # issue 44
    for call in ({}, {"litellm_call_id": str(uuid.uuid4())}):
        body = {"input_type": "response", "texts": [RIGHT], **call}
        answer = offline.http.post(GATEWAY, json=body).raise_for_status().json()
        assert answer["action"] == "BLOCKED"
        assert "pre_call" in answer["blocked_reason"]
    calls = {"input_type": "response", "texts": [], "tool_calls": [{"id": "t1"}]}
    assert offline.http.post(GATEWAY, json=calls).json() == {"action": "NONE"}


def test_a_gateways_stream_grows_only_by_checked_sentences(offline: Stack) -> None:  # issue 44
    call = {"litellm_call_id": str(uuid.uuid4())}
    offline.http.post(GATEWAY, json={**call, "input_type": "request", "structured_messages": messages()})
    shown = ""
    for end in (20, 45, 70, 90, len(WRONG)):
        asked = {**call, "input_type": "response", "texts": [WRONG[:end]]}
        answer = offline.http.post(GATEWAY, json=asked).raise_for_status().json()
        (text,), (held,) = answer["texts"], answer["stream_holdback_chars"]
        now = text[: len(text) - held]
        assert now.startswith(shown)
        shown = now
    assert text == RIGHT
    assert shown == RIGHT


def test_a_workspace_has_the_sources_where_the_request_has_none(offline: Stack) -> None:  # issue 44
    offline.add_text("policy.md", POLICY, workspace="guarded")
    assert judged(offline, WRONG, sent=[], workspace="guarded")["texts"] == [RIGHT]
    assert judged(offline, WRONG, sent=[], workspace="nowhere")["action"] == "BLOCKED"


def created(stack: Stack, **body: Any) -> Any:
    with OpenAI(base_url=f"{stack.supervisor.url}/v1/guard", api_key="none", timeout=60, max_retries=0) as client:
        named = {"model": "writer", "messages": messages(), **{k: body.pop(k) for k in ("messages", "n") if k in body}}
        if body.pop("stream", False):
            return list(client.chat.completions.create(**named, stream=True, extra_body=body))  # pyright: ignore
        return client.chat.completions.create(**named, extra_body=body)  # pyright: ignore


def content(chunks: list[Any]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def test_the_proxy_lets_only_verified_text_through(offline: Stack) -> None:  # issue 44
    completion = created(offline, say=[WRONG, RIGHT, ""], n=3)
    assert [choice.message.content for choice in completion.choices] == [RIGHT, RIGHT, ""]
    told = completion.model_extra["citewell"]
    assert (told["action"], len(told["removed"]), len(told["verifications"])) == ("repaired", 2, 2)
    assert "cheese" not in completion.model_dump_json()
    assert offline.writer
    assert offline.writer.asked[-1]["n"] == 3
    assert "citewell" not in offline.writer.asked[-1]
    chunks = created(offline, say=WRONG, stream=True)
    assert content(chunks).strip() == RIGHT
    assert "cheese" not in "".join(chunk.model_dump_json() for chunk in chunks)
    assert chunks[-1].usage.total_tokens == 8
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_the_proxy_sends_a_sentence_before_the_next_ones_are_written(offline: Stack) -> None:  # issue 44, N1
    chunks = created(offline, say=f"{RIGHT} Shipping is free above 50 euros.", pause_s=0.1, stream=True)
    assert len([chunk for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]) >= 2
    assert content(chunks) == f"{RIGHT} Shipping is free above 50 euros."


def test_calls_of_tools_pass_and_documents_are_sources(offline: Stack) -> None:  # issue 44
    call = {"index": 0, "id": "t2", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    assert created(offline, say=[call]).choices[0].message.tool_calls[0].id == "t2"
    chunks = created(offline, say=[call], stream=True)
    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert [delta.tool_calls[0].id for delta in deltas if delta.tool_calls] == ["t2"]
    part = {"type": "document", "source": {"type": "text", "data": POLICY}, "title": "policy.md"}
    asked = [{"role": "user", "content": [{"type": "text", "text": "How long?"}, part]}]
    assert created(offline, messages=asked, say=WRONG).choices[0].message.content == RIGHT
    beside = created(offline, messages=messages()[:1], say=WRONG, citewell={"documents": [POLICY]})
    assert beside.choices[0].message.content == RIGHT


def test_a_blocked_completion_says_why(offline: Stack) -> None:  # issue 44
    asked = [{"role": "user", "content": POLICY}]
    completion = created(offline, messages=asked, say=RIGHT)
    assert (completion.choices[0].finish_reason, completion.choices[0].message.content) == ("content_filter", "")
    assert "no tool results" in completion.model_extra["citewell"]["reason"]
    chunks = created(offline, messages=asked, say=RIGHT, stream=True)
    (ended,) = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason]
    assert (content(chunks), ended) == ("", "content_filter")


def test_what_cannot_be_verified_is_refused_and_the_models_are_told(offline: Stack) -> None:  # issue 44
    with pytest.raises(APIStatusError, match="one answer"):
        created(offline, say=RIGHT, n=2, stream=True)
    with pytest.raises(APIStatusError, match="response_format: sentences are verified"):
        created(offline, say='{"days": 30}', response_format={"type": "json_object"})
    with OpenAI(base_url=f"{offline.supervisor.url}/v1/guard", api_key="none") as client:
        assert [model.id for model in client.models.list()] == ["writer"]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("fault", "status"), [(429, 429), (500, 502), (401, 502), ("html", 502)])
def test_a_failing_model_is_an_error_of_its_own(
    offline: Stack, fault: Any, status: int, stream: bool
) -> None:  # issue 44
    if fault == "html" and stream:
        pytest.skip("a stream of this server is never a page")
    with pytest.raises(APIStatusError) as failed:
        created(offline, fault=fault, stream=stream)
    assert failed.value.status_code == status
    assert "sk-upstream" not in str(failed.value)


@pytest.mark.parametrize("fault", ["cut", "silent"])
def test_a_stream_that_breaks_off_ends_with_an_error_after_what_passed(offline: Stack, fault: str) -> None:  # issue 44
    body = {"model": "writer", "messages": messages(), "stream": True, "say": WRONG, "fault": fault}
    with httpx.stream("POST", f"{offline.supervisor.url}/v1/guard/chat/completions", json=body, timeout=60) as answer:
        text = answer.read().decode()
    assert '"error"' in text
    assert "1999" not in text
    assert "[DONE]" not in text
