"""A watched folder: every file once, changes followed, whatever ends the worker meanwhile (N3)."""

import json
import os
import uuid
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from config.settings import settings
from db.models import Document
from db.queries.documents import source_items
from db.queries.documents import sources as rows
from db.session import reading, transaction
from domain.errors.requests import DocumentSourceInvalid, PlaceForbidden
from domain.errors.service import PlaceUnreachable
from domain.errors.state import DocumentSourceNameTaken
from services.documents.documents import remove_document
from services.sources import running
from services.sources.running import MAX_STRIKES, run_source
from services.sources.setup import ask_for_a_run, change_source, read_items, read_source, remove_source
from tests.leases import hold, lose
from tests.services.sources.place import configure, files, items, look, put_all_in_force, run, set_up

FILES = {"a.txt": "one fish", "deep/b.md": "# Two\n\nfish", "deep/er/c.txt": "red fish"}


@pytest.fixture
def folder(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert database
    inside = tmp_path / "inside"
    write(inside, FILES)
    configure(monkeypatch, folders=json.dumps({"books": {"path": str(inside)}}))
    return inside


def write(folder: Path, files: dict[str, str]) -> None:
    for name, words in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(words)


def count(table: type = Document) -> int:
    with reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.mark.usefixtures("folder")
def test_every_file_becomes_a_document_named_after_its_place() -> None:  # N3
    source = set_up("folder", "books", metadata={"year": 2026})
    before = read_source(source)
    assert (before["phase"], before["run"], before["items"]["listed"]) == ("idle", 0, 0)
    seen = run(source, really=True)
    assert (seen["run"], items(seen), seen["error"]) == (1, {"new": 3}, None)
    assert (seen["items"]["listed"], seen["documents"]["ready"]) == (3, 3)
    assert files() == {f"s/{name}": words for name, words in FILES.items()}
    with reading() as session:
        assert all(details["year"] == 2026 for details in session.scalars(select(Document.details)))
        assert set(session.scalars(select(Document.source))) == {"s"}


def test_what_changed_is_a_new_version_and_what_is_the_same_stays(folder: Path) -> None:  # N3
    source = set_up("folder", "books")
    run(source)
    write(folder, {"a.txt": "one fish more", "d.txt": "new fish"})
    os.utime(folder / "deep/b.md")
    seen = run(source)
    assert items(seen) == {"changed": 1, "new": 1, "unchanged": 2}
    assert files()["s/a.txt"] == "one fish more"
    assert files("superseded") == {"s/a.txt": "one fish"}
    assert items(run(source)) == {"unchanged": 4}
    assert count() == 5


def test_what_goes_is_marked_and_what_comes_back_is_not(folder: Path) -> None:  # N3
    source = set_up("folder", "books")
    run(source)
    (folder / "a.txt").unlink()
    seen = run(source)
    assert items(seen) == {"unchanged": 2, "gone": 1}
    (gone,) = read_items(source, "gone", after="", limit=10)
    assert (gone["key"], gone["document_status"], gone["gone_at"] is not None) == ("a.txt", "ready", True)
    assert "gone_from_source_at" in details_of(gone["document_id"])
    assert items(run(source)) == {"unchanged": 2}
    write(folder, {"a.txt": "one fish"})
    assert items(run(source)) == {"unchanged": 2, "new": 1}
    assert "gone_from_source_at" not in details_of(gone["document_id"])
    assert count() == 3


def details_of(document_id: str) -> dict[str, object]:
    with reading() as session:
        return session.get_one(Document, uuid.UUID(document_id)).details


def test_what_goes_is_deleted_where_the_source_says_so(folder: Path) -> None:  # N3
    source = set_up("folder", "books", when_gone="delete")
    run(source)
    write(folder, {"a.txt": "two"})
    run(source)
    (folder / "a.txt").unlink()
    assert items(run(source)) == {"unchanged": 2, "gone": 1}
    assert set(files()) == {"s/deep/b.md", "s/deep/er/c.txt"}
    assert files("superseded") == {}


@pytest.mark.usefixtures("folder")
def test_a_document_that_somebody_deleted_comes_back_only_with_a_change(folder: Path) -> None:  # N3
    source = set_up("folder", "books")
    run(source)
    (first,) = [each for each in read_items(source, None, after="", limit=10) if each["key"] == "a.txt"]
    remove_document(uuid.UUID(first["document_id"]))
    os.utime(folder / "a.txt")
    run(source)
    assert "s/a.txt" not in files()
    write(folder, {"a.txt": "other"})
    assert items(run(source)) == {"changed": 1, "unchanged": 2}
    assert files()["s/a.txt"] == "other"


def test_an_empty_folder_and_a_missing_one_are_no_deletion(folder: Path) -> None:  # N3
    source = set_up("folder", "books", when_gone="delete")
    run(source)
    away = folder.rename(folder.with_name("away"))
    assert run(source)["error"]["code"] == "place_unreachable"
    folder.mkdir()
    seen = run(source)
    assert (seen["error"]["code"], items(seen), len(files())) == ("source_empty", {}, 3)
    folder.rmdir()
    away.rename(folder)
    assert items(run(source)) == {"unchanged": 3}


def test_each_file_that_is_no_document_has_its_reason(folder: Path, tmp_path: Path) -> None:  # N3, A8
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "way").symlink_to(tmp_path)
    (folder / "picture.bin").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "empty.txt").touch()
    (folder / ".hidden.txt").write_text("hidden")
    (folder / "~$open.docx").write_text("who has it open")
    os.mkfifo(folder / "pipe.txt")
    (folder / "broken.pdf").write_text("%PDF-1.7 no")
    (folder / os.fsdecode(b"\xff.txt")).write_text("x")
    write(folder, {"two\nlines.txt": "two lines"})
    source = set_up("folder", "books")
    seen = run(source, really=True)
    assert items(seen) == {"new": 5, "skipped": 4, "failed": 1}
    assert {each["key"]: (each["outcome"], each["code"]) for each in seen["reasons"]} == {
        "empty.txt": ("failed", "document_empty"),
        "link.txt": ("skipped", "not_of_the_source"),
        "picture.bin": ("skipped", "document_type_unknown"),
        "way": ("skipped", "not_of_the_source"),
        "\N{REPLACEMENT CHARACTER}.txt": ("skipped", "document_name_invalid"),
    }
    assert seen["documents"]["failed"] == 1
    assert "secret" not in str(files())


