"""The official client of OpenAI, with only its address changed (N9)."""

import asyncio
from collections.abc import Callable, Generator
from typing import Any

import httpx
import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from domain.keys import Scope
from tests.api.standing_in import worker
from tests.keys import make_key
from tests.stored import abstain, complete, fail

pytestmark = pytest.mark.usefixtures("default_workspace")

CONTENT = (
    "A product can be returned within 30 days [1]. Have a nice day.\n\n- [1] 환불 policy.pdf, p.1\n\n"
    "Copied from the documents. About 9 of 10 answers that share so much with their question were right. "
    "1 citation removed."
)


@pytest.fixture
def key(database: str) -> str:
    """OpenAI's client requires one."""
    assert database
    return make_key(Scope.READ, Scope.ASK)


@pytest.fixture
def client(api_url: str, key: str) -> Generator[OpenAI]:
    with OpenAI(base_url=f"{api_url}/v1", api_key=key, timeout=30) as made:
        yield made


def ask(client: OpenAI | AsyncOpenAI, model: str = "default", **over: Any) -> Any:
    create: Callable[..., Any] = client.chat.completions.create
    options = {"links": False, **over.pop("citewell", {})}
    return create(
        model=model,
        messages=[{"role": "user", "content": "How long?"}],
        extra_body={"citewell": options},
        **over,
    )


def count(http: httpx.Client) -> int:
    return len(http.get("/v1/queries").json()["queries"])


def test_plain(http: httpx.Client, client: OpenAI) -> None:  # N9
    with worker(http, complete):
        completion = ask(client)
    assert completion.choices[0].message.content == CONTENT
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage
    assert completion.usage.total_tokens == 970
    proof = completion.model_extra["citewell"]
    assert proof["removed_citations"] == [2]
    assert [citation["number"] for citation in proof["citations"]] == [1]
    assert completion.id == f"chatcmpl-{proof['query_id']}"


def test_extra_body(http: httpx.Client, client: OpenAI) -> None:  # N9
    with worker(http, complete):
        completion = ask(client, citewell={"append": "none"})
    assert completion.choices[0].message.content == CONTENT.partition("\n")[0]


def test_streaming(http: httpx.Client, client: OpenAI) -> None:  # N9
    with worker(http, complete):
        chunks = list(ask(client, stream=True, stream_options={"include_usage": True}))
    *spoken, usage = chunks
    assert "".join(chunk.choices[0].delta.content or "" for chunk in spoken) == CONTENT
    assert spoken[0].choices[0].delta.role == "assistant"
    assert spoken[-1].choices[0].finish_reason == "stop"
    assert spoken[-1].model_extra["citewell"]["references"] == ["[1] 환불 policy.pdf, p.1"]
    assert usage.choices == []
    assert usage.usage
    assert usage.usage.prompt_tokens == 900


def test_async(http: httpx.Client, api_url: str, key: str) -> None:  # N9
    async def spoken() -> list[str]:
        async with AsyncOpenAI(base_url=f"{api_url}/v1", api_key=key, timeout=30) as client:
            stream = await ask(client, stream=True)
            return [chunk.choices[0].delta.content or "" async for chunk in stream]

    with worker(http, complete):
        assert "".join(asyncio.run(spoken())) == CONTENT


def test_errors_have_their_message(http: httpx.Client, client: OpenAI) -> None:  # N9
    with pytest.raises(openai.NotFoundError) as unknown:
        ask(client, "gpt-4o")
    assert (unknown.value.code, unknown.value.param) == ("model_not_found", "model")
    assert "There is no model 'gpt-4o'" in unknown.value.message
    with pytest.raises(openai.UnprocessableEntityError, match="a question has one answer"):
        ask(client, n=2)
    assert count(http) == 0


def test_a_failed_question_is_not_asked_again(http: httpx.Client, client: OpenAI) -> None:  # N9
    with (
        worker(http, fail),
        pytest.raises(openai.InternalServerError, match="No model of the chain answered") as failed,
    ):
        ask(client)
    assert failed.value.status_code == 502
    assert count(http) == 1


def test_a_failure_in_a_stream_is_raised(http: httpx.Client, client: OpenAI) -> None:  # N9
    with worker(http, fail), pytest.raises(openai.APIError, match="No model of the chain answered") as failed:
        list(ask(client, stream=True))
    assert failed.value.code == "generation_failed"


def test_models(client: OpenAI) -> None:  # N9
    assert [model.id for model in client.models.list()] == ["default"]
    assert client.models.retrieve("citewell/default:high").id == "default:high"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-4o")


def test_a_wrong_key_is_told_as_such(api_url: str) -> None:  # N9, A8
    with (
        OpenAI(base_url=f"{api_url}/v1", api_key="cw_of_somebody_else", timeout=30) as client,
        pytest.raises(openai.AuthenticationError, match="no key of Citewell") as refused,
    ):
        ask(client)
    assert refused.value.type == "authentication_error"


def test_a_conversation_goes_on_by_metadata(http: httpx.Client, client: OpenAI) -> None:  # N9
    with worker(http, complete):
        first = ask(client, metadata={"conversation_id": "new"})
    with worker(http, abstain):
        second = ask(client, metadata=first.metadata)
    assert second.metadata == first.metadata
    found = http.get(f"/v1/conversations/{first.metadata['conversation_id']}").json()
    assert found["turns"] == 2
