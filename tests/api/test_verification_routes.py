"""`/v1/verifications`: answers from elsewhere over HTTP, single and in files (N2)."""

import json
import uuid
from typing import Any

import httpx
import pytest

from config.settings import settings
from db.models import DEFAULT_TENANT, Query
from db.queries.runs.queries import mark_launched
from db.session import acting_for, reading, transaction
from tests.api.problems import assert_problem
from tests.factories import make_document, make_query
from tests.services.given_story import verifying
from tests.waiting import meanwhile, until
from verify_material.rows import for_all_rows
from workers.starting.launch import BATCH_IN_FLIGHT, launch_waiting

SOURCE = "Returns are accepted within 30 days of the purchase date."
RIGHT = {"answer": "Returns are accepted within 30 days [1].", "sources": [{"text": SOURCE}]}
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/jsonl"}
PATH = "/v1/verifications"
BATCHES = f"{PATH}/batches"


def lines(*items: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def results_when(http: httpx.Client, path: str, unfinished: int) -> list[dict[str, Any]]:
    for _ in range(400):
        results = http.get(path)
        if results.headers["citewell-unfinished"] == str(unfinished):
            return [json.loads(line) for line in results.text.splitlines()]
    raise AssertionError("the batch does not get there")


def test_a_verification_is_accepted_and_its_result_waited_for(http: httpx.Client) -> None:  # N2
    accepted = http.post(PATH, json={**RIGHT, "custom_id": "a", "callback_url": "https://example.com/hook"})
    assert accepted.status_code == 202
    here = accepted.headers["location"]
    assert accepted.json()["links"] == {"self": here, "events": f"{here}/events", "history": f"{here}/history"}
    before = http.get(here).json()
    assert (before["answer"], before["sentences"], before["verification"]) == (RIGHT["answer"], [], None)
    with verifying():
        result = http.get(here, params={"wait": 30}).json()
    assert (result["status"], result["custom_id"], result["changed"]) == ("succeeded", "a", False)
    assert [sentence["status"] for sentence in result["sentences"]] == ["supported"]
    assert http.get(f"{here}/history").json()["verifications"]
    with reading() as session:
        assert session.get_one(Query, uuid.UUID(result["id"])).callback_url == "https://example.com/hook"


def test_the_text_of_each_source_is_given_back(http: httpx.Client) -> None:  # N2
    sources = [{"text": SOURCE}, {"text": "반품은 30일 이내에 가능합니다.\n<b>끝</b>"}]
    here = http.post(PATH, json={"answer": "Yes [1].", "sources": sources}).headers["location"]
    for number, source in enumerate(sources, start=1):
        shown = http.get(f"{here}/sources/{number}/text")
        assert (shown.text, shown.headers["content-type"]) == (source["text"], "text/plain; charset=utf-8")
    assert_problem(http.get(f"{here}/sources/3/text"), 404, "source_not_found")
    assert_problem(http.get(f"{here}/sources/0/text"), 422, "request_invalid")
    assert_problem(http.get(f"{PATH}/{uuid.uuid4()}/sources/1/text"), 404, "verification_not_found")


def test_with_wait_the_result_comes_at_once_or_later(http: httpx.Client) -> None:  # N2
    with verifying():
        result = http.post(PATH, json=RIGHT, params={"wait": 30})
    assert (result.status_code, result.json()["status"]) == (200, "succeeded")
    assert http.get(result.headers["location"]).json() == result.json()
    late = http.post(PATH, json=RIGHT, params={"wait": 0.1})
    assert (late.status_code, set(late.json())) == (202, {"id", "status", "custom_id", "links"})
    assert http.post(PATH, json=RIGHT, params={"wait": 61}).status_code == 422


@pytest.mark.slow
def test_a_result_that_is_not_there_in_time_says_how_far_it_is(http: httpx.Client) -> None:  # N2
    def launch() -> None:
        until(lambda: bool(http.get(PATH).json()["verifications"]))
        query_id = uuid.UUID(http.get(PATH).json()["verifications"][0]["id"])
        with acting_for(DEFAULT_TENANT), transaction() as session:
            mark_launched(session, query_id, 0)

    with meanwhile(launch):
        late = http.post(PATH, json=RIGHT, params={"wait": 3})
    assert (late.status_code, late.json()["status"]) == (202, "running")


def test_verifications_and_questions_do_not_mix(http: httpx.Client) -> None:
    own = http.post(PATH, json=RIGHT).json()["id"]
    with transaction() as session:
        question = str(make_query(session).id)
    assert [each["id"] for each in http.get("/v1/queries").json()["queries"]] == [question]
    assert [each["id"] for each in http.get(PATH).json()["verifications"]] == [own]
    for path in ("", "/verifications", "/events"):
        assert http.get(f"/v1/queries/{own}{path}").status_code == 404, path
    assert http.delete(f"/v1/queries/{own}").status_code == 404
    missing = http.get(f"{PATH}/{question}")
    assert (missing.status_code, missing.json()["code"]) == (404, "verification_not_found")
    assert http.get(f"{PATH}/{own}").json()["finished_at"] is None


def test_the_list_goes_on_where_a_page_ended(http: httpx.Client) -> None:
    made = [http.post(PATH, json=RIGHT).json()["id"] for _ in range(3)]
    first = http.get(PATH, params={"limit": 2}).json()
    second = http.get(PATH, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    seen = [each["id"] for each in (*first["verifications"], *second["verifications"])]
    assert (seen, second["next_cursor"]) == (made[::-1], None)


def test_a_verification_is_cancelled_and_repeated_once(http: httpx.Client) -> None:  # A3
    here = http.post(PATH, json=RIGHT, headers={"Idempotency-Key": "k"}).headers["location"]
    again = http.post(PATH, json=RIGHT, headers={"Idempotency-Key": "k"})
    assert (again.headers["location"], again.headers["idempotent-replayed"]) == (here, "true")
    assert http.delete(here).json()["status"] == "cancelled"


def test_a_repetition_may_wait_longer_but_not_ask_for_something_else(http: httpx.Client) -> None:  # A3
    def repeated(*, question: str = "How?", **params: float) -> httpx.Response:
        return http.post(PATH, json={**RIGHT, "question": question}, params=params, headers={"Idempotency-Key": "k"})

    here = repeated().headers["location"]
    again = repeated(wait=0.1)
    assert (again.headers["location"], again.headers["idempotent-replayed"]) == (here, "true")
    assert repeated(wait=0.1, question="How long?").json()["code"] == "idempotency_key_reused"


def test_the_last_page_number_is_taken(http: httpx.Client) -> None:  # A8
    source = {"text": SOURCE, "pages": [[2**31 - 1, 0, len(SOURCE)]]}
    with verifying():
        result = http.post(PATH, json={**RIGHT, "sources": [source]}, params={"wait": 30}).json()
    assert result["status"] == "succeeded"
    assert [each["page_number"] for each in result["citations"]] == [2**31 - 1]


def test_the_name_of_a_deep_field_is_cut(http: httpx.Client) -> None:  # A8
    body = b'{"answer": "a", "sources": [{"text": "a", "metadata": ' + b'{"a":' * 300 + b"1" + b"}" * 301 + b"]}"
    told = assert_problem(http.post(PATH, content=body, headers=JSON), 422, "request_invalid")
    assert told["errors"][0]["field"].startswith("sources.0.metadata.")
    assert [error["field"].count(".") for error in told["errors"]] == [10] * len(told["errors"])
    assert all(error["field"].endswith(".…") for error in told["errors"])


@for_all_rows(
    ("change", "named"),
    [
        ({"answer": "a\x00b"}, "answer"),
        ({"answer": "\ud800"}, "answer"),
        ({"answer": "30 days \ud800 [1]"}, "answer: contains half a surrogate pair"),
        ({"question": "How \udfff?"}, "question: contains half"),
        ({"custom_id": "\ud800"}, "custom_id: contains half"),
        ({"callback_url": "https://example.com/\ud800"}, "callback_url: contains half"),
        ({"sources": [{"text": "a \ud800"}]}, "sources.0.text: contains half"),
        ({"sources": [{"text": "a", "url": "\ud800"}]}, "sources.0.url: contains half"),
        ({"sources": [{"text": "a", "metadata": {"x": ["\ud800"]}}]}, "sources.0.metadata: contains half"),
        ({"sources": [{"text": "a", "metadata": {"\ud800": 1}}]}, "sources.0.metadata"),
        ({"citations": [{"start": 0, "end": 2, "source": "\ud800"}]}, "citations.0.source: contains half"),
        ({"citations": [{"start": 0, "end": 2, "source": "a\x00"}]}, "citations.0.source: contains a NUL"),
        ({"sources": [{"text": "a", "pages": [[2**31, 0, 1]]}]}, "from 1 to 2,147,483,647"),
        ({"sources": [{"text": "a", "pages": [[0, 0, 1]]}]}, "from 1 to 2,147,483,647"),
        ({"sources": [{"text": "a\x00b"}]}, "sources.0.text"),
        ({"sources": [{"text": "a", "pages": [[1, 0]]}]}, "sources.0.pages.0"),
        ({"sources": [{"text": "a", "metadata": {"x": "\x00"}}]}, "sources.0.metadata"),
        ({"citations": [{"start": -1, "end": 2, "source": 1}]}, "citations.0.start"),
        ({"citations": [{"place": 1}]}, "citations.0: Send {start, end, source}, or"),
        ({"citations": ["[1]"]}, "citations.0: Send {start, end, source}, or"),
        ({"checks": ["taste"]}, "checks.0"),
        ({"repair": "all"}, "repair"),
        ({"preset": "free"}, "preset"),
        ({"colour": "red"}, "colour"),
        ({"sources": []}, "sources"),
    ],
)
def test_bad_fields_are_named(http: httpx.Client, change: dict[str, Any], named: str) -> None:  # A8
    body = json.dumps({**RIGHT, **change})
    refused = http.post(PATH, content=body, headers={"Content-Type": "application/json"})
    assert refused.status_code == 422
    assert named in refused.json()["detail"]


def test_a_body_that_is_too_large_is_refused(http: httpx.Client) -> None:  # A8
    limit = settings().verifying.max_bytes
    refused = http.post(PATH, content=b" " * (limit + 1), headers={"Content-Type": "application/json"})
    assert refused.status_code == 413
    assert "limit of 20.0 MB; split what you send, or raise verifying.max_bytes" in refused.json()["detail"]
    assert http.post(PATH, content=b"{}", headers=LINES).status_code == 415
    assert http.post(BATCHES, json=RIGHT).status_code == 415


def test_a_batch_runs_a_few_at_a_time_and_its_results_keep_their_order(http: httpx.Client) -> None:  # N2
    items = [{**RIGHT, "custom_id": f"i{number}"} for number in range(12)]
    accepted = http.post(BATCHES, content=lines(*items) + b"\n", headers=LINES)
    assert accepted.status_code == 202, accepted.text
    assert accepted.json()["total"] == 12
    links = accepted.json()["links"]
    assert http.get(links["self"]).json()["status"] == "queued"
    launch_waiting()
    batch = http.get(links["self"]).json()
    in_flight = BATCH_IN_FLIGHT
    assert (batch["status"], batch["running"], batch["queued"]) == ("running", in_flight, 12 - in_flight)
    with verifying(admit=False):
        told = results_when(http, links["results"], 12 - in_flight)
    assert [each["custom_id"] for each in told] == [f"i{number}" for number in range(in_flight)]
    assert {each["status"] for each in told} == {"succeeded"}
    cancelled = http.delete(links["self"]).json()
    assert (cancelled["status"], cancelled["succeeded"], cancelled["cancelled"]) == ("cancelled", 8, 4)
    assert cancelled["finished_at"] is not None
    assert http.delete(links["self"]).json() == cancelled
    statuses = [json.loads(line)["status"] for line in http.get(links["results"]).text.splitlines()]
    assert statuses == ["succeeded"] * 8 + ["cancelled"] * 4


def test_one_bad_line_refuses_the_whole_file(http: httpx.Client) -> None:  # N2, A8
    body = lines(RIGHT) + b"{no json\n\n" + lines({**RIGHT, "sources": []}, {"answer": "x y"}, RIGHT)
    refused = http.post(BATCHES, content=body, headers=LINES)
    assert refused.status_code == 422
    assert [each["field"].split(".")[0] for each in refused.json()["errors"]] == ["line 2", "line 4", "line 5"]
    many = http.post(BATCHES, content=b"{}\n" * 50, headers=LINES)
    assert len(many.json()["errors"]) == 20
    assert http.post(BATCHES, content=b"\n", headers=LINES).status_code == 422
    assert http.get(PATH).json()["verifications"] == []
    assert http.get(f"{BATCHES}/{uuid.uuid4()}").json()["code"] == "batch_not_found"


def test_lines_that_only_the_database_knows_to_be_wrong_are_named_too(http: httpx.Client) -> None:  # N2, A8
    with transaction() as session:
        unread = make_document(session, SOURCE, status="queued").id
        long = make_document(session, "a" * 19_000_000, number=1).id
    said = RIGHT["answer"]
    absent, twice = str(uuid.uuid4()), [{"document_id": str(long)}] * 2
    body = lines(RIGHT) + b"\n" + lines({"answer": said, "sources": [{"document_id": absent}]}, RIGHT)
    body += b"\r\n" + lines({"answer": said, "sources": [{"document_id": str(unread)}]})
    refused = http.post(BATCHES, content=body + lines({"answer": said, "sources": twice}), headers=LINES)
    assert (refused.status_code, refused.json()["code"]) == (422, "request_invalid")
    told = {each["field"]: each["message"] for each in refused.json()["errors"]}
    assert list(told) == ["line 3", "line 6", "line 7"]
    assert absent in told["line 3"]
    assert "not 'ready'" in told["line 6"]
    assert "20,000,000 characters" in told["line 7"]
    many = lines({"answer": said, "sources": [{"document_id": absent}]}) * 50
    assert len(http.post(BATCHES, content=many, headers=LINES).json()["errors"]) == 20
    assert http.get(PATH).json()["verifications"] == []


def test_a_file_may_begin_with_a_byte_order_mark(http: httpx.Client) -> None:  # N2
    accepted = http.post(BATCHES, content=b"\xef\xbb\xbf" + lines(RIGHT), headers=LINES)
    assert (accepted.status_code, accepted.json().get("total")) == (202, 1), accepted.text


def test_a_large_batch_is_cancelled_to_its_end_after_the_answer(http: httpx.Client) -> None:  # N2
    path = http.post(BATCHES, content=lines(*[RIGHT] * 205), headers=LINES).json()["links"]["self"]
    told = http.delete(path).json()
    assert (told["running"], told["cancelled"] >= 200) == (0, True)
    while (batch := http.get(path).json())["finished_at"] is None:
        assert batch["queued"] in range(6)
    assert (batch["status"], batch["cancelled"]) == ("cancelled", 205)
