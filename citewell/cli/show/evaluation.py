"""Terminal views of evaluations."""

from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import when

_VERIFICATION = {
    "balanced\naccuracy": "balanced_accuracy",
    "AUC": "auc",
    "ECE": "ece",
    "false\npass": "false_pass",
    "false\nstrip": "false_strip",
    "un-\ncertain": "uncertain",
    "not\nchecked": "not_checked",
}
_RETRIEVAL = {
    "recall@1": "recall@1",
    "recall@5": "recall@5",
    "recall@10": "recall@10",
    "MRR": "mrr",
    "answerability\nAUC": "answerability_auc",
}
_NAME_WIDTH = 18
_AS_NUMBERS = {"auc", "ece", "mrr", "answerability_auc"}


def verification_view(results: dict[str, Any]) -> Table:
    table = _table(["n", *_VERIFICATION])
    for name, measures in results["sets"].items():
        table.add_row(plain(name), f"{measures['n']:,}", *_cells(measures, _VERIFICATION))
    table.add_section()
    table.add_row("macro average", "", *_cells(results["macro"], _VERIFICATION), style="bold")
    table.add_row("worst set", "", *_cells(results["worst"], _VERIFICATION))
    return table


def retrieval_view(results: dict[str, Any]) -> Table:
    table = _table(["ques-\ntions", "answer-\nable", *_RETRIEVAL])
    for name, measures in results["sets"].items():
        counts = f"{measures['n']:,}", f"{measures['answerable']:,}"
        table.add_row(plain(name), *counts, *_cells(measures, _RETRIEVAL))
        table.add_row("  before reranking", "", "", *_cells(measures["before_reranking"], _RETRIEVAL), style="dim")
    return table


def runs_view(runs: list[dict[str, Any]]) -> RenderableType:
    if not runs:
        return Text("no evaluations yet; `citewell evaluate FILE.jsonl` makes one")
    lines: list[RenderableType] = []
    for run in runs:
        lines.append(plain(f"{run['id']}  {when(run['created_at'])}  {run['verifier']}", "dim"))
        files = ", ".join(str(file["name"]) for file in run["files"])
        lines.append(Padding(plain(f"{run['kind']} · {_gist(run)} · {run['n']:,} in {files}"), (0, 0, 0, 2)))
    return Group(*lines)


def _gist(run: dict[str, Any]) -> str:
    results = run["results"]
    if run["kind"] == "verification":
        measures = results["macro"]
        return f"balanced accuracy {_cell(measures, 'balanced_accuracy')}, ECE {_cell(measures, 'ece')}"
    recalls = (f"{name} {_cell(measures, 'recall@5')}" for name, measures in results["sets"].items())
    return f"recall@5: {', '.join(recalls)}"


def _cells(measures: dict[str, Any], columns: dict[str, str]) -> list[str]:
    return [_cell(measures, name) for name in columns.values()]


def _cell(measures: dict[str, Any], name: str) -> str:
    if name not in measures:
        return ""
    value = measures[name]
    if value is None:
        return "–"
    return f"{value:.3f}" if name in _AS_NUMBERS else f"{value:.1%}"


def _table(columns: list[str]) -> Table:
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("set", overflow="fold", min_width=_NAME_WIDTH)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table
