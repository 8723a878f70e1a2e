"""`citewell cancel` and `citewell replay`: stops a question, and asks an unsuccessful one again."""

from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import output, say
from citewell.cli.errors import CommandFailed
from citewell.cli.options import AnswerId, Json, Url
from citewell.cli.questions.asking import exit_code_of, failure_of, wait_for
from citewell.cli.short_ids import whole_id
from citewell.cli.show.answer import answer_view
from citewell_client import ApiProblem

cancel_app = typer.Typer(rich_markup_mode=None, add_completion=False)
replay_app = typer.Typer(rich_markup_mode=None, add_completion=False)


@cancel_app.command()
def cancel(
    query_id: AnswerId,
    url: Url = None,
) -> None:
    """Stop working on a question or a verification; what has ended already stays as it is."""
    with connected(url) as client:
        query_id = whole_id(client, query_id, "question", "verification")
        try:
            client.cancel(query_id)
        except ApiProblem as problem:
            if problem.code != "query_not_found":
                raise
            client.cancel_verification(query_id)
    say(f"cancelled {query_id}")


@replay_app.command()
def replay(
    query_id: Annotated[
        str, typer.Argument(metavar="ID", help="A question that failed, was cancelled or lacks steps.")
    ],
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the answer.")] = 300,
    url: Url = None,
) -> None:
    """Ask a question again as a new one, reusing everything that the old one had finished."""
    with connected(url) as client:
        new_id = client.replay(whole_id(client, query_id, "question"))["id"]
        say(f"asked again as {new_id}")
        query = wait_for(client, new_id, wait)
    output(query, answer_view, as_json=as_json)
    if failure := failure_of(query):
        raise CommandFailed(failure, exit_code_of(query))
