"""Commands and the servers behind them: found where one runs, started where none does, never left running."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest
from fpdf import FPDF

from citewell.cli.installation.up import error_in
from citewell.supervisor.home import temporary_home
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("commands with servers")]

PROGRAM = [Path(sys.executable).with_name("citewell")]
"""The command as it is installed."""
FOREIGN = ("GROQ_API_KEY", "GROQ_BASE_URL", "CITEWELL_URL", "CITEWELL_DATABASE_URL", "CITEWELL_REDIS_URL")


@pytest.fixture
def home() -> Generator[Path]:
    """An empty home; no process may use it at the end."""
    with temporary_home() as folder:
        yield folder
        assert processes_of(folder) == []


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    return {**kept, "CITEWELL_HOME": str(home)}


def processes_of(home: Path) -> list[psutil.Process]:
    """Every process that was started for this home, related to us or not."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get("CITEWELL_HOME") == str(home):
                found.append(process)
        except psutil.Error:
            continue
    return found


@dataclass
class Running:
    """A running command; its output goes to files, because nothing reads a pipe meanwhile."""

    process: subprocess.Popen[bytes]
    out: Path
    err: Path

    def end(self, within: float = 90) -> tuple[int, str, str]:
        """Wait for its end; return exit code, standard output, standard error."""
        return self.process.wait(within), self.out.read_text(), self.err.read_text()


@contextmanager
def started(home: Path, folder: Path, *arguments: str) -> Generator[Running]:
    out, err = folder / f"{arguments[0]}.out", folder / f"{arguments[0]}.err"
    with (
        out.open("wb") as stdout,
        err.open("wb") as stderr,
        subprocess.Popen(
            [*PROGRAM, *arguments],
            env=environment(home),
            cwd=folder,
            stdout=stdout,
            stderr=stderr,
        ) as process,
    ):
        try:
            yield Running(process, out, err)
        finally:
            process.kill()


def test_the_demo_runs_from_anywhere_and_stops_everything_it_started(home: Path, tmp_path: Path) -> None:  # A10
    # A folder with modules that are named as those of the server changes nothing.
    for name in ("api", "config", "db", "domain", "services", "workers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('this is another program')\n")
    with started(home, tmp_path, "demo", "--json") as demo:
        code, out, err = demo.end(within=170)
    assert code == 0, err
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["status"] for answer in answers] == ["succeeded"] * 5
    assert {answer["workspace"] for answer in answers} == {"demo"}
    assert err.splitlines()[0] == "starting a server for this command; `citewell up` keeps one running"
    assert err.splitlines()[1] == "5 example documents, 5 questions; the documents have no answer to Q3"
    assert [answer["abstained"] for answer in answers] == [False, False, True, False, False]
    assert err.count("✓ ") == 5
    assert "`make up`" in err.splitlines()[-1]
    assert "\x1b" not in err


