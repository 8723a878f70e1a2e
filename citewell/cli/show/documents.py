"""Terminal views of documents."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import counted, when
from citewell_client.types import Document


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
