"""Common parts of all runs of `citewell evaluate`: options, models, a progress bar, and results shown and stored."""

import asyncio
import json
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from citewell.cli.console import complain, emit, err, out, plain, say
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.show.words import when
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallRecord, ChatModel
from clients.reranking import Reranker, make_reranker
from config.settings import Settings, settings
from domain.query.options import Preset
from services.evaluation.runs import FinishedRun, store_run
from services.evaluation.statements import usage_of

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

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the command; `provider` and `preset` None mean as configured, `limit` None everything."""

    provider: str | None
    preset: Preset | None
    limit: int | None
    as_json: bool
    store: bool
    verdicts: Path | None = None
    """The file for all verdicts, a line for each pair."""


@dataclass(frozen=True, slots=True)
class Judges:
    """The models of this run, with the settings in force, including the command's options."""

    settings: Settings
    model: ChatModel
    gateway: ModelGateway
    reranker: Reranker | None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        async def then_close() -> T:
            try:
                return await work
            finally:
                if self.reranker is not None:
                    await self.reranker.aclose()
                await self.model.aclose()

        return asyncio.run(then_close())


def open_judges(wanted: Wanted) -> Judges:
    chosen = settings()
    if wanted.provider is not None:
        chosen = chosen.model_copy(update={"models": chosen.models.model_copy(update={"provider": wanted.provider})})
    if wanted.preset is not None:
        chosen = chosen.model_copy(update={"preset": wanted.preset})
    # The reranker comes first: if it cannot be opened, no model holds connections yet.
    reranker = make_reranker(chosen.rerank)
    model = make_model(chosen)
    return Judges(chosen, model, ModelGateway(model, chosen.models), reranker)


def usage(judges: Judges, calls: Sequence[CallRecord]) -> dict[str, object]:
    return usage_of(calls, judges.settings.models.catalogue)


def show_run(run: FinishedRun, printed: dict[str, Any], wanted: Wanted, seconds: float) -> None:
    if wanted.as_json:
        emit(printed)
        return
    out.print(verification_view(run.results) if run.kind == "verification" else retrieval_view(run.results))
    usage = run.results["usage"]
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    calls = sum(usage["calls"].values())
    spent = f" · model calls: {calls:,} · {tokens:,} tokens · ${usage['cost_usd']:.4f}" if tokens else ""
    say(f"{run.verifier} · {run.n:,} in {seconds:.0f} s{spent}")
    if calibration := run.results.get("calibration"):
        say(f"verification.calibration that would fit: {json.dumps(calibration)}")


def store(run: FinishedRun, wanted: Wanted) -> None:
    if wanted.store:
        store_run(run)


def report_failures(reasons: Sequence[str], total: int, what: str) -> None:
    if not reasons:
        return
    most, count = Counter(reasons).most_common(1)[0]
    message = f"{len(reasons):,} of {total:,} {what} could not be judged, {count:,} of them because: {most}"
    if len(reasons) == total:
        raise CommandFailed(message, FAILED)
    complain(message)


def progress_bar(wanted: Wanted) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal or (wanted.as_json and not out.is_terminal),
    )


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


def runs_view(runs: Sequence[dict[str, Any]]) -> RenderableType:
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
