"""Archives over HTTP: uploaded as a form, read, listed."""

import httpx
import pytest

from api.app import create_app
from config.settings import settings
from services.documents.unpacking import unpack
from tests.api.problems import assert_problem
from tests.archives import zipped
from tests.leases import hold
from tests.serving import serving

FILES = {"a.txt": "one fish", "deep/b.md": "two fish", "picture.gif": "x"}
FORM = {"workspace": "w", "metadata": '{"year": 2026}'}


def send(http: httpx.Client, data: bytes | None = None, **form: str) -> httpx.Response:
    content = zipped(FILES) if data is None else data
    return http.post("/v1/imports", files={"file": ("some.zip", content)}, data=FORM | form)


def test_an_archive_is_accepted_and_can_be_followed(http: httpx.Client) -> None:  # A3, N3
    response = send(http)
    assert response.status_code == 202
    accepted = response.json()
    assert (accepted["status"], accepted["created"]) == ("queued", True)
    assert response.headers["location"] == accepted["links"]["self"] == f"/v1/imports/{accepted['id']}"
    begun = http.get(accepted["links"]["self"]).json()
    told = (begun["workspace"], begun["filename"], begun["metadata"], begun["total"], begun["accepted"])
    assert told == ("w", "some.zip", {"year": 2026}, None, 0)
    unpack(accepted["id"], settings(), hold, lambda _: None)
    now = http.get(accepted["links"]["self"]).json()
    assert (now["status"], now["total"], now["accepted"], now["failures"]) == ("running", 3, 2, [])
    assert [(each["name"], each["code"]) for each in now["skipped"]] == [("picture.gif", "document_type_unknown")]
    assert now["documents"] == {"queued": 2, "processing": 0, "ready": 0, "failed": 0, "superseded": 0}
    listed = http.get("/v1/documents", params={"workspace": "w"}).json()["documents"]
    assert {document["filename"] for document in listed} == {"a.txt", "deep/b.md"}


def test_the_same_archive_again_is_the_same_import(http: httpx.Client) -> None:  # A5
    first, second = send(http), send(http)
    assert (second.status_code, second.json()["id"], second.json()["created"]) == (200, first.json()["id"], False)


def test_imports_are_listed_in_pages(http: httpx.Client) -> None:  # A3
    ids = [send(http, zipped({"a.txt": str(number)}), workspace=f"w{number % 2}").json()["id"] for number in range(3)]
    page = http.get("/v1/imports", params={"limit": 2}).json()
    assert [found["id"] for found in page["imports"]] == ids[:0:-1]
    rest = http.get("/v1/imports", params={"limit": 2, "cursor": page["next_cursor"]}).json()
    assert ([found["id"] for found in rest["imports"]], rest["next_cursor"]) == (ids[:1], None)
    assert [found["id"] for found in http.get("/v1/imports?workspace=w1").json()["imports"]] == [ids[1]]
    assert http.get("/v1/imports?status=finished").json()["imports"] == []


def test_what_is_no_archive_is_refused_at_the_door(http: httpx.Client) -> None:  # A8
    assert_problem(send(http, b"words"), 415, "archive_type_unknown")
    assert_problem(send(http, b"PK\x03\x04 cut"), 422, "document_unreadable")
    assert_problem(http.post("/v1/imports", json={}), 415, "unsupported_media_type")
    assert_problem(http.post("/v1/imports", files={"other": b"x"}), 422, "request_invalid")
    assert_problem(send(http, metadata="[1]"), 422, "request_invalid")
    assert http.get("/v1/imports").json()["imports"] == []


def test_an_archive_that_is_sent_as_a_document_is_told_where_to_go(http: httpx.Client) -> None:  # N3
    refused = http.post("/v1/documents", files={"file": ("some.ZIP", zipped(FILES))})
    assert "/v1/imports" in assert_problem(refused, 415, "document_type_unknown")["detail"]


def test_an_archive_has_a_limit_of_its_own(database: str, monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    assert database
    monkeypatch.setenv("CITEWELL_INGESTION__IMPORT_MAX_BYTES", "2000000")
    settings.cache_clear()
    with serving(create_app()) as url, httpx.Client(base_url=url) as client:
        assert_problem(send(client, b"PK\x03\x04" + b"x" * 1_900_000), 422, "document_unreadable")
        assert_problem(send(client, b"x" * 2_100_000), 413, "content_too_large")
