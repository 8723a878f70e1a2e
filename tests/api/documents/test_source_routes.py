"""Sources of documents over HTTP: set up, watched, changed, deleted."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from config.settings import settings
from services.sources.running import run_source
from tests.api.problems import assert_problem
from tests.leases import hold

BOOKS = {"name": "books", "kind": "folder", "location": "shelf", "workspace": "w"}


@pytest.fixture
def shelf(http: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    assert http
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"fish {number}")
    (tmp_path / "picture.bin").write_bytes(b"x")
    monkeypatch.setenv("CITEWELL_SOURCES__FOLDERS", json.dumps({"shelf": {"path": str(tmp_path)}}))
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


def made(http: httpx.Client, **fields: Any) -> dict[str, Any]:
    response = http.post("/v1/sources", json=BOOKS | fields)
    assert response.status_code == 201, response.text
    return response.json()


def look(source_id: str) -> None:
    run_source(UUID(source_id), settings(), hold, lambda: None)


@pytest.mark.usefixtures("shelf")
def test_a_source_is_set_up_and_can_be_followed(http: httpx.Client) -> None:  # A3, N3
    response = http.post("/v1/sources", json=BOOKS | {"every_s": 3600, "options": {"metadata": {"year": 2026}}})
    source = response.json()
    here = f"/v1/sources/{source['id']}"
    assert (response.status_code, response.headers["location"]) == (201, here)
    assert (source["status"], source["phase"], source["run"], source["every_s"]) == ("active", "idle", 0, 3600)
    assert source["options"]["metadata"] == {"year": 2026}
    look(source["id"])
    seen = http.get(here).json()
    counts = {name: count for name, count in seen["items"].items() if count}
    assert counts == {"listed": 4, "new": 3, "skipped": 1}
    assert (seen["documents"]["queued"], seen["finished_at"] is not None) == (3, True)
    assert [(each["key"], each["code"]) for each in seen["reasons"]] == [("picture.bin", "document_type_unknown")]
    listed = http.get("/v1/documents", params={"workspace": "w"}).json()["documents"]
    assert {(each["filename"], each["metadata"]["year"]) for each in listed} == {
        (f"books/{number}.txt", 2026) for number in range(3)
    }
    assert [each["id"] for each in http.get("/v1/sources?workspace=w").json()["sources"]] == [source["id"]]
    assert http.get("/v1/sources?workspace=other").json() == {"sources": [], "next_cursor": None}


@pytest.mark.usefixtures("shelf")
def test_the_items_of_a_source_are_listed_in_pages(http: httpx.Client) -> None:  # A3
    source = made(http)
    look(source["id"])
    items = f"/v1/sources/{source['id']}/items"
    page = http.get(items, params={"limit": 3}).json()
    assert [each["key"] for each in page["items"]] == ["0.txt", "1.txt", "2.txt"]
    assert {each["document_status"] for each in page["items"]} == {"queued"}
    rest = http.get(items, params={"limit": 3, "cursor": page["next_cursor"]}).json()
    assert ([each["key"] for each in rest["items"]], rest["next_cursor"]) == (["picture.bin"], None)
    assert [each["key"] for each in http.get(items, params={"outcome": "skipped"}).json()["items"]] == ["picture.bin"]


@pytest.mark.usefixtures("shelf")
def test_a_source_is_paused_changed_run_and_deleted(http: httpx.Client) -> None:  # A3, N3
    here = f"/v1/sources/{made(http)['id']}"
    assert http.patch(here, json={"status": "paused"}).json()["status"] == "paused"
    assert_problem(http.post(f"{here}/run"), 422, "document_source_invalid")
    changed = http.patch(here, json={"status": "active", "options": {"include": ["0*"]}}).json()
    assert (changed["status"], changed["options"]["include"]) == ("active", ["0*"])
    begun = http.post(f"{here}/run")
    assert begun.status_code == 202
    look(begun.json()["id"])
    assert http.get(here).json()["items"]["new"] == 1
    assert http.delete(here, params={"documents": "delete"}).status_code == 202
    assert http.get(here).json()["status"] == "deleting"
    assert_problem(http.patch(here, json={"status": "active"}), 409, "document_source_deleting")
    look(begun.json()["id"])
    assert_problem(http.get(here), 404, "document_source_not_found")
    assert http.get("/v1/documents").json()["documents"] == []
    assert http.delete(f"/v1/sources/{made(http)['id']}").status_code == 204


@pytest.mark.usefixtures("shelf")
def test_what_cannot_be_a_source_is_refused_with_the_reason(http: httpx.Client) -> None:  # A8
    def refused(status: int, code: str, **fields: Any) -> str:
        return assert_problem(http.post("/v1/sources", json=BOOKS | fields), status, code)["detail"]

    assert "CITEWELL_SOURCES__FOLDERS" in refused(422, "place_forbidden", location="/etc")
    assert "no branch" in refused(422, "document_source_invalid", options={"branch": "main"})
    assert "at most 20,000" in refused(422, "document_source_invalid", options={"max_items": 50_000})
    assert "no folder 'nowhere'" in refused(422, "document_source_invalid", location="shelf/nowhere")
    for location in ("shelf//etc", "shelf/../etc", "shelf/./a", "shelf//"):
        assert "without `..`" in refused(422, "place_forbidden", location=location)
    refused(422, "request_invalid", kind="gopher")
    refused(422, "request_invalid", every_s=5)
    refused(422, "request_invalid", options={"includes": []})
    assert http.get("/v1/sources").json()["sources"] == []
    made(http)
    refused(409, "document_source_name_taken")
