"""The simulated provider in a process of its own, so that it does not share an interpreter with the measured
program."""

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from config.models import ModelLimits, ModelSettings

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def simulated_provider(*options: str) -> Generator[str]:
    """Yield its address. It is steady, without limits, and takes the `options` of `python -m tests.simulators.groq`."""
    command = [sys.executable, "-m", "tests.simulators.groq", "--unlimited", "--steady", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def plenty() -> dict[str, str]:
    """Return the environment of a stack whose account has very high limits: they are counted, and delay nothing.

    With the limits of the catalogue, those of a paying developer, the provider's allowance would be measured and not
    the program.
    """
    limits = ModelLimits(requests_per_minute=10**6, requests_per_day=10**9, tokens_per_minute=10**9)
    known = ModelSettings().catalogue.items()
    catalogue = {name: info.model_copy(update={"limits": limits}).model_dump(mode="json") for name, info in known}
    return {"CITEWELL_MODELS__CATALOGUE": json.dumps(catalogue)}


def ledger(url: str) -> list[dict[str, Any]]:
    """Return all calls since the last `forget`."""
    return httpx.get(f"{url}/__ledger").raise_for_status().json()


def forget(url: str) -> None:
    httpx.post(f"{url}/__reset").raise_for_status()
