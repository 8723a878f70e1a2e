"""`citewell history`: the latest questions, and all checks of one of them."""

from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, out
from citewell.cli.options import Json, Url
from citewell.cli.short_ids import whole_id
from citewell.cli.show.history import history_view, queries_view

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def history(
    query_id: Annotated[
        str | None, typer.Argument(metavar="[QUERY_ID]", help="One question; without it a list.")
    ] = None,
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="List only this workspace.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="List so many questions.")] = 20,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """List the latest questions, or show everything that was checked for one."""
    with connected(url) as client:
        if query_id is None:
            queries = list(client.queries(workspace, limit=limit))
            if not as_json:
                out.print(queries_view(queries))
                return
            for query in queries:
                emit(query)
            return
        record = client.history(whole_id(client, query_id, "question"))
    if as_json:
        emit(record)
    else:
        out.print(history_view(record))
