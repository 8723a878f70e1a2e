"""`citewell models`: classifiers that judge beside a provider's models."""

from enum import StrEnum
from importlib import import_module
from typing import Annotated

import typer

from citewell.cli.options import Json

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, add_completion=False, help="Get and try a classifier that judges."
)


class Language(StrEnum):
    """As in `models.judge_languages`."""

    ENGLISH = "en"
    KOREAN = "ko"


@app.callback()
def _group() -> None:
    """Keeps the command's name in the command line: typer drops it if there is only one command."""


@app.command()
def judge(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A folder, or the id of a model on the hub.")],
    label: Annotated[str | None, typer.Option(help="Which of its labels means that the source supports.")] = None,
    language: Annotated[
        list[Language] | None, typer.Option(help="What it was trained for; can be given twice.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Get a classifier for `models.judge` (a folder, the hub's cache, the hub), try it, and measure its cost.

    The exit code is 1 when the classifier strikes a faithful statement or no wrong one: such a veto is worthless.
    """
    import_module("citewell.cli.actions.judges").show(
        name, label, [str(each) for each in language or [Language.ENGLISH]], as_json
    )
