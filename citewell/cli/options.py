"""Options that several commands share."""

from typing import Annotated, Literal

import typer

Url = Annotated[
    str | None,
    typer.Option(
        envvar="CITEWELL_URL", metavar="URL", help="A server; without it the one of this machine, started if need be."
    ),
]
Workspace = Annotated[str, typer.Option("--workspace", "-w", help="The collection of documents.")]
Json = Annotated[bool, typer.Option("--json", help="JSON on standard output, one object per line, nothing else.")]
Preset = Annotated[
    Literal["standard", "cheap"] | None,
    typer.Option(help="standard, or cheap: many passages and statements per model call. [default: as configured]"),
]
