"""OpenAI's Responses API with its official client, with only its address changed (N9, issue 44)."""

import asyncio
import uuid
from collections.abc import Callable, Generator
from typing import Any

import httpx
import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from sqlalchemy import select

from db.models import Query
from db.session import transaction
from domain.keys import Scope
from tests.api.standing_in import worker
from tests.keys import make_key
from tests.stored import abstain, complete, fail
from tests.waiting import until
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("default_workspace")

ANSWER = "A product can be returned within 30 days [1]. Have a nice day."
IDK = "I don't know based on the documents."
NAMES = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.annotation.added",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
]


@pytest.fixture
def client(api_url: str, database: str) -> Generator[OpenAI]:
    assert database
    with OpenAI(base_url=f"{api_url}/v1", api_key=make_key(Scope.READ, Scope.ASK), timeout=15) as made:
        yield made


def create(client: OpenAI | AsyncOpenAI, input_: Any = "How long?", **over: Any) -> Any:
    asked: Callable[..., Any] = client.responses.create
    return asked(**{"model": "default", "input": input_, **over})


def questions(http: httpx.Client) -> list[str]:
    return [query["question"] for query in http.get("/v1/queries").json()["queries"]]


def test_the_text_has_its_citations_as_annotations(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, complete):
        response = create(client, instructions="Be brief.", metadata={"ticket": "7"})
    assert response.output_text == ANSWER
    assert (response.status, response.error, response.model) == ("completed", None, "default")
    assert (response.instructions, response.metadata, response.store) == ("Be brief.", {"ticket": "7"}, True)
    (message,) = response.output
    (cited,) = message.content[0].annotations
    assert cited.type == "url_citation"
    assert response.output_text[cited.start_index : cited.end_index] == "[1]"
    assert cited.title == "환불 policy.pdf, p.1"
    assert (cited.model_extra["document_name"], cited.model_extra["page_number"]) == ("환불 policy.pdf", 1)
    assert f"/#/document/{cited.model_extra['document_id']}?start=" in cited.url
    assert (response.usage.input_tokens, response.usage.output_tokens, response.usage.total_tokens) == (900, 70, 970)
    proof = response.model_extra["citewell"]
    assert response.id == f"resp_{proof['query_id']}"
    assert proof["removed_citations"] == [2]
    assert client.responses.retrieve(response.id).to_dict() == response.to_dict()


def test_links_and_references_are_there_when_asked_for(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, complete):
        response = create(client, extra_body={"citewell": {"links": True, "append": "references"}})
    (cited,) = response.output[0].content[0].annotations
    assert response.output_text[cited.start_index : cited.end_index] == f"[[1]]({cited.url})"
    assert response.output_text.endswith("환불 policy.pdf, p.1")


def test_the_events_have_openais_names_in_openais_order(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, complete):
        events = list(create(client, stream=True))
    assert list(dict.fromkeys(event.type for event in events)) == NAMES
    assert [event.sequence_number for event in events] == list(range(len(events)))
    deltas = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    last = events[-1].response
    assert deltas == last.output_text == ANSWER
    stored = client.responses.retrieve(last.id)
    assert stored.output == last.output
    again = list(client.responses.retrieve(last.id, stream=True))
    assert [event.type for event in again] == [event.type for event in events]


def test_the_stream_helper_and_the_asynchronous_client(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, complete), client.responses.stream(model="default", input="How long?") as stream:
        snapshots = [event.snapshot for event in stream if event.type == "response.output_text.delta"]
        assert stream.get_final_response().output_text == snapshots[-1] == ANSWER

    async def said() -> str:
        async with AsyncOpenAI(base_url=client.base_url, api_key=client.api_key, timeout=15) as other:
            return (await create(other)).output_text

    with worker(http, abstain):
        assert asyncio.run(said()) == IDK


def test_a_response_in_the_background_is_a_job(http: httpx.Client, client: OpenAI) -> None:
    begun = create(client, background=True)
    assert (begun.status, begun.output, begun.background) == ("queued", [], True)
    with worker(http, complete):
        *_, last = client.responses.retrieve(begun.id, stream=True)
    assert last.type == "response.completed"
    assert last.response.output_text == ANSWER
    assert client.responses.cancel(begun.id).status == "completed"
    other = create(client, background=True)
    assert client.responses.cancel(other.id).status == "cancelled"
    assert client.responses.cancel(other.id).status == "cancelled"


def test_leaving_a_stream_cancels_its_question_unless_it_is_in_the_background(http: httpx.Client) -> None:
    def states() -> dict[str, str]:
        return {query["question"]: query["status"] for query in http.get("/v1/queries").json()["queries"]}

    for question, background in (("Long in work?", True), ("How long?", False)):
        body = {"model": "default", "input": question, "stream": True, "background": background}
        with http.stream("POST", "/v1/responses", json=body) as stream:
            assert next(stream.iter_lines()) == "event: response.created"
    until(lambda: states()["How long?"] == "cancelled")
    assert states()["Long in work?"] == "queued"


