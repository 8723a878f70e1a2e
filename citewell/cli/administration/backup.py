"""`citewell backup` and `citewell restore`: everything in one file, and back from it."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.console import say

backup_app = typer.Typer(rich_markup_mode=None, add_completion=False)
restore_app = typer.Typer(rich_markup_mode=None, add_completion=False)


@backup_app.command()
def backup(file: Annotated[Path, typer.Argument(metavar="FILE", help="To be written; must not be there.")]) -> None:
    """Write everything to a file: documents, answers, their history, keys, webhooks.

    Of this machine's home, running or not, or of the database that CITEWELL_DATABASE_URL names. Anyone who has the file
    can read all documents.
    """
    made = import_module("citewell.backup.work").back_up(file)
    say(f"{file}: {sum(made.tables.values()):,} rows of {len(made.tables)} tables, schema {made.schema_revision}")
    if outside := made.tables.get("document_objects", 0):
        say(f"{outside:,} files of documents are not in it: copy the folder or bucket of `originals`, too")


@restore_app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Written by `citewell backup`.")],
    replace: Annotated[bool, typer.Option("--replace", help="Give up what the home has now.")] = False,
) -> None:
    """Restore everything from a file that `citewell backup` wrote.

    Into this machine's home, running or not, or into the empty database that CITEWELL_DATABASE_URL names. Unfinished
    questions are started again.
    """
    made = import_module("citewell.backup.work").restore(file, replace=replace)
    say(f"{file} of {made.made_at:%Y-%m-%d %H:%M} UTC is restored: {sum(made.tables.values()):,} rows")
