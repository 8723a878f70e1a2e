"""`citewell search`: passages by words and meaning, without a language model."""

from typing import Annotated

import typer
from rich.padding import Padding

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, plain, say
from citewell.cli.options import Json, Url, Workspaces
from citewell.cli.show.retrieval import retrieval_view
from citewell.cli.show.words import place

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="In quotes.")],
    workspaces: Workspaces = None,
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Show so many passages.")] = 5,
    explain: Annotated[
        bool, typer.Option("--explain", help="Rank and score of each part, and what an answer would be written from.")
    ] = False,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Find the passages that a question would find first."""
    if explain:
        _explain(query, workspaces or ["default"], k, url, as_json=as_json)
        return
    with connected(url) as client:
        found = client.search(query, workspaces or "default", k=k)
    if as_json:
        emit(found)
        return
    for each in found["passages"]:
        out.print(place(each["document_name"], each["page_number"], each["section"], each))
        out.print(Padding(plain(" ".join(each["text"].split()), "dim"), (0, 0, 1, 2)))
    if not found["passages"]:
        say("nothing was found")


def _explain(query: str, workspaces: list[str], k: int, url: str | None, *, as_json: bool) -> None:
    with connected(url) as client:
        found = client.explain_search(query, workspaces, limit=k)
    if as_json:
        emit(found)
    else:
        out.print(retrieval_view(found))
