"""`citewell share` and `citewell export`: gives an answer away by a link that needs no key, or as a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, plain, save, say
from citewell.cli.options import Json, Url
from citewell.cli.short_ids import is_whole, only_one, whole_id
from citewell.cli.show.words import when
from citewell_client import CitewellClient

share_app = typer.Typer(rich_markup_mode=None, add_completion=False)
export_app = typer.Typer(rich_markup_mode=None, add_completion=False)

_WHAT = "link"


@share_app.command()
def share(
    query_id: Annotated[str, typer.Argument(metavar="ID", help="A question; at least its first 6 characters.")],
    hours: Annotated[float, typer.Option(min=0.01, help="How long the link is valid.")] = 24,
    listed: Annotated[bool, typer.Option("--list", help="List the links to this answer.")] = False,
    revoke: Annotated[str | None, typer.Option(metavar="LINK_ID", help="Close a link at once.")] = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Make a link that opens an answer without a key, and print it on standard output. It cannot be shown again."""
    with connected(url) as client:
        query_id = whole_id(client, query_id, "question")
        if revoke is not None:
            _revoke(client, query_id, revoke)
        elif listed:
            _list(client, query_id, as_json)
        else:
            made = client.share(query_id, hours)
            if as_json:
                emit(made)
            else:
                out.print(plain(made["url"]), soft_wrap=True)
                say(f"link {made['id']}, valid until {when(made['expires_at'])}")


def _revoke(client: CitewellClient, query_id: str, text: str) -> None:
    if not is_whole(text, _WHAT):
        known = [link["id"] for link in client.shares(query_id)]
        text = only_one(text, [id_ for id_ in known if id_.startswith(text.lower())], _WHAT)
    client.revoke_share(query_id, text)
    say(f"revoked {text}")


def _list(client: CitewellClient, query_id: str, as_json: bool) -> None:
    links = client.shares(query_id)
    for link in links:
        if as_json:
            emit(link)
        else:
            state = "revoked" if link["revoked_at"] else f"until {when(link['expires_at'])}"
            out.print(plain(f"{link['id']}  {state}"))
    if not links and not as_json:
        say("no links")


@export_app.command()
def export(
    query_id: Annotated[str, typer.Argument(metavar="ID", help="A question; at least its first 6 characters.")],
    format: Annotated[
        Literal["markdown", "text", "html", "csv", "pdf", "docx", "json"],
        typer.Option("--format", help="csv has a row per sentence, json is what the API responds."),
    ] = "markdown",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write. [default: standard output]")
    ] = None,
    url: Url = None,
) -> None:
    """Save an answer with every quote that it cites, what is known of it, and the verdict on each of its sentences."""
    with connected(url) as client:
        content = client.export(whole_id(client, query_id, "question"), format)
    save(content, output)
