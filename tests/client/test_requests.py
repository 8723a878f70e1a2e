"""The request of each method, and the parsing of its response: the same for both clients."""

from collections.abc import Callable
from typing import Any

import pytest

from citewell_client import (
    ApiKeyUnusable,
    ApiProblem,
    AsyncCitewellClient,
    Busy,
    CitewellClient,
    Conflict,
    InputRefused,
    NotAllowed,
    NotFound,
    ServerUnreachable,
)
from tests.client.halves import Act, Half
from tests.client.recording import Answer, problem, recording, told
from verify_material.rows import for_all_rows

SOURCES: list[dict[str, str]] = [{"text": "Returns take 30 days.", "title": "policy"}, {"document_id": "d"}]
Opening = Callable[..., Any]
METHODS: list[tuple[Act, str, str, object]] = [
    (lambda c: c.cancel("q"), "DELETE", "/v1/queries/q", None),
    (lambda c: c.blocks("d"), "GET", "/v1/documents/d/blocks", None),
    (lambda c: c.replay("q"), "POST", "/v1/queries/q/replay", None),
    (lambda c: c.cancel_verification("v"), "DELETE", "/v1/verifications/v", None),
    (
        lambda c: c.search("days", "w", k=3, filter={"filenames": ["a.txt"]}),
        "POST",
        "/v1/search",
        {"query": "days", "workspace": "w", "k": 3, "filter": {"filenames": ["a.txt"]}},
    ),
    (lambda c: c.replay_verification("v"), "POST", "/v1/verifications/v/replay", None),
    (lambda c: c.retry_document("d"), "POST", "/v1/documents/d/retry", None),
    (lambda c: c.history("q"), "GET", "/v1/queries/q/verifications", None),
    (lambda c: c.quality("w", 5), "POST", "/v1/quality", {"workspace": "w", "limit": 5, "labels": []}),
    (lambda c: c.verification("v"), "GET", "/v1/verifications/v", None),
    (lambda c: c.batch("b"), "GET", "/v1/verifications/batches/b", None),
    (lambda c: c.webhooks.get("e"), "GET", "/v1/webhooks/e", None),
    (lambda c: c.webhooks.update("e", status="disabled"), "PATCH", "/v1/webhooks/e", {"status": "disabled"}),
    (
        lambda c: c.webhooks.create("https://a.example", ["query.*"], description="bot"),
        "POST",
        "/v1/webhooks",
        {"url": "https://a.example", "events": ["query.*"], "description": "bot"},
    ),
    (lambda c: c.imports.get("i"), "GET", "/v1/imports/i", None),
    (
        lambda c: c.feedback.give("q", sentence=0, verdict="unsupported"),
        "POST",
        "/v1/feedback",
        {"query_id": "q", "sentence": 0, "verdict": "unsupported"},
    ),
    (lambda c: c.share("q", 8), "POST", "/v1/queries/q/share", {"hours": 8}),
    (lambda c: c.feedback.get("f"), "GET", "/v1/feedback/f", None),
    (
        lambda c: c.feedback.review("f", verdict="supported"),
        "PATCH",
        "/v1/feedback/f",
        {"status": "reviewed", "verdict": "supported"},
    ),
    (lambda c: c.webhooks.replay("d"), "POST", "/v1/deliveries/d/replay", None),
    (lambda c: c.webhooks.test("e"), "POST", "/v1/webhooks/e/test", None),
    (
        lambda c: c.keys.create("bot", ["ask"], expires_in_days=9),
        "POST",
        "/v1/keys",
        {"name": "bot", "scopes": ["ask"], "expires_in_days": 9},
    ),
    (
        lambda c: c.verify("It is so [1].", SOURCES, "Is it?", ["citations"], wait=0, custom_id="7"),
        "POST",
        "/v1/verifications",
        {
            "answer": "It is so [1].",
            "sources": SOURCES,
            "question": "Is it?",
            "checks": ["citations"],
            "custom_id": "7",
        },
    ),
]
FILES: list[tuple[Act, str, dict[str, str]]] = [
    (lambda c: c.document_original("d"), "/v1/documents/d/original", {}),
    (lambda c: c.page_image("d", 2, width=600), "/v1/documents/d/pages/2/image", {"width": "600"}),
    (lambda c: c.export("q"), "/v1/queries/q/export", {"format": "markdown"}),
    (lambda c: c.export("q", "csv"), "/v1/queries/q/export", {"format": "csv"}),
]
DELETIONS: list[tuple[Act, str]] = [
    (lambda c: c.webhooks.delete("e"), "/v1/webhooks/e"),
    (lambda c: c.keys.revoke("k"), "/v1/keys/k"),
    (lambda c: c.members.remove("m/1"), "/v1/members/m%2F1"),
    (lambda c: c.revoke_share("q", "s"), "/v1/queries/q/share/s"),
    (lambda c: c.feedback.delete("f"), "/v1/feedback/f"),
    (lambda c: c.delete_document("a/b?c"), "/v1/documents/a%2Fb%3Fc"),
]
LISTS: list[tuple[Act, str]] = [
    (lambda c: c.webhooks.list(), "webhooks"),
    (lambda c: c.keys.list(), "keys"),
    (lambda c: c.people.list(), "people"),
    (lambda c: c.people.deeds(actor="person:1"), "deeds"),
    (lambda c: c.members.list("finance"), "members"),
    (lambda c: c.versions("d"), "documents"),
    (lambda c: c.passages("d"), "passages"),
    (lambda c: c.boxes("d", 3, 9), "pages"),
    (lambda c: c.imports.list(), "imports"),
    (lambda c: c.verifications(), "verifications"),
    (lambda c: c.shares("q"), "shares"),
    (lambda c: c.feedback.list(status="open"), "feedback"),
]


