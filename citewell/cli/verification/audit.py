"""`citewell audit`: proves a result, detects changes, and verifies or replays it again."""

from importlib import import_module
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from citewell.cli.connection import connected
from citewell.cli.console import emit, err, out, output, plain, say
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.options import AnswerId, Json, Preset, Url, group
from citewell.cli.short_ids import whole_id
from citewell.cli.show.words import counted, verdict
from citewell_client import ApiProblem, CitewellClient
from citewell_client.types import AuditCheck, AuditRecord, Comparison, SentenceCompared

_HASH_DIGITS = 12
_SAYS = {
    "broken": "the chain is broken here",
    "changed": "was changed",
    "missing": "is gone",
    "added": "was added later",
}

app = group("Prove a result, replay it, verify it again.")


@app.command()
def show(query_id: AnswerId, as_json: Json = False, url: Url = None) -> None:
    """Show the chain of records that proves a result."""
    with connected(url) as client:
        query_id, of = _whole(client, query_id)
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
    query_id: AnswerId,
    head: Annotated[str | None, typer.Option(metavar="HASH", help="The head that you kept.")] = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Recompute every hash from what is stored, and name each record that has changed."""
    with connected(url) as client:
        query_id, of = _whole(client, query_id)
        check = client.check_audit(query_id, head, of=of)
    output(check, check_view, as_json=as_json)
    if not check["intact"]:
        raise CommandFailed(f"the audit of {query_id} does not hold", FAILED)


@app.command()
def reverify(
    query_id: AnswerId,
    model: Annotated[str | None, typer.Option(help="The model that judges. [default: as configured]")] = None,
    preset: Preset = None,
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the result.")] = 300,
    url: Url = None,
) -> None:
    """Verify a stored answer again on its original evidence, and show which verdicts differ."""
    with connected(url) as client, err.status("verifying"):
        query_id, of = _whole(client, query_id)
        run = client.reverify(query_id, of=of, wait=wait, model=model, preset=preset)
    if as_json:
        emit(run)
    elif comparison := run.get("comparison"):
        out.print(comparison_view(comparison))
    if run["status"] != "succeeded":
        raise CommandFailed(f"verification {run['id']} is {run['status']}", FAILED)


@app.command()
def replay(query_id: AnswerId, as_json: Json = False) -> None:
    """Rebuild a result from the recorded replies, without any model, and show the differences."""
    import_module("citewell.cli.verification.audit_replay").replay(query_id, as_json)


def _whole(client: CitewellClient, text: str) -> tuple[str, Any]:
    query_id = whole_id(client, text, "question", "verification")
    try:
        client.audit(query_id, limit=1)
    except ApiProblem as problem:
        if problem.code != "query_not_found":
            raise
        return query_id, "verifications"
    return query_id, "queries"


def chain_view(entry: AuditRecord) -> Text:
    record = entry["record"]
    return plain(f"{record['seq']:>4}  {entry['hash'][:_HASH_DIGITS]}  {_named(record)}")


def check_view(check: AuditCheck) -> RenderableType:
    lines: list[RenderableType] = []
    for difference in check["differences"]:
        where = f"record {difference['seq']}" if difference["seq"] else "what is stored"
        fields = f" ({', '.join(difference['fields'])})" if difference["fields"] else ""
        lines.append(plain(f"{where}: {_named(difference['record'])} {_SAYS[difference['what']]}{fields}", "red"))
    lines.append(
        plain(f"head {check['head']}")
        if lines
        else plain(f"OK: {counted(check['records'], 'record')}, head {check['head']}", "green")
    )
    notes = {
        "erased": "contents were erased; their hashes remain",
        "later": "calls or outcomes were stored after the end",
        "unknown_prompts": "prompts are in another version on this server",
    }
    lines += [plain(f"{check[name]} {words}", "dim") for name, words in notes.items() if check[name]]
    return Group(*lines)


def _named(record: dict[str, Any]) -> str:
    """Return the name of a record, such as `outcome round 0 check_statements s1:c1`."""
    kind = record.get("kind", "head")
    names = ("chunk_id", "name", "version", "step", "item", "prompt", "call", "index", "position", "number", "status")
    values = [f"{record[name]}" for name in names if record.get(name) not in (None, "") and name in _fields_of(kind)]
    return " ".join([kind, *values])


def _fields_of(kind: str) -> tuple[str, ...]:
    return {
        "source": ("chunk_id", "version"),
        "prompt": ("name", "version"),
        "call": ("call", "step", "item", "prompt"),
        "outcome": ("step", "item"),
        "edit": ("index",),
        "citation": ("position", "number"),
        "verdict": ("position", "status"),
        "result": ("status",),
    }.get(kind, ())


def comparison_view(comparison: Comparison) -> RenderableType:
    changed = [sentence for sentence in comparison["sentences"] if sentence["changed"]]
    if not changed:
        return plain(f"all {counted(len(comparison['sentences']), 'sentence')} are judged as before", "green")
    lines: list[RenderableType] = [
        Text(f"{counted(len(changed), 'sentence')} of {len(comparison['sentences'])} changed")
    ]
    return Group(*lines, *(line for sentence in changed for line in _sentence(sentence)))


def _sentence(sentence: SentenceCompared) -> list[RenderableType]:
    old, new = (verdict(state["status"]) if state else Text("–") for state in (sentence["old"], sentence["new"]))
    return [
        plain(sentence["text"]),
        Text.assemble("  ", old, " → ", new),
        plain(f"  {(sentence['new'] or {}).get('reason', '')}", "dim"),
    ]
