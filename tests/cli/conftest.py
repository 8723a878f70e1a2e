"""Commands as users run them, against the API on a real socket."""

from collections.abc import Callable, Generator
from dataclasses import dataclass

import pytest
import structlog

from citewell.cli.main import run
from tests.serving import api_url as api_url
from tests.stored import query_id as query_id


@dataclass(frozen=True)
class Outcome:
    """The result of a command: its exit code and its output."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The single line of the error message; fails if there is anything else."""
        (line,) = self.err.splitlines()
        assert line.startswith("citewell: ")
        assert self.out == ""
        return line


Citewell = Callable[..., Outcome]


@pytest.fixture
def citewell(
    api_url: str, database: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Generator[Citewell]:
    """Run a command line against the server of the tests, on an empty database."""
    assert database
    monkeypatch.setenv("CITEWELL_URL", api_url)

    def command(*arguments: str) -> Outcome:
        code = run(arguments)
        written = capsys.readouterr()
        return Outcome(code, written.out, written.err)

    # The server's log would come out here, too: it is a thread of this process, and writes when an answer is sent.
    with structlog.testing.capture_logs():
        yield command
