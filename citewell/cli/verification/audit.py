"""`citewell audit`: proves a result, detects changes, and verifies or replays it again."""

from importlib import import_module
from typing import Annotated, Any

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, err, out, say
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.options import Json, Preset, Url
from citewell.cli.short_ids import whole_id
from citewell.cli.show.audit import chain_view, check_view, comparison_view
from citewell_client import ApiProblem, CitewellClient

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    help="Prove a result, replay it, verify it again.",
)

_Id = Annotated[
    str, typer.Argument(metavar="ID", help="A question, or a verification; at least its first 6 characters.")
]


@app.command()
def show(query_id: _Id, as_json: Json = False, url: Url = None) -> None:
    """Show the chain of records that proves a result."""
    with connected(url) as client:
        query_id, of = _named(client, query_id)
        after = 0
        while True:
            page = client.audit(query_id, of=of, after=after)
            for record in page["chain"]:
                emit(record) if as_json else out.print(chain_view(record))
            if page["next_after"] is None:
                break
            after = page["next_after"]
    if not as_json:
        say(f"head {page['head']}, {page['records']} records")


@app.command()
def verify(
    query_id: _Id,
    head: Annotated[str | None, typer.Option(metavar="HASH", help="The head that you kept.")] = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Recompute every hash from what is stored, and name each record that has changed."""
    with connected(url) as client:
        query_id, of = _named(client, query_id)
        check = client.check_audit(query_id, head, of=of)
    if as_json:
        emit(check)
    else:
        out.print(check_view(check))
    if not check["intact"]:
        raise CommandFailed(f"the audit of {query_id} does not hold", FAILED)


@app.command()
def reverify(
    query_id: _Id,
    model: Annotated[str | None, typer.Option(help="The model that judges. [default: as configured]")] = None,
    preset: Preset = None,
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the result.")] = 300,
    url: Url = None,
) -> None:
    """Verify a stored answer again on its original evidence, and show which verdicts differ."""
    with connected(url) as client, err.status("verifying"):
        query_id, of = _named(client, query_id)
        run = client.reverify(query_id, of=of, wait=wait, model=model, preset=preset)
    if as_json:
        emit(run)
    elif comparison := run.get("comparison"):
        out.print(comparison_view(comparison))
    if run["status"] != "succeeded":
        raise CommandFailed(f"verification {run['id']} is {run['status']}", FAILED)


@app.command()
def replay(query_id: _Id, as_json: Json = False) -> None:
    """Rebuild a result from the recorded replies, without any model, and show the differences."""
    import_module("citewell.cli.verification.audit_replay").replay(query_id, as_json)


def _named(client: CitewellClient, text: str) -> tuple[str, Any]:
    query_id = whole_id(client, text, "question", "verification")
    try:
        client.audit(query_id, limit=1)
    except ApiProblem as problem:
        if problem.code != "query_not_found":
            raise
        return query_id, "verifications"
    return query_id, "queries"
