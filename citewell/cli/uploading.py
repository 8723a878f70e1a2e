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
from domain.formats import SUFFIXES, listed

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
        raise CommandFailed(f"{path} holds no documents; supported are {listed()}")
    return found


def ingest_all(client: CitewellClient, uploads: Iterable[Upload], workspace: str) -> Iterator[Ingested]:
    """Send the files, a few at a time, and yield each when its fate is known, with a bar for each meanwhile."""
    waiting = list(uploads)[::-1]
    following: list[_Followed] = []
    with _bars() as bars:
        while waiting or following:
            settled: list[Ingested] = []
            while waiting and len(following) < _AT_ONCE:
                sent = _send(client, waiting.pop(), workspace, bars)
                following.append(sent) if isinstance(sent, _Followed) else settled.append(sent)
            settled += _look(client, following, bars)
            yield from settled
            if following and not settled:
                time.sleep(_LOOK_EVERY_S)


@dataclass(frozen=True, slots=True)
class _Followed:
    upload: Upload
    document_id: str
    bar: TaskID


def _send(client: CitewellClient, upload: Upload, workspace: str, bars: Progress) -> _Followed | Ingested:
    try:
        accepted = client.upload(
            upload.path, filename=upload.name, workspace=workspace, metadata=upload.metadata, source="command-line"
        )
    except OSError as error:
        why = f"{upload.path} cannot be read ({error.strerror}); check the path and its permissions"
        return Ingested(upload, None, why)
    except ApiProblem as problem:
        if problem.status >= 500:
            raise
        return Ingested(upload, None, _about(upload, problem.detail))
    return _Followed(upload, accepted["id"], bars.add_task(upload.name, total=None, stage="queued"))


def _look(client: CitewellClient, following: list[_Followed], bars: Progress) -> Iterator[Ingested]:
    for followed in tuple(following):
        document = client.document(followed.document_id)
        done, total = document["progress"]["chunks_done"], document["progress"]["chunks_total"]
        bars.update(followed.bar, total=total, completed=done, stage=document["stage"])
        if document["status"] in ("ready", "failed"):
            following.remove(followed)
            bars.remove_task(followed.bar)
            error = document["error"]
            yield Ingested(followed.upload, document, _about(followed.upload, error["message"]) if error else None)


def _about(upload: Upload, message: str) -> str:
    # The server knows the file by its name alone, and mostly begins with it.
    rest = message.removeprefix(upload.name)
    return f"{upload.path}{rest}" if rest != message else f"{upload.path}: {message}"


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES:
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
