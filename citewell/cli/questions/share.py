"""`citewell share`: a link that opens an answer without a key."""

from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, plain, say
from citewell.cli.options import Json, Url
from citewell.cli.short_ids import is_whole, only_one, whole_id
from citewell.cli.show.words import when
from citewell_client import CitewellClient

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_WHAT = "link"


@app.command()
def share(
    query_id: Annotated[str, typer.Argument(metavar="ID", help="A question; its first characters will do.")],
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
        known = [each["id"] for each in client.shares(query_id)]
        text = only_one(text, [each for each in known if each.startswith(text.lower())], _WHAT)
    client.revoke_share(query_id, text)
    say(f"revoked {text}")


def _list(client: CitewellClient, query_id: str, as_json: bool) -> None:
    found = client.shares(query_id)
    for each in found:
        if as_json:
            emit(each)
        else:
            state = "revoked" if each["revoked_at"] else f"until {when(each['expires_at'])}"
            out.print(plain(f"{each['id']}  {state}"))
    if not found and not as_json:
        say("no links")
