"""Chat completions over plain HTTP: what is accepted, ignored, refused, and how a stream is framed (N9)."""

import json
import re
import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.answers import chat
from clients.notifications import notify_end
from config.settings import settings
from db.models import Query, StepOutcome, Verification
from db.queries.access.workspaces import add_workspace
from db.queries.runs.events import add_events
from db.session import transaction
from tests.api.problems import assert_problem
from tests.api.standing_in import Work, worker
from tests.stored import abstain, complete, fail
from verify_material.rows import for_all_rows

Json = dict[str, Any]
PATH = "/v1/chat/completions"
ANSWER = "A product can be returned within 30 days [1]. Have a nice day."
REFERENCES = "\n\n- [1] 환불 policy.pdf, p.1"
LINE = (
    "\n\nCopied from the documents. About 9 of 10 answers that share so much with their question were right. "
    "1 citation removed."
)


@pytest.fixture(autouse=True)
def _workspaces(database: str) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    with transaction() as session:
        for name in ("default", "other"):
            add_workspace(session, name)


def body(content: Any = "How long?", **over: Any) -> Json:
    """Without links, unless they are asked for."""
    options = {"links": False, **over.pop("citewell", {})}
    return {"model": "default", "messages": [{"role": "user", "content": content}], "citewell": options, **over}


def completion_of(http: httpx.Client, sent: Json, work: Work = complete) -> Json:
    with worker(http, work):
        response = http.post(PATH, json=sent)
    assert response.status_code == 200, response.text
    return response.json()


def queries(http: httpx.Client) -> list[Json]:
    return http.get("/v1/queries").raise_for_status().json()["queries"]


