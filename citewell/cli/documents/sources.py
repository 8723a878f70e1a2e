"""`citewell sources`: places that documents come from."""

import time
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from citewell.cli.connection import connected
from citewell.cli.console import err, output, output_all, plain, say
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.options import Json, Url, Yes, confirm, group
from citewell.cli.short_ids import whole_id
from citewell.cli.show.words import when
from citewell_client import CitewellClient
from citewell_client.types import DocumentSource, DocumentSourceHead

_OUTCOMES = ("new", "changed", "unchanged", "skipped", "failed", "gone", "pending")

app = group("List, create, run, pause and delete sources of documents.")

_Id = Annotated[str, typer.Argument(metavar="ID", help="Of a source; at least its first 6 characters.")]
_Wait = Annotated[bool, typer.Option("--wait", help="Show the progress until the run has ended.")]
_Every = Annotated[int | None, typer.Option("--every", min=60, metavar="SECONDS", help="From run to run.")]
_Include = Annotated[list[str] | None, typer.Option("--include", help="Only keys like this; * is anything.")]
_Exclude = Annotated[list[str] | None, typer.Option("--exclude", help="No keys like this.")]
_LOOK_EVERY_S = 0.5


@app.command("list")
def list_(
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="Only of this workspace.")] = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """List the sources, the newest first."""
    with connected(url) as client:
        listed = list(client.sources.list(workspace))
    output_all(listed, sources_view, as_json=as_json)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Its documents are named after it.")],
    kind: Annotated[Literal["folder", "web", "sitemap", "feed", "git", "bucket"], typer.Argument()],
    location: Annotated[str, typer.Argument(help="A URL, an allowed folder's name, or a bucket's.")],
    workspace: Annotated[str, typer.Option("--workspace", "-w")] = "default",
    every: _Every = None,
    include: _Include = None,
    exclude: _Exclude = None,
    max_items: Annotated[int | None, typer.Option(min=1, help="What is beyond is left out.")] = None,
    when_gone: Annotated[Literal["mark", "delete"] | None, typer.Option(help="Documents of what went.")] = None,
    depth: Annotated[int | None, typer.Option(min=0, max=10, help="web: how many links it follows.")] = None,
    entries: Annotated[bool, typer.Option("--entries", help="feed: the entries' own text.")] = False,
    branch: Annotated[str | None, typer.Option(help="git: a branch or tag.")] = None,
    store: Annotated[str | None, typer.Option(help="bucket: a store of the server's settings.")] = None,
    wait: _Wait = False,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Set up a source; its first run begins at once."""
    given: dict[str, Any] = {
        "include": include,
        "exclude": exclude,
        "max_items": max_items,
        "when_gone": when_gone,
        "depth": depth,
        "entries": entries or None,
        "branch": branch,
        "store": store,
    }
    options = {name: value for name, value in given.items() if value}
    with connected(url) as client:
        made = client.sources.create(name, kind, location, workspace=workspace, every_s=every, **options)
        _show(_watched(client, made) if wait else made, as_json)


@app.command()
def show(source_id: _Id, as_json: Json = False, url: Url = None) -> None:
    """Show a source: its schedule, the progress of its run, and the reasons for what was not taken."""
    with connected(url) as client:
        source = client.sources.get(whole_id(client, source_id, "source"))
    _show(source, as_json)


@app.command()
def run(source_id: _Id, wait: _Wait = False, as_json: Json = False, url: Url = None) -> None:
    """Begin a run now."""
    with connected(url) as client:
        begun = client.sources.run(whole_id(client, source_id, "source"))
        _show(_watched(client, begun) if wait else begun, as_json)


@app.command()
def change(
    source_id: _Id,
    every: _Every = None,
    when_asked: Annotated[bool, typer.Option("--when-asked", help="No schedule any more.")] = False,
    include: _Include = None,
    exclude: _Exclude = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Change its schedule, or what it takes from the next run on."""
    fields: dict[str, Any] = {"every_s": every} if every or when_asked else {}
    options = {name: value for name, value in (("include", include), ("exclude", exclude)) if value is not None}
    if options:
        fields["options"] = options
    with connected(url) as client:
        changed = client.sources.update(whole_id(client, source_id, "source"), **fields)
    _show(changed, as_json)


@app.command()
def pause(source_id: _Id, url: Url = None) -> None:
    """Stop it until it is resumed."""
    _set_status(source_id, "paused", url)


@app.command()
def resume(source_id: _Id, url: Url = None) -> None:
    """Let a paused source go on."""
    _set_status(source_id, "active", url)


@app.command()
def delete(
    source_id: _Id,
    documents: Annotated[bool, typer.Option("--documents", help="Delete its documents as well.")] = False,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Delete a source; its documents stay, unless they are deleted with it."""
    with connected(url) as client:
        source_id = whole_id(client, source_id, "source")
        source = client.sources.get(source_id)
        confirm(f"delete the source {source['name']}{' with its documents' if documents else ''}", yes)
        client.sources.delete(source_id, "delete" if documents else "keep")
    say(f"deleted {source['name']} ({source_id})")


def _set_status(source_id: str, status: str, url: str | None) -> None:
    with connected(url) as client:
        changed = client.sources.update(whole_id(client, source_id, "source"), status=status)
    say(f"{changed['name']} is {status}")


def _watched(client: CitewellClient, source: DocumentSource) -> DocumentSource:
    """Show the progress of a source until its run ends, and return it. Raises CommandFailed when the run failed."""
    begun = source["run"] + (source["phase"] == "idle")
    with err.status("waiting") as status:
        while source["run"] < begun or source["phase"] != "idle":
            time.sleep(_LOOK_EVERY_S)
            source = client.sources.get(source["id"])
            status.update(progress(source))
            if source["status"] == "paused":
                raise CommandFailed("the source was paused", FAILED)
    return source


def _show(source: DocumentSource, as_json: bool) -> None:
    output(source, source_view, as_json=as_json, soft_wrap=True)


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
