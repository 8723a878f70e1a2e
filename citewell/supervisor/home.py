"""CITEWELL_HOME on disk: its contents and owners.

As root the two servers run as `nobody` (Postgres refuses to run as root), who must be able to enter the home. The
permissions of existing folders are never widened: a home that cannot be entered is an error that names the folder.
"""

import os
import pwd
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from citewell.supervisor.errors import HomeUnusable

MIN_FREE_BYTES = 300_000_000  # a new cluster takes 65 MB, its write-ahead log soon as much again


class Account(NamedTuple):
    """The system user that the servers run as."""

    uid: int
    gid: int


@dataclass(frozen=True)
class Home:
    """A prepared home. `account` is None when the servers run as the invoking user."""

    root: Path
    account: Account | None

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def valkey(self) -> Path:
        return self.root / "valkey"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def run(self) -> Path:
        return self.root / "run"

    def give_to_servers(self, path: Path) -> None:
        if self.account is not None:
            os.chown(path, *self.account)


def home_at(path: Path) -> Home:
    """Return the home at this folder, without changes to the disk. Raises HomeUnusable."""
    return Home(path.expanduser().resolve(), _server_account())


def prepare(home: Home) -> None:
    """Create missing folders and check that everything can work there. Raises HomeUnusable, OSError."""
    _create(home)
    free = shutil.disk_usage(home.root).free
    if free < MIN_FREE_BYTES:
        raise HomeUnusable(
            f"{home.root} has {free // 1_000_000} MB of free space, Citewell needs {MIN_FREE_BYTES // 1_000_000} MB; "
            "make room or set CITEWELL_HOME to a folder on another disk"
        )
    if home.account is not None and (closed := closed_folder(home.root, home.account)):
        raise HomeUnusable(
            f"as root the database runs as the user nobody, who cannot enter {closed}; "
            "set CITEWELL_HOME to a folder that everybody can enter, for example CITEWELL_HOME=/var/lib/citewell"
        )


@contextmanager
def disk_errors_explained(home: Home) -> Generator[None]:
    """Turn OS errors about the home (no permission, read-only, disk full) into HomeUnusable."""
    try:
        yield
    except OSError as error:
        raise HomeUnusable(
            f"cannot keep Citewell's data in {home.root} ({error.strerror}: {error.filename}); "
            "set CITEWELL_HOME to a folder that you can write to, with free space"
        ) from None


@contextmanager
def temporary_home() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="citewell-") as folder:
        Path(folder).chmod(_folder_mode())
        yield Path(folder)


def closed_folder(path: Path, account: Account) -> Path | None:
    """Return the outermost folder on the way to `path`, or `path` itself, that the account may not enter."""
    for folder in (*reversed(path.parents), path):
        facts = folder.stat()
        bit = 0o100 if facts.st_uid == account.uid else 0o010 if facts.st_gid == account.gid else 0o001
        if not facts.st_mode & bit:
            return folder
    return None


def write_private(path: Path, text: str) -> None:
    draft = path.with_name(path.name + ".new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _server_account() -> Account | None:
    if os.geteuid() != 0:
        return None
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise HomeUnusable("as root the database runs as the user nobody, which this machine does not have") from None
    return Account(nobody.pw_uid, nobody.pw_gid)


def _folder_mode() -> int:
    return 0o711 if os.geteuid() == 0 else 0o700


def _create(home: Home) -> None:
    for folder in reversed([home.root, *home.root.parents]):
        if not folder.exists():
            folder.mkdir()
            folder.chmod(_folder_mode())
    for folder in (home.logs, home.run):
        folder.mkdir(mode=0o700, exist_ok=True)
    for folder in (home.postgres, home.valkey):
        _create_for_servers(home, folder)


def _create_for_servers(home: Home, folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if folder.stat().st_uid != (home.account.uid if home.account else os.geteuid()):
            raise HomeUnusable(
                f"{folder} was made by another user; start Citewell as that user or choose another CITEWELL_HOME"
            ) from None
    else:
        home.give_to_servers(folder)
