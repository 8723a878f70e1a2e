"""Documents over HTTP: sent as a form or as JSON, listed, read back, deleted."""

import json
import uuid
from typing import Any

import httpx
import pytest

from db.models import Document, DocumentFile, DocumentStatus
from db.queries.access.keys import get_or_add_tenant
from db.queries.documents.documents import DocumentFilter, count_documents
from db.session import acting_for, reading, system_transaction, transaction
from tests.api.problems import assert_problem
from tests.factories import make_document
from verify_material.rows import for_all_rows

TEXT = "Erste Zeile\n둘째 줄 😀 end"


def send(
    http: httpx.Client, content: bytes = b"hello", name: str = "a.txt", *, form: dict[str, str] | None = None
) -> httpx.Response:
    return http.post("/v1/documents", files={"file": (name, content)}, data=form or {})


def listed(http: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    return http.get("/v1/documents", params=params).json()["documents"]


def test_a_file_is_accepted_with_its_metadata_and_stored_byte_by_byte(http: httpx.Client) -> None:  # A1, A3
    content = bytes(range(256)) * 3000
    form = {"workspace": "w", "metadata": '{"year": 2026, "tags": ["a"]}', "source": "s3"}
    response = send(http, content, "환불 규정.pdf", form=form)
    assert response.status_code == 202
    accepted = response.json()
    assert (accepted["status"], accepted["created"]) == ("queued", True)
    assert response.headers["location"] == accepted["links"]["self"]
    document = http.get(accepted["links"]["self"]).json()
    told = (document["filename"], document["workspace"], document["metadata"], document["source"])
    assert told == ("환불 규정.pdf", "w", {"year": 2026, "tags": ["a"]}, "s3")
    assert (document["size_bytes"], document["doc_id"], document["pages"]) == (len(content), "doc_0", 0)
    with reading() as session:
        assert session.get_one(DocumentFile, uuid.UUID(accepted["id"])).content == content


def test_a_text_is_accepted_as_json(http: httpx.Client) -> None:
    response = http.post("/v1/documents", json={"filename": "a.md", "text": TEXT, "metadata": {"title": "제목"}})
    assert response.status_code == 202
    document = http.get(response.json()["links"]["self"]).json()
    assert (document["workspace"], document["source"], document["metadata"]) == (
        "default",
        "api-server",
        {"title": "제목"},
    )
    with reading() as session:
        assert session.get_one(DocumentFile, uuid.UUID(document["id"])).content.decode() == TEXT


def test_the_same_file_again_is_the_same_document(http: httpx.Client) -> None:
    first, second, elsewhere = send(http), send(http), send(http, form={"workspace": "w"})
    assert [first.status_code, second.status_code, elsewhere.status_code] == [202, 200, 202]
    assert first.json()["id"] == second.json()["id"] != elsewhere.json()["id"]
    assert second.json()["created"] is False
    assert len(listed(http)) == 2


def test_a_failed_document_is_tried_again_when_it_comes_again(http: httpx.Client) -> None:
    document_id = send(http).json()["id"]
    with transaction() as session:
        session.get_one(Document, uuid.UUID(document_id)).status = DocumentStatus.FAILED
    again = send(http)
    assert (again.status_code, again.json()["status"], again.json()["id"]) == (202, "queued", document_id)


def test_documents_are_listed_newest_first_by_workspace(http: httpx.Client) -> None:
    for name, workspace in (("a.txt", "v"), ("b.txt", "w"), ("c.txt", "w")):
        send(http, name=name, form={"workspace": workspace})
    assert [document["filename"] for document in listed(http)] == ["c.txt", "b.txt", "a.txt"]
    assert [document["filename"] for document in listed(http, workspace="w", limit=1)] == ["c.txt"]
    assert listed(http, workspace="nowhere") == []


@pytest.mark.parametrize(
    ("params", "expected"),
    [({}, TEXT), ({"start": 12}, TEXT[12:]), ({"start": 12, "end": 18}, "둘째 줄 😀"[:6]), ({"end": 0}, "")],
)
def test_offsets_of_the_stored_text_count_code_points(
    http: httpx.Client, params: dict[str, int], expected: str
) -> None:  # N3
    with transaction() as session:
        document_id = make_document(session, TEXT).id
    response = http.get(f"/v1/documents/{document_id}/text", params=params)
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text == expected


@pytest.mark.parametrize("params", [{"start": 99}, {"end": 99}, {"start": 5, "end": 4}, {"start": -1}])
def test_a_slice_outside_the_text_is_refused(http: httpx.Client, params: dict[str, int]) -> None:
    with transaction() as session:
        document_id = make_document(session, TEXT).id
    response = http.get(f"/v1/documents/{document_id}/text", params=params)
    assert response.status_code == 422


def test_pages_and_sections_of_a_text_are_told(http: httpx.Client) -> None:  # N3
    with transaction() as session:
        parts: dict[str, Any] = {"pages": [[1, 0, 12], [4, 12, 22]], "sections": [["제목", 0, 22], ["둘째", 12, 22]]}
        document_id = make_document(session, TEXT, **parts).id
    layout = http.get(f"/v1/documents/{document_id}/layout").json()
    assert layout["characters"] == len(TEXT)
    no_picture = {"width": None, "height": None}
    assert layout["pages"] == [
        {"number": 1, "start": 0, "end": 12, **no_picture},
        {"number": 4, "start": 12, "end": 22, **no_picture},
    ]
    assert [(each["title"], each["start"], each["end"]) for each in layout["sections"]] == [
        ("제목", 0, 22),
        ("둘째", 12, 22),
    ]


def test_a_text_without_pages_has_none(http: httpx.Client) -> None:
    with transaction() as session:
        document_id = make_document(session, TEXT).id
    layout = http.get(f"/v1/documents/{document_id}/layout").json()
    assert layout == {"characters": len(TEXT), "pages": [], "sections": [], "corrections": []}


@pytest.mark.parametrize("part", ["text", "layout"])
def test_the_text_of_a_document_that_is_not_read_yet_is_a_conflict(http: httpx.Client, part: str) -> None:
    here = send(http).json()["links"]["self"]
    assert_problem(http.get(f"{here}/{part}"), 409, "document_not_read")


def test_a_deleted_document_is_gone_with_its_file(http: httpx.Client) -> None:
    here = send(http).json()["links"]["self"]
    assert http.delete(here).status_code == 204
    assert_problem(http.get(here), 404, "document_not_found")
    assert_problem(http.get(f"{here}/text"), 404, "document_not_found")
    assert_problem(http.delete(here), 404, "document_not_found")
    assert listed(http) == []


@for_all_rows(
    ("form", "field"),
    [
        ({"metadata": "[1]"}, "metadata"),
        ({"metadata": "{bad"}, "metadata"),
        ({"metadata": '{"a": NaN}'}, "metadata"),
        ({"metadata": '{"a": ["\\u0000"]}'}, "metadata"),
        ({"metadata": '{"\\ud800": 1}'}, "metadata"),
        ({"metadata": json.dumps({"a": "x" * 20_000})}, "metadata"),
        ({"metadata": '{"a":' * 5000 + "1" + "}" * 5000}, "metadata"),
        ({"workspace": " "}, "workspace"),
        ({"workspace": "w" * 101}, "workspace"),
        ({"source": "two\nlines"}, "source"),
        ({"filename": "b.txt"}, "filename"),
        ({"worksapce": "w"}, "worksapce"),
    ],
)
def test_a_wrong_form_field_is_named(http: httpx.Client, form: dict[str, str], field: str) -> None:
    told = assert_problem(send(http, form=form), 422, "request_invalid")
    assert [error["field"] for error in told["errors"]] == [field]
    assert listed(http) == []


@for_all_rows(
    ("body", "status", "code"),
    [
        ({"text": "t"}, 422, "request_invalid"),
        ({"filename": "a.txt"}, 422, "request_invalid"),
        ({"filename": "a.txt", "text": "a\x00b"}, 422, "request_invalid"),
        ({"filename": "a\nb.txt", "text": "t"}, 422, "request_invalid"),
        ({"filename": "x" * 256, "text": "t"}, 422, "request_invalid"),
        ({"filename": "a.txt", "text": "t", "metadata": [1]}, 422, "request_invalid"),
        ({"filename": "a.txt", "text": "t", "extra": 1}, 422, "request_invalid"),
        ({"filename": "a.txt", "text": ""}, 422, "document_empty"),
    ],
)
def test_json_that_is_no_document_is_refused(http: httpx.Client, body: dict[str, Any], status: int, code: str) -> None:
    assert_problem(http.post("/v1/documents", json=body), status, code)
    assert listed(http) == []


def test_an_empty_file_is_refused_with_its_name(http: httpx.Client) -> None:
    assert "a.txt" in assert_problem(send(http, b""), 422, "document_empty")["detail"]
    assert listed(http) == []


@for_all_rows(
    ("content", "content_type", "status", "code"),
    [
        (b"nonsense", "multipart/form-data; boundary=x", 400, "bad_request"),
        (b"", "multipart/form-data", 400, "bad_request"),
        (b'--x\r\ncontent-disposition: form-data; name="file"\r\n\r\ntext\r\n--x--\r\n',
         "multipart/form-data; boundary=x", 422, "request_invalid"),
        (b"text", "text/plain", 415, "unsupported_media_type"),
        (b"text", None, 415, "unsupported_media_type"),
        (b'{"filename": ', "application/json", 400, "json_invalid"),
        (b'{"filename": "a.txt", "text": "\\ud800"}', "application/json", 400, "json_invalid"),
    ],
)  # fmt: skip
def test_a_body_that_is_neither_form_nor_json_is_refused(
    http: httpx.Client, content: bytes, content_type: str | None, status: int, code: str
) -> None:
    headers = {"content-type": content_type} if content_type else {}
    assert_problem(http.post("/v1/documents", content=content, headers=headers), status, code)


def test_one_request_brings_one_file(http: httpx.Client) -> None:
    files = [("file", ("a.txt", b"a")), ("file", ("b.txt", b"b"))]
    assert_problem(http.post("/v1/documents", files=files), 400, "bad_request")
    assert listed(http) == []


def test_documents_are_listed_in_pages(http: httpx.Client) -> None:  # A3
    names = [f"{number}.txt" for number in range(5)]
    for name in names:
        send(http, name=name)
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        params = {"limit": 2} if cursor is None else {"limit": 2, "cursor": cursor}
        page = http.get("/v1/documents", params=params).json()
        seen += [document["filename"] for document in page["documents"]]
        assert page["total"] == 5
        cursor = page["next_cursor"]
    assert (seen, cursor) == (names[::-1], None)


def test_documents_are_found_by_what_is_known_of_them(http: httpx.Client) -> None:  # A3, N3
    send(http, b"one", "a.txt", form={"metadata": '{"year": 2026, "filing type": "10-Q"}'})
    send(http, b"two", "b.txt", form={"metadata": '{"year": 2025}'})
    one = listed(http, filename="a.txt")[0]
    assert listed(http, sha256=one["sha256"]) == listed(http, **{"metadata.year": 2026}) == [one]
    assert listed(http, **{"metadata.year": 2026, "metadata.filing type": "10-Q"}) == [one]
    assert listed(http, **{"metadata.year": 2027}) == listed(http, status="ready") == []
    assert len(listed(http, status="queued")) == 2
    assert_problem(http.get("/v1/documents?sha256=xyz"), 422, "request_invalid")
    assert_problem(http.get("/v1/documents?cursor=xyz"), 422, "cursor_invalid")


def test_documents_are_found_by_a_part_of_their_names(http: httpx.Client) -> None:
    for name in ("Annual Report.txt", "report_2024.txt", "notes.txt"):
        send(http, name=name, content=name.encode())
    found = {
        part: [one["filename"] for one in listed(http, name_contains=part)] for part in ("REPORT", "_", "%", "l r")
    }
    assert found == {
        "REPORT": ["report_2024.txt", "Annual Report.txt"],
        "_": ["report_2024.txt"],
        "%": [],
        "l r": ["Annual Report.txt"],
    }


def test_the_total_is_that_of_the_filters_and_of_the_own_tenant(http: httpx.Client) -> None:
    for number in range(3):
        send(http, name=f"{number}.txt", content=f"{number}".encode(), form={"metadata": '{"year": 2026}'})
    send(http, name="other.txt", content=b"other", form={"workspace": "other"})
    first = send(http, b"newer", "0.txt").json()["id"]
    with transaction() as session:
        session.get_one(Document, uuid.UUID(first)).status = DocumentStatus.SUPERSEDED

    def total(**filters: str) -> int:
        return http.get("/v1/documents", params={"limit": 1, **filters}).json()["total"]

    totals = [total(), total(workspace="other"), total(**{"metadata.year": "2026"}), total(name_contains="x")]
    assert totals == [4, 1, 3, 4]
    assert (total(versions="all"), total(status="ready"), total(filename="1.txt")) == (5, 0, 1)
    with system_transaction() as session:
        tenant = get_or_add_tenant(session, "elsewhere", "whsec_")
    with acting_for(tenant), reading() as session:
        assert count_documents(session, DocumentFilter()) == 0


def test_superseded_versions_are_listed_where_they_are_asked_for(http: httpx.Client) -> None:  # N3
    old = send(http, b"old").json()["id"]
    with transaction() as session:
        session.get_one(Document, uuid.UUID(old)).status = DocumentStatus.SUPERSEDED
    new = send(http, b"new").json()["id"]
    assert [document["id"] for document in listed(http)] == [new]
    assert [document["id"] for document in listed(http, status="superseded")] == [old]
    assert [document["id"] for document in listed(http, versions="all")] == [new, old]
    for each in (old, new):
        found = http.get(f"/v1/documents/{each}/versions").json()["documents"]
        assert [(document["id"], document["version"]) for document in found] == [(new, 2), (old, 1)]
    assert http.delete(f"/v1/documents/{new}", params={"all_versions": True}).status_code == 204
    assert listed(http, versions="all") == []


def test_the_same_bytes_under_another_name_are_told(http: httpx.Client) -> None:  # N3
    first = send(http).json()
    assert (first["same_as"], send(http, name="b.txt").json()["same_as"]) == (None, first["id"])


def test_metadata_that_comes_with_the_same_file_is_added(http: httpx.Client) -> None:  # N3
    here = send(http, form={"metadata": '{"year": 2025, "ticker": "ACME"}'}).json()["links"]["self"]
    assert send(http, form={"metadata": '{"year": 2026}'}).status_code == 200
    assert http.get(here).json()["metadata"] == {"year": 2026, "ticker": "ACME"}
