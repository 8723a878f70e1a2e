"""A text that a chat program sends beside the question is refused with a sentence, not searched for (issue 44, F9)."""

import httpx
import openai
import pytest
from openai import OpenAI

from domain.query.attached_text import attached_texts
from tests.api.standing_in import worker
from tests.attached import ATTACHED, BODY, IN_PARTS, PLAIN, QUESTION
from tests.stored import abstain
from verify_material.rows import for_all_rows

pytestmark = pytest.mark.usefixtures("default_workspace")


@for_all_rows("name", [*ATTACHED, *IN_PARTS])
@for_all_rows("stream", [False, True])
def test_attached_text_is_refused_in_a_sentence(http: httpx.Client, name: str, stream: bool) -> None:
    body = {"model": "default", "messages": (ATTACHED | IN_PARTS)[name], "stream": stream}
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


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses"])
def test_documents_beside_a_question_are_refused_and_empty_ones_are_none(http: httpx.Client, path: str) -> None:
    asked = {"model": "default", "messages": PLAIN["a question"], "input": QUESTION}
    refused = http.post(path, json=asked | {"documents": [BODY]})
    assert refused.status_code == 422, refused.text
    assert refused.json()["error"]["param"] == "documents"
    assert "/v1/guard" in refused.json()["error"]["message"]
    with worker(http, abstain):
        assert http.post(path, json=asked | {"documents": []}).status_code == 200


IN_TAGS = (
    f'<documents><document index="1">\n<source>rules.md</source>\n<body>\n{BODY}\n</body>\n</document></documents>'
)


@for_all_rows("name", ATTACHED)
def test_the_guard_reads_the_texts_without_what_is_said_around_them(name: str) -> None:
    told = [
        text
        for message in ATTACHED[name]
        for text in attached_texts(
            message["content"] if isinstance(message["content"], str) else message["content"][0]["text"],
            is_question=message["role"] == "user",
        )
    ]
    assert told
    assert {text for _, text in told} <= {BODY, "Visitors must sign in at the desk.", "방문객은 안내대에서 서명합니다."}


def test_a_text_has_the_name_of_its_file_and_nothing_else_is_one() -> None:
    assert attached_texts(f"{IN_TAGS}\n{QUESTION}", is_question=True) == [("rules.md", BODY)]
    lines = '<context>\n<source id="1" name="a">Dogs wait.</source>\n<source id="2">Cats do.</source>\n</context>'
    assert attached_texts(lines, is_question=True) == [("a", "Dogs wait."), (None, "Cats do.")]
    listed = "A file:\n<file>\n<filename>rules.md</filename>\n<type>text/markdown</type>\n</file>"
    assert attached_texts(listed, is_question=True) == []
    plain = [text for messages in PLAIN.values() for message in messages for text in [message["content"]]]
    assert not any(attached_texts(text, is_question=False) for text in plain)