# N9
@pytest.mark.parametrize(("act", "method", "path", "body"), METHODS)
def test_each_method_has_its_request(half: Half, act: Act, method: str, path: str, body: object) -> None:
    with recording(told({"id": "x"})) as server:
        assert half(server.url, act) == {"id": "x"}
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.params) == (method, path, {})
    assert (asked.json if asked.body else None) == body
    assert "authorization" not in asked.headers


# N9
@pytest.mark.parametrize(("act", "path"), DELETIONS)
def test_what_is_deleted_is_named_as_one_part_of_the_path(half: Half, act: Act, path: str) -> None:
    with recording(told({}, 200)) as server:
        assert half(server.url, act) is None
    assert [(asked.method, asked.path) for asked in server.asked] == [("DELETE", path)]


# N9
@pytest.mark.parametrize(("act", "path", "params"), FILES)
def test_files_are_returned_byte_for_byte(half: Half, act: Act, path: str, params: dict[str, str]) -> None:
    content = b"%PDF-1.7\r\n\xff\x00"
    with recording(Answer(200, content, {"content-type": "application/pdf"})) as server:
        assert half(server.url, act) == content
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.params) == ("GET", path, params)


# N9
@pytest.mark.parametrize(("act", "name"), LISTS)
def test_lists_are_taken_out_of_their_envelope(half: Half, act: Act, name: str) -> None:
    with recording(told({name: [{"id": "1"}]})) as server:
        assert half(server.url, act) == [{"id": "1"}]


@pytest.mark.parametrize("body", [{}, [], "text", None])
def test_json_of_something_else_is_told_apart(half: Half, body: object) -> None:
    with recording(told(body)) as server, pytest.raises(ApiProblem, match="does not answer as Citewell") as caught:
        half(server.url, lambda client: client.keys.list())
    assert caught.value.code == "not_citewell"


# N9
def test_a_batch_is_one_object_per_line_whatever_is_in_its_texts(half: Half) -> None:
    items: list[dict[str, Any]] = [
        {"answer": "a\u2028b\nc\ud800", "sources": [], "custom_id": str(number)} for number in range(3)
    ]
    with recording(told({"id": "b", "total": 3}, 202)) as server:
        assert half(server.url, lambda client: client.verify_batch(iter(items))) == {"id": "b", "total": 3}
    (asked,) = server.asked
    assert asked.headers["content-type"] == "application/jsonl"
    assert asked.body.count(b"\n") == 3


# N9
def test_the_results_of_a_batch_are_read_line_by_line(half: Half) -> None:
    lines = '{"id": "1", "answer": "a\u2028b"}\n\n{"id": "2"}\n'
    with recording(Answer(200, lines.encode(), {"content-type": "application/jsonl"})) as server:
        found = half(server.url, lambda client: client.batch_results("b"))
    assert found == [{"id": "1", "answer": "a\u2028b"}, {"id": "2"}]


# N9
def test_verifying_waits_for_the_end(half: Half) -> None:
    running, done = told({"id": "v", "status": "running"}), told({"id": "v", "status": "succeeded"})
    with recording(told({"id": "v", "status": "queued"}, 202), running, running, done) as server:
        found = half(server.url, lambda client: client.verify("It is so.", SOURCES))
    assert found["status"] == "succeeded"
    assert [asked.method for asked in server.asked] == ["POST", "GET", "GET", "GET"]
    assert {asked.path for asked in server.asked[1:]} == {"/v1/verifications/v"}
    assert all(0 < float(asked.params["wait"]) <= 60 for asked in server.asked[1:])


# N9
def test_lists_go_over_all_pages_and_stop_where_they_are_told(half: Half) -> None:
    pages = [
        told({"queries": [{"id": "1"}, {"id": "2"}], "next_cursor": "c1"}),
        told({"queries": [{"id": "3"}], "next_cursor": "c2"}),
        told({"queries": [{"id": "4"}, {"id": "5"}], "next_cursor": None}),
    ]
    with recording(*pages) as server:
        found = half(server.url, lambda client: client.queries("w", status="failed", created_after="2026-11-01"))
    assert [head["id"] for head in found] == ["1", "2", "3", "4", "5"]
    assert [asked.params.get("cursor") for asked in server.asked] == [None, "c1", "c2"]
    for asked in server.asked:
        assert asked.params | {"workspace": "w", "status": "failed", "created_after": "2026-11-01"} == asked.params
    with recording(*pages) as server:
        assert len(half(server.url, lambda client: client.queries(limit=3))) == 3
    assert [asked.params["limit"] for asked in server.asked] == ["3", "1"]
    with recording(*pages) as server:
        assert half(server.url, lambda client: client.queries(limit=0)) == []
    assert server.asked == []