@pytest.mark.drill
@pytest.mark.timeout(300)
def test_commands_find_the_server_that_runs_and_it_shows_what_dies(home: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The office in Ghent opens at nine in the morning. It closes at five in the afternoon.")
    with opened(home, tmp_path) as up:
        ready(up)
        ingested = command(home, "ingest", str(note), *map(str, unusable_files(tmp_path)))
        asked = command(home, "ask", "When does the office in Ghent open?", "--json")
        listed = command(home, "history")
        second = command(home, "up")
        examined = command(home, "doctor", "--json")
        starting, example, model, told = up.err.read_text().splitlines()
        worker = next(
            process
            for process in psutil.Process(up.process.pid).children(recursive=True)
            if "webhooks@" in " ".join(process.cmdline())
        )
        worker.kill()
        until(lambda: "webhooks ended with exit code -9; next start in" in up.err.read_text(), 30)
        printed = end(up)
    *_, death, stopped = printed.splitlines()
    assert stopped == "Citewell has stopped"
    assert starting.endswith(f"data and logs are in {home}")
    assert model.startswith("No language model is configured")
    assert told.startswith("Citewell is ready at http://127.0.0.1:")
    assert example.startswith("The workspace example has documents to try")
    assert [line for line in printed.splitlines() if "exit code" in line] == [death]
    assert death.endswith("logs/webhooks.log says why")
    assert ingested.returncode == 2
    assert re.fullmatch(r"✓ note.txt  1 passage, in workspace default; [\d.]+ m?s\n", ingested.stdout)
    *reasons, summary = ingested.stderr.splitlines()
    encrypted, fake = sorted(reasons)
    assert summary == "1 ready, 2 failed"
    assert encrypted.endswith(
        "encrypted.pdf: The document is encrypted; save a copy without a password and ingest that."
    )
    assert fake.endswith("fake.pdf is named .pdf but seems to be plain text")
    assert (asked.stderr, listed.stderr) == ("", "")
    answer = json.loads(asked.stdout)
    assert "nine in the morning" in answer["answer"]
    assert answer["id"] in listed.stdout
    assert second.returncode == 2
    assert "already runs" in second.stderr
    checks = {check["check"]: check for check in map(json.loads, examined.stdout.splitlines())}
    assert examined.returncode == 0
    assert "is ready, version" in checks["instance"]["found"]
    assert checks["workers"]["state"] == "ok"
    assert checks["model"]["state"] == "warn"
    # Started again, it opens with the same example, and shows all logs when asked to.
    with opened(home, tmp_path, "--verbose") as again:
        ready(again)
        logs = end(again)
    shown = {line.split(" | ")[0].strip() for line in logs.splitlines() if " | " in line}
    assert {"api", "postgres", "valkey", "queries-1", "ingestion"} <= shown


def opened(home: Path, folder: Path, *options: str) -> AbstractContextManager[Running]:
    return started(home, folder, "up", "--port", "0", "--example", *options)


def ready(up: Running) -> None:
    """It is up, and the example is there once."""
    until(lambda: "Citewell is ready at" in up.err.read_text(), 90)
    documents = httpx.get(f"{address(up)}/v1/documents", params={"workspace": "example"}).json()["documents"]
    assert [(document["status"], document["version"]) for document in documents] == [("ready", 1)] * 5


def end(up: Running) -> str:
    """Everything that it printed until its orderly end."""
    up.process.send_signal(signal.SIGTERM)
    code, _, err = up.end()
    assert code == 0
    assert "The workspace example has documents to try: citewell ask -w example" in err
    return err


def address(up: Running) -> str:
    (line,) = [line for line in up.err.read_text().splitlines() if line.startswith("Citewell is ready at")]
    return line.split()[4]


@pytest.mark.parametrize(
    ("line", "event"),
    [
        ('{"event": "it broke", "level": "error", "logger": "api"}', "it broke"),
        ('{"event": "it ended", "level": "critical"}', "it ended"),
        ('{"event": "it is slow", "level": "warning"}', None),
        ('{"event": "cut off', None),
        ("Traceback (most recent call last):", None),
        ("", None),
    ],
)
def test_only_errors_of_the_processes_are_shown(line: str, event: str | None) -> None:
    assert error_in(line) == event


def command(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments], env=environment(home), capture_output=True, text=True, timeout=90, check=False
    )


def unusable_files(folder: Path) -> tuple[Path, Path]:
    """An encrypted PDF, and a text with the suffix of a PDF."""
    encrypted, fake = folder / "encrypted.pdf", folder / "fake.pdf"
    pdf = FPDF()
    pdf.set_encryption(owner_password="owner", user_password="user")
    pdf.add_page()
    pdf.output(str(encrypted))
    fake.write_text("plain words")
    return encrypted, fake


@pytest.mark.drill
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_command_leaves_nothing_behind(home: Path, tmp_path: Path, number: signal.Signals) -> None:
    with started(home, tmp_path, "demo") as demo:
        until(lambda: "✓ " in demo.err.read_text(), 120)
        demo.process.send_signal(number)
        code, _, err = demo.end()
    assert "Traceback" not in err
    if number is not signal.SIGKILL:
        assert (code, err.splitlines()[-1]) == (130, "citewell: interrupted")
    until(lambda: processes_of(home) == [], 60)
