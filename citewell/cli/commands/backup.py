"""`citewell backup`: everything in one file."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.console import say

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def backup(file: Annotated[Path, typer.Argument(metavar="FILE", help="To be written; must not be there.")]) -> None:
    """Write everything to a file: documents, answers, their history, keys, webhooks.

    Of this machine's home, running or not, or of the database that CITEWELL_DATABASE_URL names. Anyone who has the file
    can read all documents.
    """
    made = import_module("citewell.backup.work").back_up(file)
    say(f"{file}: {sum(made.tables.values()):,} rows of {len(made.tables)} tables, schema {made.schema_revision}")
