"""Terminal views of workspaces."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import counted, size, when
from citewell.wire import Workspace


def workspaces_view(workspaces: Sequence[Workspace]) -> RenderableType:
    if not workspaces:
        return Text("no workspaces yet; `citewell ingest` makes one")
    table = Table("name", "ready", "failed", "size", "last used", "title", box=None)
    for each in workspaces:
        documents = each["documents"]
        name = plain(each["name"] if each["status"] == "active" else f"{each['name']} (being deleted)")
        ready, failed = plain(f"{documents['ready']:,}"), plain(f"{documents['failed']:,}")
        used = plain(when(each["used_at"]) if each["used_at"] else "never")
        table.add_row(name, ready, failed, plain(size(each["size_bytes"])), used, plain(each["title"] or ""))
    return table


def workspace_view(workspace: Workspace) -> RenderableType:
    name, title = workspace["name"], workspace["title"]
    return Group(plain(f"{name} · {title}" if title else name, "bold"), *(plain(line) for line in _lines(workspace)))


def _lines(workspace: Workspace) -> Iterator[str]:
    if workspace["status"] == "deleting":
        yield "is being deleted"
    states = [f"{number:,} {state}" for state, number in workspace["documents"].items() if number]
    yield f"documents: {', '.join(states) or 'none'}"
    yield f"{counted(workspace['passages'], 'passage')}, files of {size(workspace['size_bytes'])}"
    if embedding := workspace["embedding"]:
        yield f"vectors of {embedding['model']} ({embedding['dimension']} components)"
    used = workspace["used_at"]
    yield f"created {when(workspace['created_at'])}, last used {when(used) if used else 'never'}"
