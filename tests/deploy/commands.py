"""Command lines, parsed by the parsers of the programs that they start; nothing is started."""

from collections.abc import Sequence
from typing import Any

import flower.options as flower  # pyright: ignore[reportMissingTypeStubs]
from alembic.config import CommandLine
from celery import concurrency
from celery.app.utils import find_app
from celery.bin import base
from celery.bin import celery as umbrella
from typer.main import get_command
from uvicorn.main import main as uvicorn

from citewell.cli.main import app_of
from tests.deploy.files import image_environment

_celery: Any = umbrella.celery
# Celery reads the variable, which the image sets, when it is imported.
_pools: Any = vars(concurrency)["ALIASES"]
_pools["custom"] = image_environment()["CELERY_CUSTOM_WORKER_POOL"]


def parsed(command: Sequence[str]) -> dict[str, Any]:
    """The options as the program understands them. Raises what its parser raises."""
    program, *arguments = command
    programs = {"celery": _of_celery, "uvicorn": _of_uvicorn, "alembic": _of_alembic, "citewell": _of_citewell}
    return programs[program](arguments)


def _of_celery(arguments: list[str]) -> dict[str, Any]:
    at = next(place for place, argument in enumerate(arguments) if argument in _celery.commands)
    name, rest = arguments[at], arguments[at + 1 :]
    group = _celery.make_context("celery", arguments[: at + 1])
    # As the group's own code would do: it finds the application before it parses the rest.
    group.obj = base.CLIContext(app=find_app(group.params["app"]), no_color=True, workdir=None)
    options: dict[str, Any] = _celery.commands[name].make_context(name, rest, parent=group).params
    for option in options.pop("tornado_argv", ()):
        assert hasattr(flower.options, option.lstrip("-").partition("=")[0].replace("-", "_")), option
    return {"command": name, **options}


def _of_uvicorn(arguments: list[str]) -> dict[str, Any]:
    return uvicorn.make_context("uvicorn", arguments).params


def _of_citewell(arguments: list[str]) -> dict[str, Any]:
    name, *rest = arguments
    return {"command": f"citewell {name}", **get_command(app_of(name)).make_context(name, rest).params}


def _of_alembic(arguments: list[str]) -> dict[str, Any]:
    return vars(CommandLine().parser.parse_args(arguments))


def knows_flower(variable: str) -> bool:
    """Whether Flower uses this environment variable."""
    return hasattr(flower.options, variable.removeprefix("FLOWER_").lower())