def test_a_folder_that_became_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:  # A8
    source = set_up("folder", "books")
    run(source)
    secret = tmp_path / "elsewhere"
    write(secret, {"b.md": "secret", "er/c.txt": "secret"})
    os.utime(folder / "deep/b.md")
    # Between listing and fetching.
    ask_for_a_run(source)
    with transaction() as session:
        rows.claim_source(session, source, 0)
        begun = rows.get_source(session, source)
        with_tag = source_items.Listed("deep/b.md", "other")
        source_items.list_items(session, source, begun.run, [with_tag])
        rows.change_source(session, source, {"phase": "fetching", "lease_until": None})
    (folder / "deep").rename(tmp_path / "moved")
    (folder / "deep").symlink_to(secret)
    seen = look(source)
    assert {each["key"]: each["code"] for each in seen["reasons"]} == {"deep/b.md": "not_of_the_source"}
    assert "secret" not in str(files())


def test_patterns_choose_files_and_a_change_of_them_lets_others_go(folder: Path) -> None:  # N3
    source = set_up("folder", "books/deep", include=["*.txt", "*.md"], exclude=["er/*"])
    assert (items(run(source)), list(files())) == ({"new": 1}, ["s/b.md"])
    change_source(source, {"exclude": ["b*"]}, settings())
    assert items(run(source)) == {"new": 1, "gone": 1}
    assert folder.exists()


@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # N3, F1
    write(folder, {f"many/{number}.txt": f"file {number}" for number in range(60)})
    source = set_up("folder", "books")
    configure(monkeypatch, queued="7", slice_s="0.05")
    taken = running.take
    calls = 0

    def die_now_and_then(*args: object) -> None:
        nonlocal calls
        calls += 1
        taken(*args)  # pyright: ignore[reportArgumentType] - as it was called
        if calls % 11 == 0:
            raise KeyboardInterrupt  # after the document was accepted, before anything else

    monkeypatch.setattr(running, "take", die_now_and_then)
    for _ in range(300):
        try:
            seen = look(source)
        except KeyboardInterrupt:
            with transaction() as session:
                session.execute(text("UPDATE sources SET lease_until = NULL"))
            continue
        unread = seen["documents"]["queued"]
        assert unread <= 7
        put_all_in_force()
        if seen["phase"] == "idle":
            break
    seen = read_source(source)
    assert (seen["run"], items(seen), seen["error"]) == (1, {"new": 63}, None)
    assert (count(), len(files()), calls) == (63, 63, 63)


def test_a_file_accepted_by_a_worker_that_died_is_not_accepted_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, F1
    assert folder.exists()
    source = set_up("folder", "books")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("services.sources.items._record", die)
        with pytest.raises(KeyboardInterrupt):
            look(source)
    assert count() == 1
    with transaction() as session:
        session.execute(text("UPDATE sources SET lease_until = NULL"))
    assert items(run(source)) == {"new": 3}
    assert count() == 3


@pytest.mark.usefixtures("folder")
def test_a_worker_that_lost_the_source_stores_nothing_more() -> None:  # F1
    source = set_up("folder", "books")
    run_source(source, settings(), lose("sources"), lambda: None)
    assert count() == 0


@pytest.mark.usefixtures("folder")
def test_a_source_that_ends_its_workers_is_given_up() -> None:  # F1
    source = set_up("folder", "books")
    with transaction() as session:
        rows.change_source(session, source, {"strikes": MAX_STRIKES})
    seen = look(source)
    assert (seen["phase"], seen["error"]["code"]) == ("idle", "source_gave_up")
    assert items(run(source)) == {"new": 3}


