"""`citewell backup` and `citewell restore` of a database named by CITEWELL_DATABASE_URL, and what they refuse."""

import json
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from citewell.backup.archive import Contents, Hashed, write_backup
from config.settings import settings
from db.copying import create_database, drop_database
from db.session import transaction
from tests.books import books
from tests.cli.conftest import Citewell, Outcome
from tests.stored import store_answered_query

EMPTY = "an_empty_database"
Restore = Callable[..., Outcome]


@pytest.fixture
def empty(database: str) -> Generator[str]:
    """An empty database on the same server."""
    yield create_database(database, EMPTY)
    drop_database(database, EMPTY)


@pytest.fixture
def restore(citewell: Citewell, empty: str, monkeypatch: pytest.MonkeyPatch) -> Restore:
    """`citewell restore` into the empty database."""

    def command(*arguments: str) -> Outcome:
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("CITEWELL_DATABASE_URL", empty)
            settings.cache_clear()
            outcome = citewell("restore", *arguments)
        settings.cache_clear()
        return outcome

    return command


@pytest.fixture
def backup(citewell: Citewell, tmp_path: Path) -> Path:
    """The backup of a database with one answered question and its audit."""
    with transaction() as session:
        store_answered_query(session)
    file = tmp_path / "citewell.backup"
    outcome = citewell("backup", str(file))
    assert (outcome.code, outcome.out) == (0, "")
    return file


def rewritten(file: Path, **changes: object) -> str:
    """A copy with another manifest."""
    copy = file.with_name("other.backup")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(copy, "w") as new:
        new.writestr("database.dump", old.read("database.dump"))
        new.writestr("backup.json", json.dumps({**json.loads(old.read("backup.json")), **changes}))
    return str(copy)


def test_every_row_of_every_table_comes_back(backup: Path, restore: Restore, database: str, empty: str) -> None:  # F12
    outcome = restore(str(backup))
    assert outcome.code == 0, outcome.err
    assert "is restored" in outcome.err
    before = books(database)
    assert books(empty) == before
    assert before["audit_chains"][0] == 1
    assert backup.stat().st_mode & 0o777 == 0o600
    # The tenants are kept apart as before: without saying for whom, nothing is seen.
    assert books(empty, system="off")["queries"][0] == 0


def test_a_backup_replaces_no_file_and_an_interrupted_one_leaves_none(citewell: Citewell, tmp_path: Path) -> None:
    # F12
    file = tmp_path / "citewell.backup"
    file.write_text("mine")
    assert "is there already" in citewell("backup", str(file)).complaint
    assert file.read_text() == "mine"
    assert "cannot write" in citewell("backup", str(tmp_path / "nowhere" / "b")).complaint

    def interrupted(out: Hashed) -> Contents:
        out.write(b"half of it")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_backup(tmp_path / "other", interrupted)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("harm", ["flipped", "cut", "no backup", "missing"])
def test_a_damaged_file_changes_nothing(backup: Path, restore: Restore, empty: str, harm: str) -> None:  # F12
    whole = backup.read_bytes()
    middle = len(whole) // 2
    damaged = {
        "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "cut": whole[: len(whole) - 100],
        "no backup": b"-- a dump of something else",
    }
    if harm in damaged:
        backup.write_bytes(damaged[harm])
    else:
        backup.unlink()
    outcome = restore(str(backup))
    assert outcome.code == 2
    assert ("cannot read" if harm == "missing" else "damaged") in outcome.complaint
    assert books(empty) == {}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema_revision": "9999", "citewell": "9.9"}, "9999 of Citewell 9.9"),
        ({"schema_revision": "beef"}, "beef"),
        ({"format": 2}, "newer Citewell"),
        ({"sha256": "0" * 64}, "damaged"),
    ],
)
def test_what_this_version_does_not_know_is_refused(
    backup: Path, restore: Restore, empty: str, changes: dict[str, object], said: str
) -> None:  # F12
    outcome = restore(rewritten(backup, **changes))
    assert outcome.code == 2
    assert said in outcome.complaint
    assert books(empty) == {}


def test_rows_that_are_missing_are_noticed(backup: Path, restore: Restore) -> None:  # F12
    outcome = restore(rewritten(backup, tables={"queries": 2}))
    assert outcome.code == 1
    assert "did not bring back all rows of queries" in outcome.err


def test_a_database_with_tables_is_not_restored_into(backup: Path, citewell: Citewell) -> None:  # F12
    assert "has tables" in citewell("restore", str(backup)).complaint
