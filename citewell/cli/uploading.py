"""Files on their way into a workspace: sent, and followed until they are ready or have failed."""

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from citewell.cli.console import err
from citewell.cli.errors import CommandFailed
from citewell.client import ApiProblem, CitewellClient
from citewell.wire import Document

SUPPORTED = (".txt", ".text", ".md", ".markdown", ".pdf")
# Enough to keep the ingestion workers busy, few enough for a bar each.
_AT_ONCE = 8
_LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True)
class Upload:
    """A file, the name it gets in citations, and its metadata as a JSON object."""

    path: Path
    name: str
    metadata: str = "{}"


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of a file: `problem` is None for a document that is ready."""

    upload: Upload
    document: Document | None
    problem: str | None


def find_files(path: Path, metadata: str) -> list[Upload]:
    """The file, or the supported files below the folder, named from there; hidden ones are left out.

    Raises CommandFailed when there is nothing to send.
    """
    if not path.is_dir():
        return [Upload(path, _readable(path.name), metadata)]
    found = [Upload(file, _readable(file.relative_to(path).as_posix()), metadata) for file in sorted(_walk(path))]
    if not found:
        raise CommandFailed(f"{path} holds no documents; supported are {', '.join(SUPPORTED)}")
    return found


def ingest_all(client: CitewellClient, uploads: Iterable[Upload], workspace: str) -> Iterator[Ingested]:
    """Send the files, a few at a time, and yield each when its fate is known, with a bar for each meanwhile."""
    waiting = list(uploads)[::-1]
    following: dict[str, tuple[Upload, TaskID]] = {}
    with _bars() as bars:
        while waiting or following:
            while waiting and len(following) < _AT_ONCE:
                upload = waiting.pop()
                try:
                    accepted = _send(client, upload, workspace)
                except CommandFailed as failed:
                    yield Ingested(upload, None, str(failed))
                else:
                    following[accepted] = (upload, bars.add_task(upload.name, total=None, stage="queued"))
            finished = list(_look(client, following, bars))
            yield from finished
            if following and not finished:
                time.sleep(_LOOK_EVERY_S)


def _send(client: CitewellClient, upload: Upload, workspace: str) -> str:
    try:
        return client.upload(upload.path, filename=upload.name, workspace=workspace, metadata=upload.metadata)["id"]
    except OSError as error:
        raise CommandFailed(
            f"{upload.path} cannot be read ({error.strerror}); check the path and its permissions"
        ) from None
    except ApiProblem as problem:
        if problem.status >= 500:
            raise
        raise CommandFailed(f"{upload.path}: {problem.detail}") from None


def _look(client: CitewellClient, following: dict[str, tuple[Upload, TaskID]], bars: Progress) -> Iterator[Ingested]:
    for document_id, (upload, bar) in list(following.items()):
        document = client.document(document_id)
        progress = document["progress"]
        bars.update(bar, total=progress["chunks_total"], completed=progress["chunks_done"], stage=document["stage"])
        if document["status"] in ("ready", "failed"):
            del following[document_id]
            bars.remove_task(bar)
            error = document["error"]
            yield Ingested(upload, document, f"{upload.path}: {error['message']}" if error else None)


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and Path(name).suffix.lower() in SUPPORTED:
                yield Path(parent, name)


def _readable(name: str) -> str:
    # File names are bytes; those that are not UTF-8 get replacement characters in citations.
    return os.fsencode(name).decode(errors="replace")


def _bars() -> Progress:
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
