"""The embedded Postgres: a cluster created once, then served on 127.0.0.1 with a password.

The superuser has no password and so cannot log in at all; role `citewell` owns the database and may create others.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from secrets import token_hex

from citewell.supervisor.errors import StartFailed
from citewell.supervisor.home import Home
from citewell.supervisor.processes.process import ProcessSpec
from citewell.supervisor.processes.spawn import spawn
from citewell.supervisor.servers.binaries import Binaries

# None of Citewell's variables, because other processes of the account could read them. Large blocks of memory are
# mapped, so that they go back to the system when a statement has been planned: by default glibc raises the limit with
# every large block that is freed, and what lies between the plans that a connection keeps stays with its process.
SERVER_ENV = {
    "PATH": os.defpath,
    "LC_ALL": "C",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "131072",
}

# Extensions go into template1, so that every new database has them: creating them needs a superuser. Under row-level
# security a condition may use an index only if its function is declared leakproof, revealing nothing about rows that it
# must not see (docs/access.md); this one is the full-text match.
_BOOTSTRAP = """\
CREATE EXTENSION vector;
CREATE EXTENSION pg_trgm;
ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF;
CREATE ROLE citewell LOGIN CREATEDB PASSWORD '{password}';
CREATE DATABASE citewell OWNER citewell;
"""
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    # Each process may open 12 connections, and there are five processes with the default pools.
    "max_connections": "300",
    "shared_buffers": "128MB",
    "max_wal_size": "512MB",
    # These settings limit memory that is touched at the start and never used: transactions here are short and none is
    # serializable, and nothing is replicated.
    "wal_buffers": "1MB",
    "max_pred_locks_per_transaction": "10",
    "max_logical_replication_workers": "0",
    # The cores belong to the workers, and parallel queries need more /dev/shm than containers have.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "timezone": "UTC",
    # Statements, and the details and contexts of errors, quote stored data, which does not belong in a log.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}
# One flush of the file system instead of one per file of a new or a crashed cluster: on a busy disk 0.1 s, not 4 s.
_FLUSH = "syncfs" if sys.platform == "linux" else "fsync"
_DURABLE = {"recovery_init_sync_method": _FLUSH}
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def data_folder(home: Home) -> Path:
    return home.postgres / "data"


def create_cluster(home: Home, binaries: Binaries, password: str, *, durable: bool) -> None:
    for abandoned in home.postgres.glob("draft-*"):
        shutil.rmtree(abandoned, ignore_errors=True)  # helpers of a killed initdb may still write there
    if data_folder(home).exists():
        return
    draft = home.postgres / f"draft-{token_hex(4)}"
    # With locale C instead of C.UTF-8 the trigrams of Korean text are silently empty.
    _run(home, binaries.initdb, "-D", draft, "--username=postgres", "--auth=reject", "--encoding=UTF8",
         "--locale=C.UTF-8", f"--sync-method={_FLUSH}" if durable else "--no-sync")  # fmt: skip
    (draft / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
    # Single-user mode needs no server, no port and no password. An error must not print the password of its statement.
    _run(home, binaries.postgres, "--single", "-D", draft, "-c", "exit_on_error=on",
         "-c", "log_min_error_statement=panic", "template1", stdin=_BOOTSTRAP.format(password=password))  # fmt: skip
    draft.rename(data_folder(home))
    _sync_folder(home.postgres)


def postgres_spec(home: Home, binaries: Binaries, port: int, *, durable: bool) -> ProcessSpec:
    settings = _SETTINGS | {"port": str(port)} | (_DURABLE if durable else _NOT_DURABLE)
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return ProcessSpec(
        name="postgres",
        argv=(str(binaries.postgres), "-D", str(data_folder(home)), *options),
        env=SERVER_ENV,
        ready_line="database system is ready to accept connections",
        stop=((signal.SIGINT, 15.0), (signal.SIGQUIT, 6.0)),
        death_signal=signal.SIGQUIT,  # SIGQUIT ends its backends at once; the next start recovers from the log
        account=home.account,
        cwd=home.postgres,
    )


def _run(home: Home, program: Path, *args: str | Path, stdin: str = "") -> None:
    argv = [str(program), *map(str, args)]
    with spawn(argv, env=SERVER_ENV, account=home.account, cwd=home.postgres, stdin=subprocess.PIPE) as child:
        printed, _ = child.communicate(stdin.encode())
    if child.returncode != 0:
        raise StartFailed(f"{program.name} failed:\n{printed.decode(errors='replace')}")


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
