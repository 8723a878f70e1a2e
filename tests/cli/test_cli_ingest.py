"""`citewell ingest`: files and folders, each with a fate of its own."""

import json
import re
from pathlib import Path

import pytest

from citewell.client import CitewellClient
from clients.parsing import READ_SUFFIXES, ParseLimits, parse
from domain.errors import DocumentTypeUnknown
from domain.formats import SUFFIXES, listed
from tests.cli.conftest import Citewell
from tests.cli.standing_in import read, workers


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
    assert (outcome.code, outcome.err) == (0, "")
    with CitewellClient(api_url) as client:
        documents = client.documents("w")
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
    missing, locked = outcome.err.splitlines()
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
    assert (second.out, twice.out) == (first.out, first.out * 2)
    with CitewellClient(api_url) as client:
        assert len(client.documents()) == 1


def test_every_file_that_is_found_is_of_a_type_that_is_read_and_no_other_is() -> None:
    assert set(SUFFIXES) == set(READ_SUFFIXES)


def test_a_type_that_is_not_read_is_told_with_those_that_are() -> None:
    with pytest.raises(DocumentTypeUnknown, match=re.escape(listed())):
        parse(b"words", "a.exe", ParseLimits(max_pages=10, max_chars=1000))
