"""`citewell ingest`: files and folders into a workspace."""

import json
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import complain, emit, out
from citewell.cli.errors import USAGE, CommandFailed
from citewell.cli.options import Json, Url, Workspace
from citewell.cli.show.documents import document_line
from citewell.cli.uploading import Upload, find_files, ingest_all
from domain.formats import listed

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help=f"Files ({listed()}) or folders of them.")],
    workspace: Workspace = "default",
    metadata: Annotated[
        str, typer.Option(help="A JSON object that is kept with every citation, e.g. '{\"year\": 2026}'.")
    ] = "{}",
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Add files, or folders of them, to a workspace.

    A file that cannot be used does not stop the others; the exit code is then 2. The same file again changes nothing.
    """
    _check_metadata(metadata)
    uploads, failed = _find_all(paths, metadata)
    if uploads:
        with connected(url) as client:
            for ingested in ingest_all(client, uploads, workspace):
                if ingested.problem is not None:
                    failed += 1
                    complain(ingested.problem)
                if ingested.document is not None and as_json:
                    emit(ingested.document)
                elif ingested.document is not None and ingested.problem is None:
                    out.print(document_line(ingested.document))
    if failed:
        raise typer.Exit(USAGE)


def _find_all(paths: list[Path], metadata: str) -> tuple[list[Upload], int]:
    uploads: list[Upload] = []
    failed = 0
    for path in paths:
        try:
            uploads += find_files(path, metadata)
        except CommandFailed as nothing:
            failed += 1
            complain(str(nothing))
    return uploads, failed


def _check_metadata(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise CommandFailed(f"--metadata is not JSON ({error}); it looks like '{{\"year\": 2026}}'") from None
    if not isinstance(value, dict):
        raise CommandFailed("--metadata is not a JSON object; it looks like '{\"year\": 2026}'")