def events(raw: str) -> list[Json]:
    blocks = raw.split("\n\n")
    assert blocks[-2:] == ["data: [DONE]", ""]
    return [json.loads(block.removeprefix("data: ")) for block in blocks[:-2] if not block.startswith(":")]


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when the query of a disconnected client has been cancelled and its watchers notified."""
    told = threading.Event()

    def ring_and_tell(query_id: uuid.UUID) -> None:
        notify_end(query_id)
        told.set()

    monkeypatch.setattr(chat, "notify_end", ring_and_tell)
    return told


def test_the_whole_completion(http: httpx.Client) -> None:  # N9
    told = completion_of(http, body())
    query_id = told["citewell"]["query_id"]
    stored = http.get(f"/v1/queries/{query_id}").json()
    message: Json = {"role": "assistant", "content": ANSWER + REFERENCES + LINE, "refusal": None, "annotations": []}
    assert told["choices"] == [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}]
    assert told["usage"] == {"prompt_tokens": 900, "completion_tokens": 70, "total_tokens": 970}
    assert (told["id"], told["object"], told["model"]) == (f"chatcmpl-{query_id}", "chat.completion", "default")
    for name in ("citations", "references", "verification", "removed_citations", "abstained"):
        assert told["citewell"][name] == stored[name], name
    assert http.get(told["citewell"]["links"]["verifications"]).status_code == 200


@pytest.mark.parametrize(("append", "content"), [("none", ANSWER), ("references", ANSWER + REFERENCES)])
def test_what_follows_the_answer_can_be_chosen(http: httpx.Client, append: str, content: str) -> None:  # N9
    told = completion_of(http, body(citewell={"append": append}))
    assert told["choices"][0]["message"]["content"] == content


def test_the_line_is_in_the_questions_language(http: httpx.Client) -> None:  # N9
    content = completion_of(http, body("환불은 언제 됩니까?"))["choices"][0]["message"]["content"]
    assert content.endswith("열에 아홉쯤 맞았습니다. 인용 1개 삭제됨.")


def test_a_refusal_stands_alone(http: httpx.Client) -> None:  # N9, S3.4
    with worker(http, abstain):
        told = http.post(PATH, json=body()).json()
    assert told["choices"][0]["message"]["content"] == "I don't know based on the documents."
    assert told["citewell"]["abstained"] is True


def test_the_last_user_message_is_the_question(http: httpx.Client) -> None:  # N9
    parts = [{"type": "text", "text": "How "}, {"type": "text", "text": "long?"}]
    messages: list[Json] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user", "content": parts, "name": "me"},
        {"role": "assistant", "content": "Well,"},
    ]
    completion_of(http, body(messages=messages))
    assert [query["question"] for query in queries(http)] == ["How long?"]
    with transaction() as session:
        (stored,) = session.scalars(select(Query.options))
    # Nobody said anything before it in words.
    assert stored["conversation"] == []


def test_what_was_said_before_the_question_is_kept_for_its_meaning(http: httpx.Client) -> None:  # N9
    messages: list[Json] = [
        {"role": "system", "content": "Answer from your own knowledge."},
        {"role": "user", "content": "How long\ndo returns take?"},
        {"role": "assistant", "content": [{"type": "text", "text": "30 days [1]."}]},
        {"role": "user", "content": "And opened items?"},
        {"role": "assistant", "content": "Well,"},
    ]
    told = completion_of(http, body(messages=messages))
    assert told["citewell"]["restated_question"] is None
    with transaction() as session:
        (stored,) = session.scalars(select(Query.options))
    assert stored["conversation"] == [
        {"role": "user", "text": "How long do returns take?"},
        {"role": "assistant", "text": "30 days [1]."},
    ]


def test_parameters_without_a_meaning_here_are_ignored(http: httpx.Client) -> None:  # N9
    ignored = json.loads(
        """{"temperature": 0.2, "top_p": 1, "max_tokens": 5, "max_completion_tokens": 5, "seed": 1, "user": "u",
        "stop": ["."], "n": 1, "stream": false, "stream_options": null, "response_format": {"type": "text"},
        "tools": [{"type": "function"}], "tool_choice": "auto", "functions": [{"name": "f"}],
        "logprobs": false, "modalities": ["text"], "audio": null,
        "presence_penalty": 0, "logit_bias": {}, "store": true, "metadata": {}, "of_next_year": {"x": [1]}}"""
    )
    assert completion_of(http, body(**ignored))["object"] == "chat.completion"


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_can_be_an_object_of_its_sentences(http: httpx.Client, stream: bool) -> None:  # N9
    sent = body(response_format={"type": "json_object"}, citewell={"links": True}, stream=stream)
    with worker(http, complete):
        response = http.post(PATH, json=sent)
    if stream:
        content = "".join(each["choices"][0]["delta"].get("content", "") for each in events(response.text))
    else:
        content = response.json()["choices"][0]["message"]["content"]
    told = json.loads(content)
    assert (told["answer"], told["abstained"]) == (ANSWER, False)
    first, second = told["sentences"]
    assert (first["status"], first["citations"]) == ("supported", [1])
    assert (second["text"], second["status"], second["citations"]) == ("Have a nice day.", "no_claim", [])
    (cited,) = told["citations"]
    assert (cited["number"], cited["document"], cited["page"]) == (1, "환불 policy.pdf", 1)
    assert cited["url"].startswith(f"{str(http.base_url).rstrip('/')}/#/document/")


def test_a_refusal_is_an_object_too(http: httpx.Client) -> None:  # N9, S3.4
    with worker(http, abstain):
        told = http.post(PATH, json=body(response_format={"type": "json_object"})).json()
    content = json.loads(told["choices"][0]["message"]["content"])
    assert (content["answer"], content["abstained"]) == ("I don't know based on the documents.", True)
    assert content["citations"] == []


SCHEMA: Json = {"type": "object", "properties": {"days": {"type": "integer"}}, "required": ["days"]}
BY_SCHEMA: Json = {"type": "json_schema", "json_schema": {"name": "days", "strict": True, "schema": SCHEMA}}
VERIFIED: Json = {
    "path": "/days",
    "status": "verified",
    "value": 30,
    "reason": None,
    "sentences": [0],
    "citations": [1],
}


def filling(value: Json | None) -> Work:
    def fill(session: Session, query: Query) -> None:
        outcome: Json = {"status": "filled", "value": value, "values": [VERIFIED]}
        if value is None:
            outcome |= {"status": "withheld", "reason": "/days is required, and no verified sentence states it."}
        now = datetime.now(UTC)
        row = {"query_id": query.id, "round": 0, "step": "fill_object", "item": "", "worker": "w", "lease_until": now}
        session.add(StepOutcome(**row, value=outcome, finished_at=now))
        complete(session, query)

    return fill


@pytest.fixture
def with_a_model(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    assert http
    with monkeypatch.context() as changed:
        changed.setenv("GROQ_API_KEY", "gsk_x")
        settings.cache_clear()
        yield
    settings.cache_clear()


@pytest.mark.usefixtures("with_a_model")
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_follows_a_schema_of_ones_own(http: httpx.Client, stream: bool) -> None:
    with worker(http, filling({"days": 30})):
        response = http.post(PATH, json=body(response_format=BY_SCHEMA, stream=stream, citewell={"links": True}))
    assert response.status_code == 200, response.text
    if stream:
        content = "".join(each["choices"][0]["delta"].get("content", "") for each in events(response.text))
        proof = events(response.text)[-1]["citewell"]
    else:
        message, proof = response.json()["choices"][0]["message"], response.json()["citewell"]
        content = message["content"]
        assert (message["refusal"], message["annotations"]) == (None, [])
    assert json.loads(content) == {"days": 30}
    assert proof["answer_object"] == {"value": {"days": 30}, "withheld": None, "values": [VERIFIED]}
    (query,) = queries(http)
    assert http.get(f"/v1/queries/{query['id']}").json()["answer_object"] == proof["answer_object"]


@pytest.mark.usefixtures("with_a_model")
@pytest.mark.parametrize("stream", [False, True])
def test_an_object_that_is_withheld_is_a_refusal(http: httpx.Client, stream: bool) -> None:
    with worker(http, filling(None)):
        response = http.post(PATH, json=body(response_format=BY_SCHEMA, stream=stream))
    if stream:
        deltas = [each["choices"][0]["delta"] for each in events(response.text)]
        content = "".join(each.get("content", "") for each in deltas) or None
        refusal = "".join(each.get("refusal", "") for each in deltas)
    else:
        message = response.json()["choices"][0]["message"]
        content, refusal = message["content"], message["refusal"]
    assert (content, refusal) == (None, "/days is required, and no verified sentence states it.")


def test_without_a_language_model_a_schema_is_refused(http: httpx.Client) -> None:
    told = http.post(PATH, json=body(response_format=BY_SCHEMA))
    assert told.status_code == 422
    assert told.json()["error"]["code"] == "answer_schema_invalid"
    assert "citewell models use" in told.json()["error"]["message"]


REFUSED: list[tuple[Json, str]] = [
    ({"n": 2}, "n"),
    ({"tool_choice": "required"}, "tool_choice"),
    ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, "tool_choice"),
    ({"function_call": {"name": "f"}}, "function_call"),
    ({"logprobs": True}, "logprobs"),
    ({"response_format": {"type": "json_schema", "json_schema": {}}}, "response_format.json_schema.schema"),
    ({"response_format": {"type": "json_schema"}}, "response_format"),
    ({"response_format": {"type": "yaml"}}, "response_format"),
    ({"audio": {"voice": "alloy", "format": "wav"}}, "audio"),
    ({"modalities": ["text", "audio"]}, "modalities"),
    ({"web_search_options": {}}, "web_search_options"),
    ({"messages": []}, "messages"),
    ({"messages": [{"role": "system", "content": "Hi."}]}, "messages"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]}, "messages"),
    ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages"),
    ({"model": ""}, "model"),
    ({"citewell": {"append": "all"}}, "citewell.append"),
    ({"citewell": {"apend": "none"}}, "citewell.apend"),
]


@for_all_rows(("over", "field"), REFUSED)
def test_promises_that_would_be_false_are_refused(http: httpx.Client, over: Json, field: str) -> None:  # N9
    told = assert_problem(http.post(PATH, json=body(**over)), 422, "request_invalid")
    assert [error["field"] for error in told["errors"]] == [field]
    assert told["error"] == {
        "message": told["detail"],
        "type": "invalid_request_error",
        "param": field,
        "code": "request_invalid",
    }
    assert queries(http) == []


@for_all_rows(
    ("sent", "status", "code", "error"),
    [
        (body(model="gpt-4o"), 404, "workspace_not_found", ("not_found_error", "model", "model_not_found")),
        (body(model="gpt:high"), 404, "workspace_not_found", ("not_found_error", "model", "model_not_found")),
        (body(model="default:best"), 422, "mode_unknown", ("invalid_request_error", "model", "mode_unknown")),
        (body("?!"), 422, "question_invalid", ("invalid_request_error", "messages", "question_invalid")),
        (body(None), 422, "question_invalid", ("invalid_request_error", "messages", "question_invalid")),
    ],
)
@for_all_rows("stream", [False, True])
def test_what_cannot_be_asked_is_an_error_in_both_forms(
    http: httpx.Client, sent: Json, status: int, code: str, error: tuple[str, str, str], stream: bool
) -> None:  # N9
    told = assert_problem(http.post(PATH, json={**sent, "stream": stream}), status, code)
    assert (told["error"]["type"], told["error"]["param"], told["error"]["code"]) == error


def test_only_openais_paths_have_openais_error(http: httpx.Client) -> None:  # N9
    broken = http.post(PATH, content=b"{", headers={"content-type": "application/json"})
    assert "error" in assert_problem(broken, 400, "json_invalid")
    assert "error" in assert_problem(http.get(PATH), 405, "method_not_allowed")
    assert "error" in assert_problem(http.post(PATH, content=b"x" * 1_000_001), 413, "content_too_large")
    assert "error" not in assert_problem(http.get("/v1/nothing"), 404, "not_found")


@pytest.mark.parametrize(
    ("model", "workspace", "mode"),
    [
        ("default", "default", "balanced"),
        ("citewell/default", "default", "balanced"),
        ("default:HIGH", "default", "high"),
        ("citewell/default:low", "default", "low"),
    ],
)
def test_a_model_is_a_workspace_in_a_mode(http: httpx.Client, model: str, workspace: str, mode: str) -> None:  # N9
    assert completion_of(http, body(model=model))["model"] == model
    assert [(query["workspace"], query["mode"]) for query in queries(http)] == [(workspace, mode)]


def test_a_stream_is_framed_as_openais(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:  # N9
    monkeypatch.setenv("CITEWELL_STREAM__HEARTBEAT_S", "0.01")
    settings.cache_clear()
    sent = body(stream=True, stream_options={"include_usage": True})
    with worker(http, complete):
        response = http.post(PATH, json=sent)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["location"] == f"/v1/queries/{queries(http)[0]['id']}"
    *chunks, last, usage = events(response.text)
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert len(chunks) > 10
    assert "".join(chunk["choices"][0]["delta"]["content"] for chunk in chunks) == ANSWER + REFERENCES + LINE
    assert {chunk["choices"][0]["finish_reason"] for chunk in chunks} == {None}
    assert (last["choices"][0]["delta"], last["choices"][0]["finish_reason"]) == ({}, "stop")
    assert last["citewell"]["references"] == ["[1] 환불 policy.pdf, p.1"]
    assert (usage["choices"], usage["usage"]["total_tokens"]) == ([], 970)
    assert {chunk["usage"] for chunk in [*chunks, last]} == {None}
    heads = {(each["id"], each["object"], each["created"], each["model"]) for each in [*chunks, last, usage]}
    assert len(heads) == 1
    assert heads.pop()[1] == "chat.completion.chunk"


def test_the_role_comes_at_once_and_signs_of_life_follow(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, left: threading.Event
) -> None:  # N9
    monkeypatch.setenv("CITEWELL_STREAM__HEARTBEAT_S", "0.05")
    settings.cache_clear()
    raw = ""
    with http.stream("POST", PATH, json=body(stream=True)) as response:
        for piece in response.iter_text():
            raw += piece
            if ": ping" in raw:
                break
    assert '"role": "assistant"' in raw.split("\n\n")[0]
    assert "usage" not in raw
    assert left.wait(60)


LINK = r"http://127\.0\.0\.1:\d+/#/document/[0-9a-f-]{36}\?start=9&end=55"


def test_citations_and_references_are_links_to_the_place(http: httpx.Client) -> None:  # N9
    told = completion_of(http, body(citewell={"links": True}))
    content, proof = told["choices"][0]["message"]["content"], told["citewell"]
    answer, references, _ = content.split("\n\n")
    assert re.fullmatch(rf"A product can be returned within 30 days \[\[1\]\]\({LINK}\)\. Have a nice day\.", answer)
    assert re.fullmatch(rf"- \[\[1\]\]\({LINK}\) 환불 policy\.pdf, p\.1", references)
    document = proof["citations"][0]["document_id"]
    assert http.get(f"/v1/documents/{document}/text?start=9&end=55").text == proof["citations"][0]["text_span"]
    # Offsets count in the content, links included.
    nice = proof["verification"]["sentences"][1]
    assert content[nice["start"] : nice["end"]] == "Have a nice day."


def test_links_lead_to_the_address_that_people_use(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:  # N9
    monkeypatch.setenv("CITEWELL_PUBLIC_URL", "https://citewell.example/")
    settings.cache_clear()
    content = completion_of(http, body(citewell={"links": True}))["choices"][0]["message"]["content"]
    assert "[[1]](https://citewell.example/#/document/" in content


def test_the_links_of_an_earlier_answer_are_not_part_of_what_was_said(http: httpx.Client) -> None:  # N9
    said = "30 days [[1]](http://127.0.0.1:8000/#/document/0?start=0&end=9)."
    messages: list[Json] = [{"role": "user", "content": "How long?"}, {"role": "assistant", "content": said}]
    completion_of(http, body(messages=[*messages, {"role": "user", "content": "And opened items?"}]))
    with transaction() as session:
        (stored,) = session.scalars(select(Query.options))
    assert stored["conversation"][1]["text"] == "30 days [1]."


# A draft's verdict whose second citation was found wrong.
PASSED: Json = {
    "round": 0,
    "sentence": 0,
    "text": "A product can be returned within 30 days.",
    "status": "supported",
    "citations": [
        {
            "citation_number": 3,
            "status": "accurate",
            "source": {"document_id": "d", "source_start": 9, "source_end": 55},
        },
        {"citation_number": 2, "status": "inaccurate", "source": None},
    ],
}


def test_a_sentence_is_sent_when_it_has_passed_and_replaced_openly(http: httpx.Client) -> None:  # N1, N9
    draft = "A product can be returned within 30 days [3][2]. A receipt is needed [1]."

    def one_sentence(session: Session, query: Query) -> None:
        told = [("draft", {"round": 0, "start": 0, "text": draft}), ("sentence.verified", PASSED)]
        add_events(session, query.id, told)

    raw = ""
    with worker(http, one_sentence), http.stream("POST", PATH, json=body(stream=True)) as response:
        for piece in response.iter_text():
            if "30 days" in piece and "30 days" not in raw:
                # Only now does the question end, with an answer that does not go on so.
                with worker(http, complete):
                    pass
            raw += piece
    content = "".join(each["choices"][0]["delta"].get("content", "") for each in events(raw))
    first, _, rest = content.partition("\n\n---\n\n*The text above was replaced")
    assert first == "A product can be returned within 30 days. [1]"
    assert rest.endswith("\n\n" + ANSWER + REFERENCES + LINE)


def test_a_failed_query_is_an_error_in_both_forms(http: httpx.Client) -> None:  # N9
    with worker(http, fail):
        refused = http.post(PATH, json=body())
    told = assert_problem(refused, 502, "generation_failed")
    assert told["error"]["message"] == "No model of the chain answered."
    assert told["error"]["type"] == "server_error"
    # Each repetition would be a question more.
    assert refused.headers["x-should-retry"] == "false"


def test_a_failed_query_ends_its_stream_with_an_error(http: httpx.Client) -> None:  # N9
    with worker(http, fail):
        raw = http.post(PATH, json=body(stream=True)).text
    last = json.loads(raw.rstrip().split("\n\n")[-1].removeprefix("data: "))
    assert last["error"]["message"] == "No model of the chain answered."
    assert "[DONE]" not in raw


def test_waiting_has_an_end_in_both_forms(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:  # N9
    monkeypatch.setattr(chat, "MAX_WAIT_S", 0.2)
    told = assert_problem(http.post(PATH, json=body()), 504, "not_finished_in_time")
    assert told["error"]["code"] == "not_finished_in_time"
    raw = http.post(PATH, json=body(stream=True)).text
    assert '"code": "not_finished_in_time"' in raw
    # The client knows where the answer will be.
    assert {query["status"] for query in queries(http)} <= {"queued", "running"}


def test_a_client_that_leaves_cancels_its_query(http: httpx.Client, left: threading.Event) -> None:  # N9
    with pytest.raises(httpx.ReadTimeout):
        http.post(PATH, json=body(), timeout=httpx.Timeout(60, read=0.5))
    assert left.wait(60)
    assert [query["status"] for query in queries(http)] == ["cancelled"]


def test_a_client_that_leaves_a_stream_cancels_its_query(http: httpx.Client, left: threading.Event) -> None:  # N9
    with http.stream("POST", PATH, json=body(stream=True)) as response:
        next(response.iter_text())
    assert left.wait(60)
    assert [query["status"] for query in queries(http)] == ["cancelled"]


def test_a_query_that_vanishes_ends_its_stream_with_an_error(http: httpx.Client) -> None:  # N9
    def vanish(session: Session, query: Query) -> None:
        session.execute(delete(Query).where(Query.id == query.id))

    with worker(http, vanish):
        raw = http.post(PATH, json=body(stream=True)).text
    assert '"code": "query_not_found"' in raw


def test_models_are_the_workspaces(http: httpx.Client) -> None:  # N9
    listed = http.get("/v1/models").raise_for_status().json()
    assert [model["id"] for model in listed["data"]] == ["default", "other"]
    assert {(model["object"], model["owned_by"]) for model in listed["data"]} == {("model", "citewell")}
    assert listed["object"] == "list"
    assert http.get("/v1/models/default").json() == listed["data"][0]
    assert http.get("/v1/models/citewell%2Fdefault:high").json()["id"] == "default:high"
    told = assert_problem(http.get("/v1/models/gpt-4o"), 404, "workspace_not_found")
    assert told["error"]["code"] == "model_not_found"


def test_an_answer_that_is_not_verified_says_so(http: httpx.Client) -> None:  # N9, S1.6
    def unverified(session: Session, query: Query) -> None:
        complete(session, query)
        session.execute(delete(Verification).where(Verification.query_id == query.id))

    with worker(http, unverified):
        content = http.post(PATH, json=body()).json()["choices"][0]["message"]["content"]
    assert content.endswith(
        "\n\nNot checked. Nothing in this answer was checked against its sources. 1 citation removed."
    )


def turns_of(http: httpx.Client, conversation: str) -> list[Json]:
    return http.get(f"/v1/conversations/{conversation}/turns").raise_for_status().json()["turns"]


def test_a_question_can_begin_a_conversation_and_go_on_with_it(http: httpx.Client) -> None:  # N9
    first = completion_of(http, body(metadata={"conversation_id": "new", "mine": 1}))
    conversation = first["citewell"]["conversation_id"]
    assert first["metadata"] == {"conversation_id": conversation}
    # The conversation has its own turns, so what the client repeats of them is not used.
    repeated = [{"role": "user", "content": "Something else?"}, {"role": "user", "content": "And opened items?"}]
    second = completion_of(http, body(messages=repeated, metadata={"conversation_id": conversation}), abstain)
    assert second["citewell"]["conversation_id"] == conversation
    assert [each["id"] for each in turns_of(http, conversation)] == [
        told["citewell"]["query_id"] for told in (first, second)
    ]
    with transaction() as session:
        stored = session.scalars(select(Query.options).where(Query.question == "And opened items?")).one()
    assert stored["conversation"] == [{"role": "user", "text": "How long?"}, {"role": "assistant", "text": ANSWER}]


def test_a_stream_tells_its_conversation_and_a_header_names_it(http: httpx.Client) -> None:  # N9
    with worker(http, complete):
        raw = http.post(PATH, json=body(stream=True), headers={"Citewell-Conversation": "new"}).text
    (proof,) = [event["citewell"] for event in events(raw) if "citewell" in event]
    assert len(turns_of(http, proof["conversation_id"])) == 1
    with worker(http, abstain):
        headers = {"Citewell-Conversation": proof["conversation_id"]}
        http.post(PATH, json=body("And opened items?"), headers=headers).raise_for_status()
    assert len(turns_of(http, proof["conversation_id"])) == 2


def test_without_a_conversation_there_is_none(http: httpx.Client) -> None:  # N9
    told = completion_of(http, body(metadata={"mine": "x"}))
    assert told["citewell"]["conversation_id"] is None
    assert "metadata" not in told
    assert http.get("/v1/conversations").json()["conversations"] == []


def test_a_conversation_that_cannot_go_on_is_refused(http: httpx.Client) -> None:  # N9
    wrong = http.post(PATH, json=body(metadata={"conversation_id": "7"}))
    assert "metadata: conversation_id must be" in assert_problem(wrong, 422, "request_invalid")["detail"]
    assert_problem(http.post(PATH, json=body(), headers={"Citewell-Conversation": "7"}), 422, "request_invalid")
    unknown = http.post(PATH, json=body(metadata={"conversation_id": str(uuid.uuid4())}))
    assert_problem(unknown, 404, "conversation_not_found")
    assert_problem(http.post(PATH, json=body("?!", metadata={"conversation_id": "new"})), 422, "question_invalid")
    assert http.get("/v1/conversations").json()["conversations"] == []
    elsewhere = http.post("/v1/conversations", json={"workspace": "other"}).json()["id"]
    problem = assert_problem(
        http.post(PATH, json=body(metadata={"conversation_id": elsewhere})), 422, "conversation_elsewhere"
    )
    assert problem["error"]["param"] == "model"
    http.post(f"/v1/conversations/{elsewhere}/turns", json={"question": "How long?"}).raise_for_status()
    busy = http.post(PATH, json=body(model="other", metadata={"conversation_id": elsewhere}))
    assert_problem(busy, 409, "turn_unfinished")
