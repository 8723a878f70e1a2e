"""Commands and the servers behind them: found where one runs, started where none does, never left behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from citewell.supervisor.home import temporary_home
from tests.supervisor.observers import soon

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("stacks")]

PROGRAM = [sys.executable, "-m", "citewell.cli.main"]
FOREIGN = ("GROQ_API_KEY", "GROQ_BASE_URL", "CITEWELL_URL", "CITEWELL_DATABASE_URL", "CITEWELL_REDIS_URL")


@pytest.fixture
def home() -> Generator[Path]:
    """An empty home; nothing that works on it may be left at the end."""
    with temporary_home() as folder:
        yield folder
        assert processes_of(folder) == []


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**kept, "CITEWELL_HOME": str(home)}


def processes_of(home: Path) -> list[psutil.Process]:
    """Every process that was started for this home, however it is related to us."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get("CITEWELL_HOME") == str(home):
                found.append(process)
        except psutil.Error:
            continue
    return found


def start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *arguments],
        env=environment(home),
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background ignores SIGINT, and its children would, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )


def test_the_demo_runs_from_anywhere_and_stops_everything_it_started(home: Path) -> None:  # A10
    demo = start(home, "demo", "--json")
    out, err = demo.communicate(timeout=170)
    assert demo.returncode == 0, err
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["status"] for answer in answers] == ["succeeded"] * 5
    assert [answer["abstained"] for answer in answers].count(True) == 1
    assert {answer["workspace"] for answer in answers} == {"demo"}
    assert err.splitlines()[0] == "starting a server for this command; `citewell up` keeps one running"
    assert err.count("✓ ") == 5
    assert "\x1b" not in err


def test_commands_find_the_server_that_runs(home: Path) -> None:
    up = start(home, "up", "--port", "0")
    assert up.stderr is not None
    told = next(line for line in up.stderr if line.startswith("Citewell is ready at "))
    path = home / "note.txt"
    path.write_text("The office in Ghent opens at nine in the morning. It closes at five in the afternoon.")
    ingested, asked, listed = (
        subprocess.run(
            [*PROGRAM, *words], env=environment(home), capture_output=True, text=True, timeout=90, check=True
        )
        for words in (["ingest", str(path)], ["ask", "When does the office in Ghent open?", "--json"], ["history"])
    )
    assert (ingested.stderr, asked.stderr, listed.stderr) == ("", "", "")
    answer = json.loads(asked.stdout)
    assert "nine in the morning" in answer["answer"]
    assert answer["id"] in listed.stdout
    second = start(home, "up", "--port", "0")
    _, err = second.communicate(timeout=30)
    assert second.returncode == 2
    assert told.split()[4] in err
    up.send_signal(signal.SIGTERM)
    _, err = up.communicate(timeout=30)
    assert up.returncode == 0
    assert err.splitlines()[-1] == "Citewell has stopped"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_command_leaves_nothing_behind(home: Path, number: signal.Signals) -> None:
    command = start(home, "demo")
    soon(lambda: len(processes_of(home)) > 3, within=60)
    command.send_signal(number)
    _, err = command.communicate(timeout=30)
    if number is not signal.SIGKILL:
        assert command.returncode == 130
        assert err.splitlines()[-1] == "citewell: interrupted"
    assert "Traceback" not in err
    soon(lambda: processes_of(home) == [], within=20)
