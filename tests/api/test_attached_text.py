"""A text that a chat program sends beside the question is refused with a sentence, not searched for (issue 44, F9)."""

import httpx
import openai
import pytest
from openai import OpenAI

from tests.api.standing_in import worker
from tests.attached import ATTACHED, PLAIN, QUESTION
from tests.stored import abstain

pytestmark = pytest.mark.usefixtures("default_workspace")


@pytest.mark.parametrize("name", ATTACHED)
@pytest.mark.parametrize("stream", [False, True])
def test_attached_text_is_refused_in_a_sentence(http: httpx.Client, name: str, stream: bool) -> None:
    body = {"model": "default", "messages": ATTACHED[name], "stream": stream}
    refused = http.post("/v1/chat/completions", json=body)
    assert refused.status_code == 422, refused.text
    error = refused.json()["error"]
    assert (error["code"], error["param"]) == ("text_attached", "messages")
    assert "add it to the workspace" in error["message"]
    assert http.get("/v1/queries").json()["queries"] == []


@pytest.mark.parametrize("name", PLAIN)
def test_what_only_looks_like_it_is_asked(http: httpx.Client, name: str) -> None:
    with worker(http, abstain):
        answered = http.post("/v1/chat/completions", json={"model": "default", "messages": PLAIN[name]})
    assert answered.status_code == 200, answered.text
    (query,) = http.get("/v1/queries").json()["queries"]
    assert query["question"] == PLAIN[name][-1]["content"].strip()


def test_responses_refuse_it_as_well(api_url: str) -> None:
    prompt = ATTACHED["AnythingLLM"][0]["content"]
    with (
        OpenAI(base_url=f"{api_url}/v1", api_key="not-needed", timeout=15) as client,
        pytest.raises(openai.UnprocessableEntityError) as refused,
    ):
        client.responses.create(model="default", input=QUESTION, instructions=prompt)
    assert (refused.value.code, refused.value.param) == ("text_attached", "input")
