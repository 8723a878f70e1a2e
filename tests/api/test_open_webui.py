"""The requests of Open WebUI, as it sends them: only what somebody asks becomes a question (N9)."""

import json
from typing import Any

import httpx
import pytest

from tests import open_webui
from tests.api.standing_in import worker
from tests.api.test_completions import PATH, Json, events, queries
from tests.stored import complete

pytestmark = pytest.mark.usefixtures("default_workspace")

ASKED = "How long?"
HISTORY = f"USER: {ASKED}\nASSISTANT: "


def sent(http: httpx.Client, body: Json) -> httpx.Response:
    return http.post(PATH, json=body, headers=open_webui.HEADERS)


def test_a_question_and_all_that_it_sends_beside_it(http: httpx.Client) -> None:  # N9
    assert [each["id"] for each in http.get("/v1/models").json()["data"]] == ["default"]
    title = sent(http, open_webui.title("default", HISTORY)).json()
    assert json.loads(title["choices"][0]["message"]["content"]) == {"title": ASKED}
    assert (title["citewell"], title["usage"]["total_tokens"]) == (None, 0)
    with worker(http, complete):
        first = content_of(sent(http, open_webui.question("default", ASKED)))
    for aside in (open_webui.follow_ups, open_webui.tags):
        assert sent(http, aside("default", f"{HISTORY}{first}")).status_code == 200
    assert [each["question"] for each in queries(http)] == [ASKED]


def content_of(response: httpx.Response) -> str:
    return "".join(each["choices"][0]["delta"].get("content", "") for each in events(response.text))


def test_its_list_of_sources_opens_each_at_its_place(http: httpx.Client) -> None:  # N9
    with worker(http, complete):
        told = events(sent(http, open_webui.question("default", ASKED)).text)
    content = "".join(each["choices"][0]["delta"].get("content", "") for each in told)
    (cited,) = told[-1]["choices"][0]["delta"]["annotations"]
    place: dict[str, Any] = cited["url_citation"]
    assert cited["type"] == "url_citation"
    assert place["title"] == "환불 policy.pdf, p.1"
    assert content[place["start_index"] : place["end_index"]] == f"[[1]]({place['url']})"
    assert place["url"].startswith(f"{str(http.base_url).rstrip('/')}/#/document/")


def test_the_same_without_a_stream(http: httpx.Client) -> None:  # N9
    with worker(http, complete):
        message = sent(http, open_webui.question("default", ASKED) | {"stream": False}).json()["choices"][0]["message"]
    (cited,) = message["annotations"]
    place = cited["url_citation"]
    assert message["content"][place["start_index"] : place["end_index"]] == f"[[1]]({place['url']})"


def test_a_request_about_the_chat_can_be_streamed(http: httpx.Client) -> None:  # N9
    body = open_webui.title("default", HISTORY) | {"stream": True, "stream_options": {"include_usage": True}}
    response = sent(http, body)
    assert response.headers["content-type"].startswith("text/event-stream")
    *chunks, usage = events(response.text)
    assert chunks[0]["choices"][0]["delta"]["content"] == json.dumps({"title": ASKED})
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert usage["usage"]["total_tokens"] == 0
    assert queries(http) == []


def test_of_a_workspace_that_is_not_there_nothing_is_told(http: httpx.Client) -> None:  # N9
    told = sent(http, open_webui.title("nowhere", HISTORY))
    assert (told.status_code, told.json()["error"]["code"]) == (404, "model_not_found")
