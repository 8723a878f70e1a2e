import os
import stat
from pathlib import Path

import pytest

from citewell.supervisor import home as home_module
from citewell.supervisor.errors import HomeUnusable
from citewell.supervisor.home import (
    closed_folder,
    disk_errors_explained,
    home_at,
    prepare,
    temporary_home,
    write_private,
)

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the servers as another user")


def test_missing_folders_are_made_and_only_the_servers_own_theirs() -> None:
    with temporary_home() as folder:
        home = home_at(folder / "a" / "b")
        prepare(home)
        prepare(home)
        owner = home.account.uid if home.account else os.geteuid()
        for path in (home.postgres, home.valkey):
            assert (path.stat().st_uid, stat.S_IMODE(path.stat().st_mode)) == (owner, 0o700)
        for path in (home.logs, home.run):
            assert (path.stat().st_uid, stat.S_IMODE(path.stat().st_mode)) == (os.geteuid(), 0o700)


def test_a_home_that_cannot_be_made_is_an_error_that_names_the_cure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = home_at(tmp_path / "file" / "home")
    with pytest.raises(HomeUnusable, match=r"Not a directory.*set CITEWELL_HOME"), disk_errors_explained(home):
        prepare(home)


@as_root
def test_a_folder_that_nobody_cannot_enter_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    tmp_path.chmod(0o755)
    with pytest.raises(HomeUnusable, match=r"cannot enter .*CITEWELL_HOME=/var/lib/citewell"):
        prepare(home_at(closed / "home"))
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


@as_root
def test_the_outermost_closed_folder_is_found() -> None:
    account = home_at(Path("/")).account
    assert account is not None
    with temporary_home() as folder:
        (folder / "open").mkdir(mode=0o755)
        assert closed_folder(folder / "open", account) is None
        (folder / "closed" / "open").mkdir(parents=True)
        (folder / "closed").chmod(0o700)
        assert closed_folder(folder / "closed" / "open", account) == folder / "closed"


@as_root
def test_data_of_another_user_is_refused() -> None:
    with temporary_home() as folder:
        (folder / "postgres").mkdir()
        with pytest.raises(HomeUnusable, match="another user"):
            prepare(home_at(folder))


def test_a_full_disk_is_an_error_that_names_the_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_module, "MIN_FREE_BYTES", 1 << 62)
    with temporary_home() as folder, pytest.raises(HomeUnusable, match="MB of free space"):
        prepare(home_at(folder))


def test_a_private_file_is_never_readable_by_others(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    for text in ("first", "second"):
        write_private(path, text)
        assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == (text, 0o600)
    assert list(tmp_path.iterdir()) == [path]