def test_a_source_waits_while_many_documents_are_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # A7
    assert folder.exists()
    configure(monkeypatch, queued="2")
    source = set_up("folder", "books")
    for _ in range(3 * MAX_STRIKES):
        seen = look(source)
        assert (seen["phase"], items(seen), seen["error"]) == ("fetching", {"new": 2, "pending": 1}, None)
    assert items(run(source)) == {"new": 3}
    assert "source_broke" not in capsys.readouterr().out


def test_a_folder_with_too_many_files_is_taken_in_part_and_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    source = set_up("folder", "books", max_items=2)
    seen = run(source)
    assert (items(seen), seen["error"]["code"]) == ({"new": 2}, "source_too_large")
    # What is left out is not gone.
    (folder / "a.txt").rename(folder / "z.txt")
    seen = run(source)
    assert items(seen) == {"new": 1, "unchanged": 1}
    change_source(source, {"max_items": 100}, settings())
    configure(monkeypatch, max_run_s="0.001")
    assert run(source)["error"]["code"] == "source_too_slow"


@pytest.mark.usefixtures("folder")
def test_a_paused_source_does_nothing_and_goes_on_later() -> None:  # N3
    source = set_up("folder", "books")
    assert change_source(source, {"status": "paused"}, settings())["status"] == "paused"
    assert look(source)["run"] == 0
    with pytest.raises(DocumentSourceInvalid, match="paused"):
        ask_for_a_run(source)
    change_source(source, {"status": "active"}, settings())
    assert items(run(source)) == {"new": 3}


@pytest.mark.usefixtures("folder")
def test_a_schedule_says_when_the_next_run_is_due() -> None:  # N3
    source = set_up("folder", "books", every_s=3600)
    seen = run(source)
    assert seen["next_run_at"] > seen["finished_at"]
    assert change_source(source, {"every_s": None}, settings())["next_run_at"] is None
    assert admitted() == []
    ask_for_a_run(source)
    assert admitted() == [source]
    assert admitted() == []


def admitted() -> list[uuid.UUID]:
    with transaction() as session:
        return [each for each, _ in rows.admit_sources(session, at_a_time=4, again_s=10)]


@pytest.mark.usefixtures("folder")
def test_a_deleted_source_keeps_or_deletes_its_documents() -> None:  # N3
    kept, deleted = set_up("folder", "books", "kept"), set_up("folder", "books", "deleted")
    run(kept)
    run(deleted)
    assert remove_source(kept, "keep")
    assert not remove_source(deleted, "delete")
    assert read_source(deleted)["status"] == "deleting"
    run_source(deleted, settings(), hold, lambda: None)
    assert set(files()) == {"kept/a.txt", "kept/deep/b.md", "kept/deep/er/c.txt"}
    with reading() as session:
        assert rows.list_sources(session, None, limit=10) == []


@pytest.mark.usefixtures("folder")
def test_two_sources_of_one_workspace_have_two_names() -> None:  # N3
    set_up("folder", "books")
    with pytest.raises(DocumentSourceNameTaken):
        set_up("folder", "books/deep")


@pytest.mark.parametrize("location", ["", "/", "elsewhere", "/etc", "books/../..", "books/deep/../../.."])
def test_only_folders_that_the_operator_allowed_are_read(folder: Path, location: str) -> None:  # A8
    assert folder.exists()
    with pytest.raises(PlaceForbidden):
        set_up("folder", location)


def test_a_folder_may_be_allowed_for_some_tenants(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    configure(monkeypatch, folders=json.dumps({"books": {"path": str(folder), "tenants": ["acme"]}}))
    with pytest.raises(PlaceForbidden, match="no folder 'books'"):
        set_up("folder", "books")
    configure(monkeypatch, folders=json.dumps({"books": {"path": str(folder), "tenants": ["default"]}}))
    set_up("folder", "books")


def test_a_folder_that_is_not_there_is_told_at_once(folder: Path) -> None:  # A8
    for location in ("books/nowhere", "books/a.txt", "books/a.txt/deep", f"books/{'n' * 300}", "books/deep/no where"):
        with pytest.raises(DocumentSourceInvalid, match="no folder"):
            set_up("folder", location)
    folder.rename(folder.with_name("unmounted"))
    with pytest.raises(PlaceUnreachable, match="No such file"):
        set_up("folder", "books")
    folder.with_name("unmounted").rename(folder)
    with pytest.raises(DocumentSourceInvalid, match="no depth"):
        set_up("folder", "books", depth=2)


@pytest.mark.usefixtures("folder")
def test_a_message_that_comes_after_the_end_of_its_run_begins_no_other() -> None:  # F1, N3
    source = set_up("folder", "books")
    ended = run(source)
    # As one that was sent again because its worker was killed or busy; also where the next run is hours away.
    assert look(source) == ended
    change_source(source, {"every_s": 86_400}, settings())
    assert look(source)["run"] == 1
    ask_for_a_run(source)
    assert look(source)["run"] == 2
