"""`citewell ingest`: files and folders, each with its own result."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from citewell_client import CitewellClient
from citewell_documents.errors import DocumentTypeUnknown
from citewell_documents.formats import SUFFIXES
from citewell_documents.parsing import READ_SUFFIXES, ParseLimits, parse
from tests.archives import zipped
from tests.cli.conftest import Citewell
from tests.cli.standing_in import read, unpacking, workers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.md", "a.txt", "deep/보고서.PDF", "deep/er/c.markdown", "notes.exe", ".hidden.txt", ".git/d.md"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def test_a_folder_is_walked_for_supported_files(citewell: Citewell, api_url: str, folder: Path) -> None:
    with workers(document=read):
        outcome = citewell("ingest", str(folder), "--workspace", "w", "--metadata", '{"year": 2026}')
    assert outcome.code == 0
    explained, summary = outcome.err.splitlines()
    assert explained.startswith("1 file is of a type that is not read (1 .exe); `citewell ingest --help` lists those")
    assert summary == "4 ready, 0 failed, 1 file skipped"
    with CitewellClient(api_url) as client:
        documents = list(client.documents("w"))
    assert {document["filename"] for document in documents} == {
        "a.txt",
        "b.md",
        "deep/보고서.PDF",
        "deep/er/c.markdown",
    }
    assert all(document["metadata"] == {"year": 2026} for document in documents)
    assert {document["source"] for document in documents} == {"command-line"}
    lines = outcome.out.splitlines()
    assert len(lines) == 4
    assert "✓ a.txt  3 passages, in workspace w" in lines


def test_a_file_that_fails_does_not_stop_the_others(citewell: Citewell, folder: Path) -> None:
    encrypted = folder / "encrypted.pdf"
    encrypted.write_bytes(b"%PDF-")
    paths = [folder / "missing.txt", encrypted, folder / "a.txt"]
    with workers(document=read):
        outcome = citewell("ingest", *map(str, paths))
    assert outcome.code == 2
    missing, locked, summary = outcome.err.splitlines()
    assert summary == "1 ready, 2 failed"
    assert missing.startswith(f"citewell: {paths[0]} cannot be read")
    assert locked == f"citewell: {encrypted}: it is encrypted; save a copy without a password"
    assert outcome.out == "✓ a.txt  3 passages, in workspace default\n"


def test_for_programs_there_is_a_json_object_per_document(citewell: Citewell, api_url: str, folder: Path) -> None:
    (folder / "encrypted.pdf").write_bytes(b"%PDF-")
    with workers(document=read):
        outcome = citewell("ingest", str(folder / "a.txt"), str(folder / "encrypted.pdf"), "--json")
    told = {document["filename"]: document for document in map(json.loads, outcome.out.splitlines())}
    assert {name: document["status"] for name, document in told.items()} == {
        "a.txt": "ready",
        "encrypted.pdf": "failed",
    }
    with CitewellClient(api_url) as client:
        assert told["a.txt"] == client.document(told["a.txt"]["id"])


def test_the_same_file_again_changes_nothing(citewell: Citewell, api_url: str, folder: Path) -> None:
    path = str(folder / "a.txt")
    with workers(document=read):
        first, second, twice = citewell("ingest", path), citewell("ingest", path), citewell("ingest", path, path)
    assert (first.code, second.code, twice.code) == (0, 0, 0)
    assert "there already" not in first.out
    assert second.out == first.out.rstrip() + "; it was there already\n"
    assert twice.out == second.out * 2
    with CitewellClient(api_url) as client:
        assert len(list(client.documents())) == 1


def test_every_file_that_is_found_is_of_a_type_that_is_read_and_no_other_is() -> None:
    assert set(SUFFIXES) == set(READ_SUFFIXES)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.exe", "save it as .pdf, or if it is plain text, rename it to .txt"),
        ("a.msg", "save it as .eml"),
        ("~$report.docx", "close that, and send it instead"),
    ],
)
def test_a_type_that_is_not_read_is_told_with_what_to_do(name: str, advice: str) -> None:
    with pytest.raises(DocumentTypeUnknown, match=re.escape(advice)):
        parse(b"words", name, ParseLimits(max_pages=10, max_chars=1000))


def test_the_lock_file_of_an_open_document_is_skipped(citewell: Citewell, tmp_path: Path) -> None:  # A8
    (tmp_path / "a.txt").write_text("words")
    (tmp_path / "~$report.docx").write_bytes(b"\5Lena " + bytes(155))
    (tmp_path / ".~lock.report.odt#").write_text(",lena,pc,27.11.2026 09:00;")
    with workers(document=read):
        outcome = citewell("ingest", str(tmp_path))
    assert outcome.code == 0
    assert "1 file is of a type that is not read (1 lock file of Office)" in outcome.err


def test_a_link_that_leads_back_and_what_is_no_file_are_left_out(citewell: Citewell, tmp_path: Path) -> None:  # A8
    (tmp_path / "a.txt").write_text("words")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    with workers(document=read):
        outcome = citewell("ingest", str(tmp_path))
    assert (outcome.code, outcome.out, outcome.err) == (0, "✓ a.txt  3 passages, in workspace default\n", "")


def test_a_large_file_that_is_there_already_is_not_sent_again(
    citewell: Citewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3
    path, uploads, upload = tmp_path / "large.txt", list[Path](), CitewellClient.upload

    def counted(client: CitewellClient, path: Path, **options: Any) -> Any:
        uploads.append(path)
        return upload(client, path, **options)

    monkeypatch.setattr(CitewellClient, "upload", counted)
    for content, metadata, sent in (
        ("words ", "{}", 1),
        ("words ", "{}", 0),
        ("words ", '{"year": 2026}', 1),
        ("words ", "{}", 0),
        ("other ", "{}", 1),
    ):
        path.write_text(content * 20_000)
        uploads.clear()
        with workers(document=read):
            assert citewell("ingest", str(path), "--metadata", metadata).code == 0
        assert len(uploads) == sent, (content, metadata)


def test_an_archive_is_imported_with_a_reason_for_each_file(
    citewell: Citewell, api_url: str, tmp_path: Path
) -> None:  # N3
    path = tmp_path / "some.zip"
    path.write_bytes(zipped({"a.txt": "a", "deep/b.md": "b", "encrypted.pdf": "c", "d.gif": "d", "e.txt": ""}))
    with workers(document=read), unpacking():
        outcome = citewell("ingest", str(path), "--workspace", "w")
        told = citewell("ingest", str(path), "--workspace", "w", "--json")
    assert outcome.code == 2
    assert outcome.out == ""
    locked, empty, types, summary = outcome.err.splitlines()
    assert locked == "citewell: encrypted.pdf: it is encrypted; save a copy without a password"
    assert empty == "citewell: e.txt: It is empty."
    assert "1 .gif" in types
    assert summary == "2 ready, 2 failed, 1 file skipped"
    found = json.loads(told.out)
    assert (found["status"], found["documents"]["ready"], found["total"]) == ("finished", 2, 5)
    with CitewellClient(api_url) as client:
        assert {each["filename"] for each in client.documents("w")} == {"a.txt", "deep/b.md", "encrypted.pdf"}


def test_an_archive_that_cannot_be_used_is_told_in_one_line(citewell: Citewell, tmp_path: Path) -> None:  # A8
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04")
    outcome = citewell("ingest", str(tmp_path / "cut.zip"), str(tmp_path / "none.zip"))
    assert outcome.code == 2
    cut, none, summary = outcome.err.splitlines()
    assert "cut.zip is damaged" in cut
    assert "none.zip cannot be read" in none
    assert summary == "0 ready, 2 failed"