# N9
def test_documents_are_asked_for_by_what_is_known_of_them(half: Half) -> None:
    with recording(told({"documents": [{"id": "1"}]})) as server:
        wanted = {"status": "ready", "filename": "a.txt", "metadata": {"year": 2026}, "all_versions": True}
        half(server.url, lambda client: client.documents("w", 5, **wanted))
    (asked,) = server.asked
    assert asked.params == {
        "workspace": "w",
        "limit": "5",
        "status": "ready",
        "filename": "a.txt",
        "metadata.year": "2026",
        "versions": "all",
    }


# N9
def test_an_import_is_waited_for(half: Half) -> None:
    running, done = told({"id": "i", "status": "running"}), told({"id": "i", "status": "finished"})
    seen: list[str] = []

    def look(found: dict[str, str]) -> None:
        seen.append(found["status"])

    with recording(running, done) as server:
        found = half(server.url, lambda client: client.imports.wait("i", on_look=look))
    assert (found["status"], seen) == ("finished", ["running", "finished"])
    with recording(running) as server:
        assert half(server.url, lambda client: client.imports.wait("i", 0))["status"] == "running"


# N9
def test_deliveries_have_pages_too(half: Half) -> None:
    pages = [told({"deliveries": [{"id": "1"}], "next_cursor": "c"}), told({"deliveries": [{"id": "2"}]})]
    with recording(*pages) as server:
        found = half(server.url, lambda client: client.webhooks.deliveries("e"))
    assert [delivery["id"] for delivery in found] == ["1", "2"]
    assert {asked.path for asked in server.asked} == {"/v1/webhooks/e/deliveries"}


# A8
def test_the_key_is_sent_with_every_request(half: Half) -> None:
    with recording(told({"id": "x"})) as server:
        half(server.url, lambda client: client.query("q"), api_key="cw_1")
        half(server.url, lambda client: client.submit("Why?"), api_key="cw_1")
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer cw_1"}


# A8
@for_all_rows("key", ["cw_1\r\nx: y", "schlüssel", "cw\n"])
@for_all_rows("client", [CitewellClient, AsyncCitewellClient])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(client: Opening, key: str) -> None:
    with pytest.raises(ApiKeyUnusable, match="CITEWELL_API_KEY") as caught:
        client("http://127.0.0.1:1", key)
    assert key not in str(caught.value)


@for_all_rows("address", ["http://host:port", "localhost:8000", "host", "", "//host:8000", "ftp://host", "http://"])
@for_all_rows("client", [CitewellClient, AsyncCitewellClient])
def test_what_is_no_address_is_told(client: Opening, address: str) -> None:
    with pytest.raises(ServerUnreachable, match="looks like http://host:8000"):
        client(address)


# N9
@pytest.mark.parametrize("client", [CitewellClient, AsyncCitewellClient])
def test_the_environment_names_the_server_and_the_key(
    client: type[CitewellClient] | type[AsyncCitewellClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITEWELL_URL", raising=False)
    monkeypatch.delenv("CITEWELL_API_KEY", raising=False)
    plain = client.from_environment()
    assert plain.url == "http://127.0.0.1:8000"
    assert "authorization" not in plain.http.headers
    monkeypatch.setenv("CITEWELL_URL", "https://citewell.example/")
    monkeypatch.setenv("CITEWELL_API_KEY", " cw_1\n")
    named = client.from_environment()
    assert (named.url, named.http.headers["authorization"]) == ("https://citewell.example", "Bearer cw_1")


# N9
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, NotAllowed),
        (403, NotAllowed),
        (404, NotFound),
        (409, Conflict),
        (413, InputRefused),
        (422, InputRefused),
        (429, Busy),
        (503, Busy),
        (500, ApiProblem),
    ],
)
def test_a_problem_has_a_type_of_its_own(half: Half, status: int, kind: type[ApiProblem]) -> None:
    with recording(problem(status, "no")) as server, pytest.raises(ApiProblem) as caught:
        half(server.url, lambda client: client.cancel("q"))
    assert type(caught.value) is kind


# N9
def test_problems_say_what_the_server_says(half: Half) -> None:
    with recording(problem(404, "query_not_found")) as server, pytest.raises(ApiProblem) as caught:
        half(server.url, lambda client: client.query("q"))
    assert (caught.value.status, caught.value.code, caught.value.detail) == (
        404,
        "query_not_found",
        "it is query_not_found",
    )
    assert len(server.asked) == 1
