"""`citewell quality`: metrics of the latest answers."""

import json
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.table import Table

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, say
from citewell.cli.options import Json, Url
from citewell_client.types import Metric

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def quality(
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="Only this workspace.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Look at so many of the newest questions.")] = 1000,
    labels: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help='JSON lines {"query_id": …, "grounded": true} by people.'),
    ] = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Show the metrics of the verification: hallucinations, corrections, citations, reranking, refusals."""
    rated = _read(labels) if labels else []
    with connected(url) as client:
        report = client.quality(workspace, limit, rated)
    if as_json:
        emit(report)
        return
    table = Table("metric", "value", "cases", "aim", title=f"{report['queries']} verified questions", box=None)
    for name, metric in report["metrics"].items():
        value = "–" if metric["value"] is None else f"{metric['value']:.3f}"
        style = "dim" if _says_nothing(metric) else None
        table.add_row(name.replace("_", " "), value, str(metric["count"]), _aim(metric), style=style)
    out.print(table)
    if any(map(_says_nothing, report["metrics"].values())):
        say("copies only: the answers were copied without a model. Who copies cannot invent, so these say nothing")


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise typer.BadParameter(f"{path} is not UTF-8 text", param_hint="--labels") from None
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    return [_label(path, number, line) for number, line in numbered]


def _label(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        label = json.loads(line)
    except (ValueError, RecursionError):
        label = None
    if not isinstance(label, dict) or not {"query_id", "grounded"} <= label.keys():
        message = f'{path}:{number} is no label; write {{"query_id": "…", "grounded": true}}'
        raise typer.BadParameter(message, param_hint="--labels")
    fields = cast("dict[str, Any]", label)
    return {"query_id": fields["query_id"], "grounded": fields["grounded"]}


def _aim(metric: Metric) -> str:
    target = metric["target"]
    copies = "copies only" if _says_nothing(metric) else ""
    if target is None:
        return copies
    sign = "<" if target["wanted"] == "below" else ">"
    met = {True: "✓ met", False: "✗ missed", None: copies}[metric["met"]]
    return f"{sign} {target['limit']:g} {met}".strip()


def _says_nothing(metric: Metric) -> bool:
    return metric["copied"] == metric["count"] > 0
