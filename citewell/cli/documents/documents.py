"""`citewell documents`: the documents in workspaces, and their files."""

import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, output_all, plain, save, say
from citewell.cli.documents.uploading import progress_bars
from citewell.cli.errors import USAGE
from citewell.cli.options import Json, Url, Workspace, Yes, confirm, group
from citewell.cli.short_ids import whole_id
from citewell.cli.show.words import counted, when
from citewell_client import CitewellClient
from citewell_client.types import Document, Reingestion

_LOOK_EVERY_S = 0.3

app = group("List, show, fetch and delete documents.")

_Id = Annotated[str, typer.Argument(metavar="ID", help="Of a document; at least its first 6 characters.")]


@app.command("list")
def list_(
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="Only of this workspace.")] = None,
    status: Annotated[
        Literal["queued", "processing", "ready", "failed", "superseded"] | None,
        typer.Option("--status", help="Only in this state."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="List so many of them, the newest first.")] = 50,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """List documents, the newest first."""
    with connected(url) as client:
        listed = list(client.documents(workspace, limit, status=status))
    output_all(listed, documents_view, as_json=as_json)


@app.command()
def show(document_id: _Id, as_json: Json = False, url: Url = None) -> None:
    """Show one document: its state, its metadata and its versions."""
    with connected(url) as client:
        document_id = whole_id(client, document_id, "document")
        document, versions = client.document(document_id), client.versions(document_id)
    if as_json:
        emit({**document, "versions": versions})
    else:
        out.print(document_view(document, versions))


@app.command()
def original(
    document_id: _Id,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; - is standard output. [default: its name]")
    ] = None,
    url: Url = None,
) -> None:
    """Fetch the file of a document as it was sent."""
    with connected(url) as client:
        document_id = whole_id(client, document_id, "document")
        content = client.document_original(document_id)
        # Only the last part of the name from the server is used, so that it leads to no other folder.
        name = Path(PurePosixPath(client.document(document_id)["filename"].replace("\\", "/")).name)
    save(content, None if str(output) == "-" else output or name)


@app.command()
def reingest(
    workspace: Workspace = "default",
    kind: Annotated[str | None, typer.Option(metavar="TYPE", help="Only of this file type, such as pdf.")] = None,
    before: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"], help="Only what was read before.")
    ] = None,
    name_contains: Annotated[str | None, typer.Option(metavar="TEXT", help="Only with this in its name.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Read documents again from their stored files, all that match.

    They are searched meanwhile as they are. A document gets a new version only if its text or its passages differ.
    After an interruption the server goes on.
    """
    when = before.astimezone().isoformat() if before else None
    with connected(url) as client:
        reingestion = client.reingest(workspace, kind=kind, before=when, name_contains=name_contains, dry_run=dry_run)
        if left_out := reingestion.get("corrected"):
            say(f"left out, since their files lack what people corrected: {counted(left_out, 'document')}")
        if reingestion["id"] is None:
            emit(reingestion) if as_json else out.print(
                f"{counted(reingestion['matched'], 'document')} would be read again"
            )
            return
        if waiting := reingestion["matched"] - reingestion["queued"]:
            say(f"{counted(waiting, 'document')} wait to be read already")
        ended = _follow(client, reingestion["id"])
    if as_json:
        emit(ended)
    else:
        out.print(f"{ended['changed']:,} changed, {ended['unchanged']:,} unchanged, {ended['failed']:,} failed")
    if ended["failed"]:
        raise typer.Exit(USAGE)


@app.command()
def delete(
    document_id: _Id,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Delete all that have its name.")] = False,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Delete a document with its file and its passages; answers keep their copies of what they cite."""
    with connected(url) as client:
        document_id = whole_id(client, document_id, "document")
        name = client.document(document_id)["filename"]
        confirm(f"delete {name}{' in all its versions' if all_versions else ''}", yes)
        client.delete_document(document_id, all_versions=all_versions)
    say(f"deleted {name} ({document_id})")


def _follow(client: CitewellClient, reingestion_id: str) -> Reingestion:
    """Wait until the last document of the re-ingestion has ended."""
    with progress_bars() as bars:
        bar = bars.add_task("read again", total=None, stage="")
        while True:
            seen = client.reingestion(reingestion_id)
            ended = seen["total"] - seen["queued"] - seen["processing"]
            bars.update(bar, total=seen["total"], completed=ended, stage=f"{seen['changed']:,} changed")
            if seen["status"] == "finished":
                return seen
            time.sleep(_LOOK_EVERY_S)


def documents_view(documents: Sequence[Document]) -> RenderableType:
    if not documents:
        return Text("no documents; `citewell ingest` adds some")
    lines: list[RenderableType] = []
    for document in documents:
        head = f"{document['id']}  {when(document['created_at'])}  {document['status']:<10}  {document['workspace']}"
        near = document.get("near_duplicate_of")
        name = (
            f"{document['filename']}  ({near['similarity']:.0%} the same as {near['filename']})"
            if near
            else document["filename"]
        )
        lines += [plain(head, "dim"), Padding(plain(name), (0, 0, 0, 2))]
    return Group(*lines)


def document_view(document: Document, versions: Sequence[Document]) -> RenderableType:
    size = [
        counted(document["size_bytes"], "byte"),
        counted(document["pages"], "page"),
        counted(document["progress"]["chunks_done"], "passage"),
    ]
    lines = [
        plain(document["filename"], "bold"),
        plain(f"{document['id']} · {document['status']} · workspace {document['workspace']}"),
        plain(f"{' · '.join(size)} · added {when(document['created_at'])} by {document['source']}", "dim"),
    ]
    if near := document.get("near_duplicate_of"):
        lines.append(plain(f"{near['similarity']:.0%} the same as {near['filename']} ({near['id']})", "yellow"))
    if error := document["error"]:
        lines.append(plain(f"failed: {error['message']}", "red"))
    lines += [plain(f"{name}: {value}") for name, value in document["metadata"].items()]
    if len(versions) > 1:
        lines += [
            plain(
                f"version {version['version']}: {version['id']} · {version['status']} · {when(version['created_at'])}",
                "dim",
            )
            for version in versions
        ]
    return Group(*lines)
