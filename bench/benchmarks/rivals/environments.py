"""Environments of the rivals that are other people's packages: below build/, made from pinned requirements when
missing.

CITEWELL_BENCH_ENVS names another folder with environments that are used as they are.
"""

import os
import subprocess
import sys
import venv
from contextlib import suppress
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
_MADE = _FOLDER.parents[2] / "build" / "bench-envs"
_INSTALL_WITHIN_S = 600


class CannotInstall(Exception):
    """The environment of a rival cannot be made; the message says why."""


def python_of(name: str) -> Path:
    """Return the interpreter for the rival `name`. Raises CannotInstall."""
    given = os.environ.get("CITEWELL_BENCH_ENVS")
    if given:
        python = Path(given) / name / "bin" / "python"
        if not python.exists():
            raise CannotInstall(f"{python} does not exist")
        return python
    return _made(name)


def prepare(name: str) -> None:
    """Make the environment now if possible, so that nothing is installed during a measurement."""
    with suppress(CannotInstall):
        python_of(name)


def _made(name: str) -> Path:
    wanted = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    folder = _MADE / name
    stamp, python = folder / "installed.txt", folder / "bin" / "python"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"making {folder}", file=sys.stderr)
    venv.create(folder, clear=True, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["-r", str(_FOLDER / f"{name}.txt")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_WITHIN_S, check=False)  # noqa: S603 - ours
    except subprocess.TimeoutExpired:
        raise CannotInstall(f"pip took longer than {_INSTALL_WITHIN_S} s") from None
    if done.returncode:
        raise CannotInstall(_last_line(done.stderr))
    stamp.write_text(wanted, encoding="utf-8")
    return python


def _last_line(told: str) -> str:
    return next((line.strip() for line in reversed(told.splitlines()) if line.strip()), "pip failed")[:200]
