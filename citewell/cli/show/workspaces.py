"""Terminal views of workspaces."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import counted, size, when
from citewell_client.types import Workspace, WorkspaceSettings


def workspaces_view(workspaces: Sequence[Workspace]) -> RenderableType:
    if not workspaces:
        return Text("no workspaces yet; `citewell ingest` makes one")
    table = Table("name", "ready", "failed", "size", "last used", "title", box=None)
    for workspace in workspaces:
        documents = workspace["documents"]
        name = plain(workspace["name"] if workspace["status"] == "active" else f"{workspace['name']} (being deleted)")
        ready, failed = plain(f"{documents['ready']:,}"), plain(f"{documents['failed']:,}")
        used = plain(when(workspace["used_at"]) if workspace["used_at"] else "never")
        table.add_row(name, ready, failed, plain(size(workspace["size_bytes"])), used, plain(workspace["title"] or ""))
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
    yield from _setting_lines(workspace["settings"])
    used = workspace["used_at"]
    yield f"created {when(workspace['created_at'])}, last used {when(used) if used else 'never'}"


def _setting_lines(settings: WorkspaceSettings) -> Iterator[str]:
    models, wishes = settings["models"], settings["instructions"]
    for name, value in (
        ("mode", settings["mode"]),
        ("preset", settings["preset"]),
        ("main model", models["main"]),
        ("fast model", models["fast"]),
        ("language", wishes["language"]),
        ("tone", wishes["tone"]),
        ("length", wishes["length"]),
        ("refusal", wishes["refusal"]),
    ):
        if value is not None:
            yield f"{name}: {value}"
    yield from (f"term {term}: {meaning}" for term, meaning in wishes["glossary"].items())
