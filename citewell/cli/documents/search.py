"""`citewell search`: passages by words and meaning, without a language model."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, output, plain, say
from citewell.cli.errors import CommandFailed
from citewell.cli.options import Json, Url, Workspaces
from citewell.cli.show.words import counted, place
from citewell_client.types import PassageExplained, SearchExplained

_PARTS: Sequence[tuple[str, Literal["lexical", "vector", "fused", "reranked"]]] = (
    ("words", "lexical"),
    ("vectors", "vector"),
    ("fused", "fused"),
    ("reranked", "reranked"),
)
_WHY_NOT = {
    "excluded": "taken out of the search",
    "beyond_candidates": "not among the candidates that are reranked",
    "copy": "a copy of a passage above",
    "below_threshold": "too little relevance",
    "beyond_top_k": "after the best ones",
    "not_worth_citing": "left out by source scoring",
    "over_context_budget": "no room in the prompt",
    "refused": "the answer would be a refusal",
}

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
        output(explained, retrieval_view, as_json=as_json)
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


def retrieval_view(explained: SearchExplained) -> RenderableType:
    """Return two lines and the text for each passage, the best first, and a summary of what would be shown to the
    model."""
    if not explained["passages"]:
        return Text(explained["reason"] or "nothing was found")
    shown = sum(passage["shown"] is True for passage in explained["passages"])
    told = f"An answer would be written from {counted(shown, 'passage')}."
    lines = [plain(explained["reason"] or told), *(plain(issue, "yellow") for issue in explained["issues"]), plain("")]
    return Group(
        *_searches(explained), *lines, *(line for passage in explained["passages"] for line in _lines(passage))
    )


def _searches(explained: SearchExplained) -> list[Text]:
    """Return the searches that were made, where they differ from the question."""
    searches, ended = explained["searches"], explained["ended_because"]
    made = searches if len(searches) > 1 or ended else []
    lines = [
        plain(f"search {place}: {search['query']}" + _because(search["why"])) for place, search in enumerate(made, 1)
    ]
    return [
        *lines,
        *([plain(f"no further search{_because(ended)}")] if ended else []),
    ]


def _because(why: str | None) -> str:
    return f" ({why})" if why else ""


def _lines(passage: PassageExplained) -> list[RenderableType]:
    where = place(
        passage["document_name"],
        passage["page_number"],
        passage["section"],
        passage,
    )
    text = Padding(_marked(passage), (0, 0, 1, 2))
    return [_verdict(passage) + where, plain(f"  {_scores(passage)}", "dim"), text]


def _verdict(passage: PassageExplained) -> Text:
    if passage["shown"]:
        return Text("✓ shown  ", style="green")
    if passage["why_not"] is None:
        return Text("")
    return Text(f"✗ {_WHY_NOT.get(passage['why_not'], passage['why_not'])}  ", style="yellow")


def _scores(passage: PassageExplained) -> str:
    parts: list[str] = []
    for name, part in _PARTS:
        if (part_score := passage[part]) is not None:
            score = "not read" if part_score["score"] is None else f"{part_score['score']:.3f}"
            rank = "" if part_score["rank"] is None else f"#{part_score['rank']} "
            parts.append(f"{name} {rank}{score}")
    return " · ".join(parts) + (" · from the graph" if passage["from_graph"] else "")


def _marked(passage: PassageExplained) -> Text:
    marked = Text(passage["text"], style="dim")
    for match in passage["matches"]:
        marked.stylize("bold not dim", match["start"], match["end"])
    # The text is on one line, as in other searches.
    return Text(" ").join(part for part in marked.split() if part.plain.strip())
