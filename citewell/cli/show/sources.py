"""Terminal views of sources of documents."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import when
from citewell_client.types import DocumentSource, DocumentSourceHead

_OUTCOMES = ("new", "changed", "unchanged", "skipped", "failed", "gone", "pending")


def sources_view(sources: Sequence[DocumentSourceHead]) -> RenderableType:
    if not sources:
        return Text("no sources; `citewell sources create` adds one")
    lines: list[RenderableType] = []
    for source in sources:
        lines.append(plain(f"{source['id']}  {state(source):<10}  {source['workspace']}", "dim"))
        lines.append(Padding(plain(f"{source['name']}  {source['kind']}  {source['location']}"), (0, 0, 0, 2)))
    return Group(*lines)


def source_view(source: DocumentSource) -> RenderableType:
    every = f"every {source['every_s']:,} s" if source["every_s"] else "when asked"
    times = f" · begun {when(source['started_at'])}" if source["started_at"] else ""
    times += f" · next {when(source['next_run_at'])}" if source["next_run_at"] else ""
    lines = [
        plain(source["name"], "bold"),
        plain(f"{source['kind']} {source['location']} · workspace {source['workspace']} · {every}"),
        plain(f"{source['id']} · {state(source)} · run {source['run']}{times}", "dim"),
        plain(progress(source)),
    ]
    if error := source["error"]:
        lines.append(plain(f"{error['code']}: {error['message']}", "red"))
    lines += [plain(f"{reason['outcome']} {reason['key']}: {reason['message']}", "dim") for reason in source["reasons"]]
    return Group(*lines)


def state(source: DocumentSourceHead) -> str:
    return source["phase"] if source["status"] == "active" else source["status"]


def progress(source: DocumentSource) -> str:
    """Return the number of items by outcome, and how many documents are read."""
    items, documents = source["items"], source["documents"]
    counts = ", ".join(f"{items[name]:,} {name}" for name in _OUTCOMES if items[name])
    unread = documents["queued"] + documents["processing"]
    return f"{items['listed']:,} listed: {counts or 'nothing'}; {documents['ready']:,} ready, {unread:,} to be read"
