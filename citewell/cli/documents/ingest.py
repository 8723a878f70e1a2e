"""`citewell ingest`: files, folders and archives into a workspace."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from citewell.cli.connection import connected
from citewell.cli.console import complain, emit, out, say
from citewell.cli.documents.finding import Found, Upload, find_all
from citewell.cli.documents.uploading import Ingested, about, ingest_all, progress_bars, unreadable
from citewell.cli.errors import USAGE, CommandFailed
from citewell.cli.options import Json, Url, Workspace
from citewell.cli.show.words import counted, document_line, reading_words
from citewell_client import ApiProblem, CitewellClient
from citewell_client.types import Document, Import
from citewell_documents.formats import listed

_LOOK_EVERY_S = 0.3
_OTHER_TYPE = "document_type_unknown"

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help=f"Files ({listed()}), folders of them, or .zip archives."),
    ],
    workspace: Workspace = "default",
    metadata: Annotated[
        str, typer.Option(help="A JSON object that is kept with every citation, e.g. '{\"year\": 2026}'.")
    ] = "{}",
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Add files, folders of them, or .zip archives to a workspace.

    A file that cannot be used does not stop the others; the exit code is then 2. The same file again changes nothing,
    another file of the same name is its next version. After an interruption, run it again to continue.
    """
    _check_metadata(metadata)
    files = find_all(paths, metadata)
    tally = _Tally(files, as_json)
    try:
        if files.documents or files.archives:
            with connected(url) as client:
                for ingested in ingest_all(client, files.documents, workspace):
                    tally.add_document(ingested)
                for archive in files.archives:
                    tally.add_import(import_archive(client, archive, workspace))
    finally:
        tally.report()
    if files.problems:
        raise typer.Exit(USAGE)


@dataclass(slots=True)
class _Tally:
    """Collects the results: prints successes at once, failures and their reasons at the end."""

    files: Found
    as_json: bool
    ready: int = 0
    pages: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None
    many: bool = field(init=False)

    def __post_init__(self) -> None:
        self.many = len(self.files.documents) > 1 or bool(self.files.archives or self.files.skipped)

    def add_document(self, ingested: Ingested) -> None:
        if ingested.document is not None and self.as_json:
            emit(ingested.document)
        if ingested.problem is not None:
            self.files.problems.append(ingested.problem)
        elif ingested.document is not None:
            self.ready += 1
            if not ingested.known:
                self._add_reading(ingested.document)
            if not self.as_json:
                out.print(document_line(ingested.document, known=ingested.known))

    def _add_reading(self, document: Document) -> None:
        reading = document["reading"]
        if reading is None or not document["pages"]:
            return
        self.pages += document["pages"]
        self.seconds += reading["seconds"]
        if reading["cost_usd"] is not None:
            self.cost_usd = (self.cost_usd or 0.0) + reading["cost_usd"]

    def add_import(self, ended: Import | str) -> None:
        if isinstance(ended, str):
            self.files.problems.append(ended)
            return
        if self.as_json:
            emit(ended)
        self.ready += ended["documents"]["ready"]
        self.files.problems += problems_of(ended)
        self.files.skipped += skipped_of(ended)

    def report(self) -> None:
        for problem in self.files.problems:
            complain(problem)
        if self.files.skipped:
            say(self.files.skipped_line())
        if self.many and self.pages and not self.as_json:
            say(f"{counted(self.pages, 'page')} in {reading_words(self.pages, self.seconds, self.cost_usd)}")
        if self.many:
            skipped = f", {counted(self.files.skipped.total(), 'file')} skipped" if self.files.skipped else ""
            say(f"{self.ready:,} ready, {len(self.files.problems):,} failed{skipped}")


def _check_metadata(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise CommandFailed(f"--metadata is not JSON ({error}); it looks like '{{\"year\": 2026}}'") from None
    if not isinstance(value, dict):
        raise CommandFailed("--metadata is not a JSON object; it looks like '{\"year\": 2026}'")


def import_archive(client: CitewellClient, upload: Upload, workspace: str) -> Import | str:
    try:
        accepted = client.imports.create(
            upload.path, filename=upload.name, workspace=workspace, metadata=upload.metadata, source="command-line"
        )
    except OSError as error:
        return unreadable(upload.path, error)
    except ApiProblem as problem:
        if problem.status >= 500:
            raise
        return about(upload, problem.detail)
    return _followed(client, upload, accepted["id"])


def problems_of(import_: Import) -> list[str]:
    if error := import_["error"]:
        return [f"{import_['filename']}: {error['message']}"]
    failed = [
        f"{failure['filename']}: {failure['message'].removeprefix(failure['filename'])}"
        for failure in import_["failures"]
    ]
    return failed + [
        f"{skipped['name']}: {skipped['message']}" for skipped in import_["skipped"] if skipped["code"] != _OTHER_TYPE
    ]


def skipped_of(import_: Import) -> Counter[str]:
    return Counter(
        PurePosixPath(skipped["name"]).suffix.lower()
        for skipped in import_["skipped"]
        if skipped["code"] == _OTHER_TYPE
    )


def _followed(client: CitewellClient, upload: Upload, import_id: str) -> Import:
    with progress_bars() as bars:
        bar = bars.add_task(upload.name, total=None, stage="queued")
        while True:
            seen = client.imports.get(import_id)
            states = seen["documents"]
            ended = states["ready"] + states["failed"] + states["superseded"] + len(seen["skipped"])
            bars.update(bar, total=seen["total"], completed=ended, stage=seen["status"])
            if seen["status"] in ("finished", "failed"):
                return seen
            time.sleep(_LOOK_EVERY_S)
