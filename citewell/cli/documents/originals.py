"""`citewell originals`: where the files of documents are kept."""

from importlib import import_module

import typer

from citewell.cli.options import Json

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    help="Show where the files of documents are, and move them to where the settings say.",
)


@app.command()
def show(as_json: Json = False) -> None:
    """Show how many files are in which place."""
    import_module("citewell.cli.documents.moving").show(as_json)


@app.command()
def move(as_json: Json = False) -> None:
    """Move files to where `originals` says, while documents are read and added to.

    It can be interrupted: run it again and it continues where it stopped.
    """
    import_module("citewell.cli.documents.moving").move(as_json)
