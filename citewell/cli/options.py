"""Options that several commands share."""

import sys
from typing import Annotated, Literal

import typer

from citewell.cli.errors import CommandFailed

AnswerId = Annotated[
    str, typer.Argument(metavar="ID", help="A question, or a verification; at least its first 6 characters.")
]
Url = Annotated[
    str | None,
    typer.Option(
        envvar="CITEWELL_URL", metavar="URL", help="A server; without it the one of this machine, started if need be."
    ),
]
Workspace = Annotated[str, typer.Option("--workspace", "-w", help="The collection of documents.")]
Workspaces = Annotated[
    list[str] | None,
    typer.Option("--workspace", "-w", help="A collection of documents; can be given several times. [default: default]"),
]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, one object per line, nothing else.")]
Preset = Annotated[
    Literal["standard", "cheap"] | None,
    typer.Option(help="standard, or cheap: many passages and statements per model call. [default: as configured]"),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]


def group(summary: str) -> typer.Typer:
    """A command that has commands of its own."""
    return typer.Typer(no_args_is_help=True, rich_markup_mode=None, add_completion=False, help=summary)


def confirm(what: str, yes: bool) -> None:
    """Ask for confirmation of an action that cannot be undone. Raises CommandFailed without a terminal to ask at."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandFailed(f"nobody can be asked here whether to {what}; --yes does it")
    typer.confirm(f"{what[0].upper()}{what[1:]}?", abort=True, err=True)
