"""`citewell cancel`: stops work on a question or a verification."""

from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import say
from citewell.cli.options import Url
from citewell.cli.short_ids import whole_id
from citewell_client import ApiProblem

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def cancel(
    query_id: Annotated[
        str, typer.Argument(metavar="ID", help="A question, or a verification; its first characters will do.")
    ],
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
