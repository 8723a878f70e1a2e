"""`citewell ask`: a question and its verified answer."""

from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, err, out, plain
from citewell.cli.errors import CommandFailed
from citewell.cli.options import Json, Preset, Url, Workspaces
from citewell.cli.questions.asking import ask_and_wait, exit_code_of, failure_of, follow, submit
from citewell.cli.show.answer import proof_view
from citewell.cli.show.dialogue import AnswerStream

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="In quotes.")],
    workspaces: Workspaces = None,
    mode: Annotated[
        str | None,
        typer.Option(help="How much evidence an answer needs: low, balanced or high. [default: as configured]"),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The main model, one of the configured ones.")] = None,
    preset: Preset = None,
    brief: Annotated[bool, typer.Option("--brief", help="The answer and its references, nothing else.")] = False,
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the answer.")] = 300,
    url: Url = None,
) -> None:
    """Ask the documents of workspaces, and see what proves the answer. Each sentence is printed when it has passed its
    checks."""
    if not question.strip():
        raise CommandFailed("the question is empty; ask with at least one word")
    with connected(url) as client:
        # A single workspace is sent as `workspace`, so that messages name it.
        where = (
            {"workspaces": workspaces}
            if workspaces and len(workspaces) > 1
            else {"workspace": (workspaces or ["default"])[0]}
        )
        chosen = {**where, "mode": mode, "model": model, "preset": preset}
        if as_json:
            emit(query := ask_and_wait(client, question, wait=wait, **chosen))
        else:
            query_id, left = submit(client, question, wait=wait, **chosen)
            with err.status("queued") as status:
                stream = AnswerStream(status)
                query = stream.finish(follow(client, query_id, left, stream.take))
    if not as_json:
        out.print(plain("\n".join(["", *query["references"]])) if brief else proof_view(query))
    if failure := failure_of(query):
        raise CommandFailed(failure, exit_code_of(query))
