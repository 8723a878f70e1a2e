"""`citewell originals`, and what doctor and backup say of files outside of the database."""

import json
from pathlib import Path

import pytest

from config.settings import settings
from services.documents.documents import NewDocument, accept_document
from services.documents.files import read_file
from tests.cli.conftest import Citewell

LARGE = b"All returns must be made within 30 days of purchase. " * 100


def configure(patch: pytest.MonkeyPatch, **values: str) -> None:
    for name, value in values.items():
        patch.setenv(f"CITEWELL_ORIGINALS__{name.upper()}", value)
    settings.cache_clear()


def test_files_are_moved_when_the_setting_changes(
    citewell: Citewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3
    document = accept_document(NewDocument("policy.txt", LARGE), settings()).document_id
    configure(monkeypatch, store="folder", folder=str(tmp_path), above_bytes="1000")
    assert "database: 1 files, 5,300 bytes" in citewell("originals", "show").out
    assert citewell("originals", "move").out == "moved 1 files, 5,300 bytes\n"
    told = json.loads(citewell("originals", "show", "--json").out)
    assert told == {"store": "folder", "above_bytes": 1000, "places": {"folder": {"files": 1, "bytes": 5300}}}
    assert read_file(document) == LARGE
    next(path for path in tmp_path.rglob("*") if path.is_file()).write_bytes(b"")
    configure(monkeypatch, store="database")
    outcome = citewell("originals", "move")
    assert outcome.code == 1
    assert f"1 files are damaged and stay where they are: {document}" in outcome.err


def test_a_place_that_is_away_says_what_to_do(
    citewell: Citewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3
    accept_document(NewDocument("policy.txt", LARGE), settings())
    configure(monkeypatch, store="folder", folder=str(tmp_path / "unmounted"), above_bytes="1000")
    outcome = citewell("originals", "move")
    assert outcome.code == 2
    assert "mount it, or check `originals.folder`" in outcome.err
    said = citewell("doctor").out
    assert "error originals   files of more than 1,000 bytes: folder" in said
    assert "mount it, or check `originals.folder`" in said
    (tmp_path / "unmounted").mkdir()
    assert "ok    originals   files of more than 1,000 bytes: folder" in citewell("doctor").out
