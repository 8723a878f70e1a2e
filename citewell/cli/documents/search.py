"""`citewell search`: passages by words and meaning, without a language model."""

from typing import Annotated, Literal

import typer
from rich.padding import Padding

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, plain, say
from citewell.cli.errors import CommandFailed
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
    run: Annotated[
        Literal["structured", "agentic"] | None,
        typer.Option("--run", help="With --explain: `agentic` lets a model search; without a key, rules do."),
    ] = None,
    multi_query: Annotated[
        int | None, typer.Option("--multi-query", min=0, max=5, help="With --explain: so many rewritten questions.")
    ] = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Find the passages that a question would find first."""
    if explain:
        with connected(url) as client:
            explained = client.explain_search(
                query, workspaces or ["default"], limit=k, run=run, multi_query=multi_query
            )
        emit(explained) if as_json else out.print(retrieval_view(explained))
        return
    # A plain search takes neither of these options, and would ignore them silently.
    if given := [name for name, value in (("--run", run), ("--multi-query", multi_query)) if value is not None]:
        raise CommandFailed(f"{' and '.join(given)} without --explain would do nothing; add --explain")
    with connected(url) as client:
        result = client.search(query, workspaces or "default", k=k)
    if as_json:
        emit(result)
        return
    for passage in result["passages"]:
        out.print(place(passage["document_name"], passage["page_number"], passage["section"], passage))
        out.print(Padding(plain(" ".join(passage["text"].split()), "dim"), (0, 0, 1, 2)))
    if not result["passages"]:
        say("nothing was found")
