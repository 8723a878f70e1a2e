"""`citewell export`: saves a finished answer."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from citewell.cli.connection import connected
from citewell.cli.console import save
from citewell.cli.options import Url
from citewell.cli.short_ids import whole_id

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def export(
    query_id: Annotated[str, typer.Argument(metavar="ID", help="A question; its first characters will do.")],
    format: Annotated[
        Literal["markdown", "html", "csv", "pdf"], typer.Option("--format", help="csv has a row per sentence.")
    ] = "markdown",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write. [default: standard output]")
    ] = None,
    url: Url = None,
) -> None:
    """Save an answer with its references and the verdict on each of its sentences."""
    with connected(url) as client:
        content = client.export(whole_id(client, query_id, "question"), format)
    save(content, output)
