"""Sends files into a workspace, and follows them until they are ready or have failed."""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from citewell.cli.console import err
from citewell.cli.documents.finding import Upload
from citewell_client import ApiProblem, CitewellClient
from citewell_client.types import Document

# This many files are sent ahead, so that the ingestion workers never wait, and this many of the oldest are polled.
_AHEAD = 32
_LOOKED_AT = 8
_SHORTEST_S, _LONGEST_S = 0.1, 1.0
# For a smaller file, asking whether it already exists costs as much as sending it.
_WORTH_ASKING = 100_000


@dataclass(frozen=True, slots=True)
class Ingested:
    """The outcome of a file: `problem` is None for a document that is ready; `known` means that it was ready before."""

    upload: Upload
    document: Document | None
    problem: str | None
    known: bool = False


@dataclass(frozen=True, slots=True)
class _Followed:
    upload: Upload
    document_id: str
    known: bool


def ingest_all(client: CitewellClient, uploads: Iterable[Upload], workspace: str) -> Iterator[Ingested]:
    """Send the files, some ahead of the workers, and yield each once it has ended, with progress bars.

    Files that the workspace already has are not read again, so an interrupted command can be rerun to continue.
    """
    waiting = list(uploads)[::-1]
    following: list[_Followed] = []
    pause = _SHORTEST_S
    with progress_bars() as bars:
        shown = _Bars(bars, len(waiting))
        while waiting or following:
            settled: list[Ingested] = []
            while waiting and len(following) < _AHEAD:
                sent = _send(client, waiting.pop(), workspace)
                following.append(sent) if isinstance(sent, _Followed) else settled.append(sent)
            settled += _look(client, following, shown)
            shown.advance(len(settled))
            yield from settled
            pause = _SHORTEST_S if settled else min(pause * 1.3, _LONGEST_S)
            if following and not settled:
                time.sleep(pause)


@dataclass(slots=True)
class _Bars:
    """A bar for all files, and one for each file that is being read."""

    progress: Progress
    files: int
    all: TaskID | None = None
    single: dict[str, TaskID] = field(default_factory=dict[str, TaskID])

    def __post_init__(self) -> None:
        if self.files > 1:
            self.all = self.progress.add_task("all files", total=self.files, stage="")

    def show(self, followed: _Followed, document: Document) -> None:
        bar = self.single.get(followed.document_id)
        if bar is None:
            bar = self.single[followed.document_id] = self.progress.add_task(followed.upload.name, stage="")
        progress = document["progress"]
        done, total = progress["chunks_done"], progress["chunks_total"]
        if total is None and (scanned := progress["pages_to_recognise"]):
            done, total = progress["pages_recognised"] or 0, scanned
        self.progress.update(bar, total=total, completed=done, stage=document["stage"])

    def remove(self, followed: _Followed) -> None:
        if (bar := self.single.pop(followed.document_id, None)) is not None:
            self.progress.remove_task(bar)

    def advance(self, files: int) -> None:
        if self.all is not None:
            self.progress.advance(self.all, files)


def _send(client: CitewellClient, upload: Upload, workspace: str) -> _Followed | Ingested:
    try:
        if known := _known(client, upload, workspace):
            return _Followed(upload, known, known=True)
        accepted = client.upload(
            upload.path, filename=upload.name, workspace=workspace, metadata=upload.metadata, source="command-line"
        )
    except OSError as error:
        return Ingested(upload, None, unreadable(upload.path, error))
    except ApiProblem as problem:
        if problem.status >= 500:
            raise
        return Ingested(upload, None, about(upload, problem.detail))
    is_known = not accepted.get("created", True) and accepted["status"] == "ready"
    return _Followed(upload, accepted["id"], is_known)


def _known(client: CitewellClient, upload: Upload, workspace: str) -> str | None:
    if upload.path.stat().st_size < _WORTH_ASKING:
        return None
    versions = list(client.documents(workspace, 10, filename=upload.name))
    newest = max(versions, key=lambda version: version["version"], default=None)
    if newest is None or newest["status"] == "failed":
        return None
    wanted = json.loads(upload.metadata)
    if newest["metadata"] | wanted != newest["metadata"]:
        return None
    with upload.path.open("rb") as file:
        same = hashlib.file_digest(file, "sha256").hexdigest() == newest["sha256"]
    return newest["id"] if same else None


def _look(client: CitewellClient, following: list[_Followed], bars: _Bars) -> Iterator[Ingested]:
    for followed in following[:_LOOKED_AT]:
        document = client.document(followed.document_id)
        if document["status"] in ("queued", "processing"):
            bars.show(followed, document)
            continue
        following.remove(followed)
        bars.remove(followed)
        error = document["error"]
        problem = about(followed.upload, error["message"]) if error else None
        yield Ingested(followed.upload, document, problem, followed.known)


def unreadable(path: Path, error: OSError) -> str:
    return f"{path} cannot be read ({error.strerror}); check the path and its permissions"


def about(upload: Upload, message: str) -> str:
    rest = message.removeprefix(upload.name)
    return f"{upload.path}{rest}" if rest != message else f"{upload.path}: {message}"


def progress_bars() -> Progress:
    """Return progress bars on a terminal, and hidden ones elsewhere."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[stage]}", markup=False),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
