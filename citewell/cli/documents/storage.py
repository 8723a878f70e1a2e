"""`citewell originals`, `reembed`: the places of documents' files, and the vectors that find the documents."""

import os
from importlib import import_module
from typing import Annotated

import typer

from citewell.cli.errors import CommandFailed
from citewell.cli.options import Json, group

originals_app = group("Show where the files of documents are, and move them to where the settings say.")
reembed_app = typer.Typer(rich_markup_mode=None, add_completion=False)


@originals_app.command()
def show(as_json: Json = False) -> None:
    """Show how many files are in which place."""
    import_module("citewell.cli.documents.storing").show(as_json)


@originals_app.command()
def move(as_json: Json = False) -> None:
    """Move files to where `originals` says, while documents are read and added to.

    It can be interrupted: run it again and it continues where it stopped.
    """
    import_module("citewell.cli.documents.storing").move(as_json)


@reembed_app.command()
def reembed(
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="The workspace to embed anew.")] = None,
    tenant: Annotated[str, typer.Option("--tenant", "-t", help="Whose workspace it is.")] = "default",
    every: Annotated[bool, typer.Option("--all", help="Every workspace of every tenant.")] = False,
    as_json: Json = False,
) -> None:
    """Re-embed workspaces with the model that `embeddings` names, while they are searched and added to.

    It can be interrupted: run it again and it continues where it stopped.
    """
    if (workspace is not None) == every:
        raise CommandFailed("name one workspace (--workspace NAME), or --all")
    # With more BLAS threads, concurrent embeddings wait for each other (clients.embeddings).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import_module("citewell.cli.documents.storing").reembed(None if every else tenant, workspace, as_json)
