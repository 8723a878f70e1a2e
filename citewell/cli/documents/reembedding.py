"""The work of `citewell reembed`, in the database and without the API."""

from dataclasses import asdict

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from citewell.cli.console import emit, err, out, plain
from citewell.cli.database import database
from clients.embeddings import configured_embedder
from config.settings import settings
from services.documents.reembedding import Reembedded, Target, list_targets
from services.documents.reembedding import reembed as reembed_workspace


def reembed(tenant: str | None, workspace: str | None, as_json: bool) -> None:
    with database():
        for target in list_targets(tenant, workspace):
            done = _reembed(target, as_json)
            if as_json:
                emit(asdict(done))
            else:
                out.print(plain(_summary(done)))


def _reembed(target: Target, as_json: bool) -> Reembedded:
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    disable = not err.is_terminal or (as_json and not out.is_terminal)
    with Progress(*columns, console=err, transient=True, disable=disable) as bar:
        task = bar.add_task(target.name, total=None)
        return reembed_workspace(
            target,
            configured_embedder(),
            batch=settings().embeddings.batch * settings().embeddings.concurrency,
            on_progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def _summary(done: Reembedded) -> str:
    if not done.switched:
        return f"{done.name}: has vectors of {done.model} already"
    return f"{done.name}: {done.embedded:,} chunks embedded, searched by {done.model} from now on"
