"""Starting the program: quick help, no heavy imports, a clean end at Ctrl-C."""

import signal
import subprocess
import sys

import pytest
from sqlalchemy import select

from citewell.cli.main import COMMANDS, app_of
from citewell.cli.short_ids import SHORTEST
from db.models import Query
from db.queries.access.workspaces import get_or_add_workspace
from db.session import reading, transaction
from tests.cli.conftest import Citewell
from tests.waiting import until
from verify_material.rows import for_all_rows

PROGRAM = [sys.executable, "-m", "citewell.cli.main"]


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help_lists_every_command(citewell: Citewell, arguments: list[str]) -> None:
    outcome = citewell(*arguments)
    assert (outcome.code, outcome.err) == (0, "")
    for name, (_, summary) in COMMANDS.items():
        assert f"{name} " in outcome.out
        assert summary in outcome.out


# Celery explains its own commands.
@for_all_rows("name", [name for name in COMMANDS if name != "celery"])
def test_every_command_explains_itself(citewell: Citewell, name: str) -> None:
    outcome = citewell(name, "--help")
    assert outcome.code == 0
    assert f"Usage: citewell {name} [OPTIONS]" in outcome.out
    assert app_of(name)


@for_all_rows(
    "command",
    [
        "sources run",
        "documents show",
        "webhooks delete",
        "feedback give",
        "feedback review",
        "share",
        "export",
        "cancel",
    ],
)
def test_help_says_how_much_of_an_id_is_needed(citewell: Citewell, command: str) -> None:
    told = " ".join(citewell(*command.split(), "--help").out.split())
    assert f"at least its first {SHORTEST} characters" in told


def test_help_says_who_searches_without_a_key(citewell: Citewell) -> None:
    assert "without a key, rules do" in " ".join(citewell("search", "--help").out.split())


def test_the_version_is_told(citewell: Citewell) -> None:
    assert citewell("--version").out.startswith("citewell 0.")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from citewell.cli.main import run; run(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "typer" in loaded
    assert not loaded & {"httpx", "pydantic", "rich", "sqlalchemy", "celery", "fastapi", "numpy"}


def test_commands_do_not_load_what_serves() -> None:  # 43: `citewell up` lives as long as what it starts
    code = (
        "import sys; from citewell.cli.main import app_of; "
        f"[app_of(name) for name in {tuple(COMMANDS)}]; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    loaded = set(done.stdout.split())
    assert "httpx" in loaded
    assert not loaded & {"sqlalchemy", "alembic", "celery", "fastapi", "numpy"}


@pytest.mark.slow
def test_ctrl_c_ends_a_waiting_command_without_a_traceback(api_url: str, database: str) -> None:
    assert database
    with transaction() as session:
        get_or_add_workspace(session, "default")
    program = subprocess.Popen(
        [*PROGRAM, "ask", "Are you there?", "--url", api_url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # It has asked, so it is waiting by now, however long it took to start.
    until(_somebody_has_asked, seconds=90)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err) == (130, "", "citewell: interrupted\n")


def _somebody_has_asked() -> bool:
    with reading() as session:
        return session.scalar(select(Query.id)) is not None
