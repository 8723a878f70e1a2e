"""A small fork server, and a program that starts in it."""

import os
import sys
from pathlib import Path

import citewell
from citewell.supervisor.processes.forkserver import READY
from citewell.supervisor.processes.process import ProcessSpec

SOURCE = Path(citewell.__file__).parents[1]
PROGRAM = ProcessSpec(
    "program",
    (sys.executable, "-m", "tests.supervisor.forked_program", "word"),
    env={**os.environ, "OF_THE_TEST": "set"},
    ready_line="loaded_by",
    cwd=SOURCE,
    forked=True,
)


def server(*loaded: str) -> ProcessSpec:
    """A fork server that loads these, or `tests.supervisor.loaded`."""
    names = loaded or ("tests.supervisor.loaded",)
    return ProcessSpec(
        "forkserver",
        (sys.executable, "-m", "citewell.supervisor.processes.forkserver", *names, " " * 200),
        env=os.environ,
        ready_line=READY,
        cwd=SOURCE,
    )
