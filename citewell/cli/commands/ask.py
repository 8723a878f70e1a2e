"""`citewell ask`: a question and its verified answer."""

from typing import Annotated

import typer

from citewell.cli.actions.asking import ask_and_wait, exit_code_of, failure_of
from citewell.cli.actions.connection import connected
from citewell.cli.console import emit, out
from citewell.cli.errors import CommandFailed
from citewell.cli.options import Json, Preset, Url, Workspace
from citewell.cli.show.answer import answer_view

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In quotes.")],
    workspace: Workspace = "default",
    mode: Annotated[
        str | None,
        typer.Option(help="How much evidence an answer needs: low, balanced or high. [default: as configured]"),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The main model, one of the configured ones.")] = None,
    preset: Preset = None,
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the answer.")] = 300,
    url: Url = None,
) -> None:
    """Ask the documents of a workspace, and see what proves the answer."""
    if not question.strip():
        raise CommandFailed("the question is empty; ask with at least one word")
    with connected(url) as client:
        chosen = {"workspace": workspace, "mode": mode, "model": model, "preset": preset}
        query = ask_and_wait(client, question, wait=wait, **chosen)
    if as_json:
        emit(query)
    else:
        out.print(answer_view(query))
    if failure := failure_of(query):
        raise CommandFailed(failure, exit_code_of(query))
