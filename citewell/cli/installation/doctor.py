"""`citewell doctor`: checks whether everything works, and says what to do if not."""

from importlib import import_module

import typer

from citewell.cli.options import Json

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def doctor(as_json: Json = False) -> None:
    """Look at versions, settings, home, disk, servers, port, the running instance, keys and models.

    It changes nothing and shows no secrets. Each model is asked a short question. The exit code is 1 if anything is an
    error, while Citewell runs or not.
    """
    import_module("citewell.cli.installation.diagnosis").examine(as_json)
