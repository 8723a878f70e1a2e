"""Waiting for an upload: a document can be searched as soon as `upload` returns."""

from pathlib import Path
from typing import Any

import pytest

from citewell_client.types import Document
from tests.client.halves import Half
from tests.client.recording import Answer, recording, told


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    return path


@pytest.fixture(autouse=True)
def looking_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of these tests has the next state ready at once."""
    monkeypatch.setattr("citewell_client._documents.LOOK_EVERY_S", 0.05)


def accepted(**fields: Any) -> Answer:
    return told({"id": "d", "status": "queued", "created": True, **fields}, 202)


def document(status: str) -> Answer:
    return told({"id": "d", "status": status})


# N9: the first example of docs/client.md asked before the document was read.
@pytest.mark.parametrize("ended", ["ready", "failed", "superseded"])
def test_an_upload_waits_until_the_document_can_be_asked_or_not_at_all(half: Half, path: Path, ended: str) -> None:
    with recording(accepted(), document("queued"), document("processing"), document(ended)) as server:
        sent = half(server.url, lambda client: client.upload(path, wait=True))
    assert (sent["id"], sent["status"], sent["created"]) == ("d", ended, True)
    assert [asked.method for asked in server.asked] == ["POST", "GET", "GET", "GET"]


# N9
def test_an_upload_does_not_wait_unless_it_is_told_to(half: Half, path: Path) -> None:
    with recording(accepted()) as server:
        assert half(server.url, lambda client: client.upload(path))["status"] == "queued"
    assert len(server.asked) == 1


# N9
def test_an_upload_that_takes_longer_says_how_far_it_is(half: Half, path: Path) -> None:
    with recording(accepted(), document("processing")) as server:
        assert half(server.url, lambda client: client.upload(path, wait=0.2))["status"] == "processing"


# N9
def test_a_document_that_was_sent_before_is_waited_for_and_looked_at(half: Half) -> None:
    seen: list[Document] = []
    with recording(document("processing"), document("ready")) as server:
        found = half(server.url, lambda client: client.wait_document("d", 30, seen.append))
    assert (found["status"], [each["status"] for each in seen]) == ("ready", ["processing", "ready"])


def test_a_file_is_also_named_by_its_path_as_text(half: Half, path: Path) -> None:
    with recording(accepted(), accepted()) as server:
        half(server.url, lambda client: client.upload(str(path)))
        half(server.url, lambda client: client.imports.create(str(path)))
    assert all(b'filename="a.txt"' in asked.body for asked in server.asked)
