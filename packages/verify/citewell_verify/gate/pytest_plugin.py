"""The plugin that pytest finds where this library is installed: the fixture `assert_supported`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import citewell_verify


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("citewell")
    group.addoption("--citewell-judge", metavar="URL", help="a server of chat completions that judges; else rules do")
    group.addoption("--citewell-model", metavar="NAME", help="the model of --citewell-judge")


@pytest.fixture
def assert_supported(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`citewell_verify.assert_supported` with the judge of the command line."""
    url, model = (request.config.getoption(f"--citewell-{name}") for name in ("judge", "model"))
    if bool(url) != bool(model):
        raise pytest.UsageError("--citewell-judge and --citewell-model belong together")
    # The library is loaded here, because every run of pytest finds the plugin and few tests need it.
    judge = citewell_verify.ChatJudge(url, model) if url and model else None
    return partial(citewell_verify.assert_supported, judge=judge)