def test_what_is_deleted_or_not_stored_is_not_found(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, complete):
        response = create(client)
    client.responses.delete(response.id)
    for ask in (client.responses.retrieve, client.responses.cancel, client.responses.delete):
        with pytest.raises(openai.NotFoundError, match="There is no response with that id"):
            ask(response.id)
    with pytest.raises(openai.BadRequestError) as unknown:
        create(client, previous_response_id=response.id)
    assert (unknown.value.code, unknown.value.param) == ("previous_response_not_found", "previous_response_id")
    with worker(http, abstain):
        unstored = create(client, store=False)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(unstored.id)
    # Their audit stays.
    assert len(questions(http)) == 2
    with pytest.raises(openai.UnprocessableEntityError, match="must be the id of a response"):
        client.responses.retrieve("gpt")
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(f"resp_{uuid.uuid4()}")


def test_a_previous_response_makes_a_conversation_and_a_second_one_after_it_a_branch(
    http: httpx.Client, client: OpenAI
) -> None:
    with worker(http, complete):
        first = create(client, "How long do returns take?")
    assert first.conversation is None
    with worker(http, abstain):
        second = create(client, "And opened items?", previous_response_id=first.id)
    assert second.previous_response_id == first.id
    conversation = http.get(f"/v1/conversations/{second.conversation.id}").raise_for_status().json()
    assert conversation["turns"] == 2
    branch = create(client, "And sales?", previous_response_id=first.id, background=True)
    assert branch.conversation is None
    with transaction() as session:
        options = session.scalar(select(Query.options).where(Query.question == "And sales?")) or {}
    assert [turn["text"] for turn in options["conversation"]] == ["How long do returns take?", ANSWER]


def test_a_conversation_can_be_named(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, complete):
        first = create(client, conversation="new")
    with worker(http, abstain):
        second = create(client, conversation={"id": first.conversation.id})
    assert second.conversation == first.conversation


def test_a_question_after_an_unfinished_response_has_to_wait(client: OpenAI) -> None:
    begun = create(client, background=True)
    with pytest.raises(openai.ConflictError, match="still in work"):
        create(client, previous_response_id=begun.id)


def test_a_list_of_items_is_a_conversation(http: httpx.Client, client: OpenAI) -> None:
    items: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_text", "text": "How long do returns take?"}]},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "30 days [1].", "annotations": []}],
        },
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "4"},
        {"role": "user", "content": [{"type": "input_text", "text": "And opened items?"}]},
    ]
    with worker(http, complete):
        create(client, items)
    assert questions(http) == ["And opened items?"]


def test_a_failure_in_a_stream_is_its_last_event(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, fail):
        events = list(create(client, stream=True))
    assert [event.type for event in events] == ["response.created", "response.in_progress", "response.failed"]
    failed = events[-1].response
    assert (failed.status, failed.error.code) == ("failed", "server_error")
    assert "No model of the chain answered" in failed.error.message
    assert client.responses.retrieve(failed.id).to_dict() == failed.to_dict()


@for_all_rows(
    ("over", "param", "why"),
    [
        ({"tools": [{"type": "web_search"}]}, "tools", "web_search cannot be used"),
        ({"tool_choice": "required"}, "tool_choice", "tools are never called"),
        ({"prompt": {"id": "pmpt_1"}}, "prompt", "no prompts are stored here"),
        ({"top_logprobs": 3}, "top_logprobs", "there are no log probabilities"),
        ({"text": {"format": {"type": "grammar"}}}, "text", "text, json_object or json_schema"),
        ({"input_": []}, "input", "no question"),
        ({"input_": "!?"}, "input", "The question is empty"),
        ({"input_": 5}, "input", "input: should be a valid string or a valid list"),
        (
            {"text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}}},
            "text",
            "An answer by a schema needs",
        ),
        ({"input_": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]}, "input", "text"),
        ({"input_": [{"role": "user", "content": [{"type": "input_file", "file_id": "x"}]}]}, "input", "text"),
        ({"previous_response_id": "x"}, "previous_response_id", "must be the id of a response"),
        ({"conversation": "conv_1"}, "conversation", "id of a conversation"),
        ({"background": True, "store": False}, None, "background needs store"),
        ({"metadata": {str(n): "x" for n in range(17)}}, "metadata", "16"),
    ],
)
def test_what_cannot_be_done_is_said_in_openais_form(
    client: OpenAI, over: dict[str, Any], param: str | None, why: str
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        create(client, **over)
    assert why in refused.value.message
    assert refused.value.type == "invalid_request_error"
    if param:
        assert (refused.value.param or "").split(".")[0] == param


def test_what_has_no_meaning_here_is_ignored(http: httpx.Client, client: OpenAI) -> None:
    with worker(http, complete):
        response = create(
            client,
            temperature=0.2,
            top_p=1,
            max_output_tokens=50,
            reasoning={"effort": "low"},
            truncation="auto",
            parallel_tool_calls=True,
            include=["reasoning.encrypted_content"],
            service_tier="auto",
            user="u",
            tools=[{"type": "function", "name": "f", "parameters": {}, "strict": True}],
            tool_choice="auto",
        )
    assert response.output_text == ANSWER


def test_an_unknown_model_and_a_wrong_key(client: OpenAI, api_url: str) -> None:
    with pytest.raises(openai.NotFoundError) as unknown:
        create(client, model="gpt-5")
    assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")
    with OpenAI(base_url=f"{api_url}/v1", api_key="cw_other", timeout=15) as other:
        with pytest.raises(openai.AuthenticationError, match="no key of Citewell"):
            create(other)
        with pytest.raises(openai.AuthenticationError):
            other.responses.retrieve(f"resp_{uuid.uuid4()}")
