"""`citewell history`: the latest questions, and all checks of one of them."""

from collections.abc import Sequence
from typing import Annotated, Any, cast

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citewell.cli.connection import connected
from citewell.cli.console import output, output_all, plain
from citewell.cli.options import Json, Url
from citewell.cli.short_ids import whole_id
from citewell.cli.show.verification import verification_view
from citewell.cli.show.words import duration, grid, heading, place, score, signal_word, verdict, when
from citewell_client.types import Attempt, CitationCheck, Claim, Event, History, ModelCall, QueryListed

_CLAIM_WORDS = {"SUPPORTED": "supported", "PARTIALLY_SUPPORTED": "partial", "UNSUPPORTED": "unsupported"}

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
            output_all(list(client.queries(workspace, limit=limit)), queries_view, as_json=as_json)
            return
        record = client.history(whole_id(client, query_id, "question"))
    output(record, history_view, as_json=as_json)


def queries_view(queries: Sequence[QueryListed]) -> RenderableType:
    # Each question takes two lines, because ids and questions are long.
    if not queries:
        return Text("no questions yet; `citewell ask` asks one")
    lines: list[RenderableType] = []
    for query in queries:
        head = plain(f"{query['id']}  {when(query['created_at'])}  {query['workspace']}  ", "dim")
        # Older servers omit the signal.
        signal = query.get("signal")
        lines.append(head + (signal_word(signal) if signal else plain(query["status"], "dim")))
        lines.append(Padding(plain(" ".join(query["question"].split())), (0, 0, 0, 2)))
    return Group(*lines)


def history_view(history: History) -> RenderableType:
    how = [f"mode {history['mode']}", *([f"preset {history['preset']}"] if history["preset"] != "standard" else [])]
    head = " · ".join([history["status"], *how, history["provider"], f"workspace {history['workspace']}"])
    parts: list[RenderableType] = [plain(history["question"], "bold"), plain(head, "dim")]
    if error := history["error"]:
        parts.append(plain(f"failed: {error['message']}", "red"))
    for attempt in history["verifications"]:
        parts += _attempt(attempt)
    if history["model_calls"]:
        parts += [heading("Model calls"), _calls(history["model_calls"])]
    if history["events"]:
        parts += [heading("Events"), _events(history["events"])]
    return Group(*parts)


def _attempt(attempt: Attempt) -> list[RenderableType]:
    kind = "" if attempt["kind"] == "published" else f" ({attempt['kind']})"
    title = f"Verification {attempt['round'] + 1}{kind}, {when(attempt['created_at'])}"
    parts: list[RenderableType] = [heading(title)]
    parts += [plain(attempt["answer"]), Text(), verification_view(attempt, details=True)]
    for name, check in attempt["checks"].items():
        words = str(check)
        if isinstance(check, dict):
            fields = cast("dict[str, Any]", check)
            reason = f" ({fields['reason']})" if fields.get("reason") else ""
            words = f"{fields.get('status')}{reason}"
        parts.append(plain(f"{name}: {words}", "dim"))
    if attempt["claims"]:
        parts += [heading("Claims"), _claims(attempt["claims"])]
    if attempt["citation_checks"]:
        parts += [heading("Citation checks"), _citation_checks(attempt["citation_checks"])]
    return parts


def _claims(claims: list[Claim]) -> Table:
    table = grid()
    for claim in claims:
        evidence = f"“{claim['evidence']}”" if claim["evidence"] else "no evidence"
        table.add_row(
            verdict(_CLAIM_WORDS[claim["status"]]),
            Group(plain(claim["claim"]), plain(f"{evidence} {claim['reasoning']}", "dim")),
        )
    return table


def _citation_checks(checks: list[CitationCheck]) -> Table:
    table = grid(3)
    for check in checks:
        number = "–" if check["citation_number"] is None else f"†{check['citation_number']}"
        where = place(check["source_file"], check["source_page"], None) if check["source_file"] else Text()
        reason, looks = check["explanation"], check["second_look"]
        if looks is not None and looks["second"] is not None:
            reason = f"Checked twice: the rule saw: {looks['noticed']}; the second look says: {reason}"
        table.add_row(
            Text(number),
            verdict(check["status"]),
            score(check["confidence"]),
            Group(plain(check["statement"]), where.append(" "), plain(reason, "dim")),
        )
    return table


def _calls(calls: list[ModelCall]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("step", "prompt", "model"):
        table.add_column(name, overflow="fold")
    for name in ("try", "in", "out", "time", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("error", overflow="fold")
    for call in calls:
        table.add_row(
            plain(call["step"]),
            plain(f"{call['prompt']}@{call['prompt_version'][:8]}"),
            plain(call["model"]),
            "kept" if call["kept"] else "unknown" if call.get("unknown") else str(call["attempt"]),
            f"{call['prompt_tokens']:,}",
            f"{call['completion_tokens']:,}",
            duration(call["duration_ms"]),
            f"${call['cost_usd']:.5f}",
            plain(call["error"] or ""),
        )
    return table


def _events(events: list[Event]) -> Table:
    table = grid(2)
    for event in events:
        data = ", ".join(f"{name}: {value}" for name, value in event["data"].items())
        table.add_row(when(event["at"]), event["type"], plain(data))
    return table
