"""The work of `citewell originals` and `reembed`, in the database and without the API."""

from dataclasses import asdict

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from citewell.cli.console import emit, err, out, plain
from citewell.cli.database import database
from citewell.cli.errors import FAILED, CommandFailed
from clients.embeddings.factory import configured_embedder
from config.settings import settings
from services.documents.reembedding import Reembedded, Target, list_targets
from services.documents.reembedding import reembed as reembed_workspace
from services.documents.relocation import Moved, move_files, where_files_are


def show(as_json: bool) -> None:
    with database():
        kept = where_files_are()
    originals = settings().originals
    if as_json:
        places = {place: {"files": files, "bytes": size} for place, (files, size) in sorted(kept.items())}
        emit({"store": originals.store, "above_bytes": originals.above_bytes, "places": places})
        return
    out.print(plain(f"files of more than {originals.above_bytes:,} bytes go to: {originals.store}"))
    for place, (files, size) in sorted(kept.items()):
        out.print(plain(f"{place}: {files:,} files, {size:,} bytes"))


def move(as_json: bool) -> None:
    with database(), err.status("moving …") as status:
        moved = move_files(lambda so_far: status.update(f"moving: {_size_of(so_far)}"))
    if as_json:
        emit({"files": moved.files, "bytes": moved.size_bytes, "damaged": [str(digest) for digest in moved.damaged]})
    else:
        out.print(plain(f"moved {_size_of(moved)}"))
    if moved.damaged:
        named = ", ".join(str(digest) for digest in moved.damaged[:10])
        raise CommandFailed(
            f"{len(moved.damaged):,} files are damaged and stay where they are: {named}; send them again", FAILED
        )


def _size_of(moved: Moved) -> str:
    return f"{moved.files:,} files, {moved.size_bytes:,} bytes"


def reembed(tenant: str | None, workspace: str | None, as_json: bool) -> None:
    with database():
        for target in list_targets(tenant, workspace):
            done = _reembed(target, as_json)
            if as_json:
                emit(asdict(done))
            elif done.switched:
                embedded = f"{done.embedded:,} chunks embedded, searched by {done.model} from now on"
                out.print(plain(f"{done.name}: {embedded}"))
            else:
                out.print(plain(f"{done.name}: has vectors of {done.model} already"))


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
