"""`citewell workspaces`: the collections that documents and questions belong to."""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from citewell.cli.connection import connected
from citewell.cli.console import output, output_all, plain, say
from citewell.cli.errors import CommandFailed
from citewell.cli.options import Json, Preset, Url, group
from citewell.cli.show.words import counted, size, when
from citewell_client import ApiProblem, CitewellClient
from citewell_client.types import Workspace, WorkspaceSettings

Chosen = Mapping[str, str | dict[str, str] | None]


class Setting(StrEnum):
    """A setting of a workspace that can be reset to its default."""

    TITLE = "title"
    MODE = "mode"
    PRESET = "preset"
    MAIN_MODEL = "main-model"
    FAST_MODEL = "fast-model"
    LANGUAGE = "language"
    TONE = "tone"
    LENGTH = "length"
    REFUSAL = "refusal"
    GLOSSARY = "glossary"


_PLACES: dict[Setting, tuple[str, ...]] = {
    Setting.TITLE: ("title",),
    Setting.MODE: ("settings", "mode"),
    Setting.PRESET: ("settings", "preset"),
    Setting.MAIN_MODEL: ("settings", "models", "main"),
    Setting.FAST_MODEL: ("settings", "models", "fast"),
    **{
        setting: ("settings", "instructions", setting.value)
        for setting in (Setting.LANGUAGE, Setting.TONE, Setting.LENGTH, Setting.REFUSAL, Setting.GLOSSARY)
    },
}


def change_of(chosen: Chosen, unset: Collection[Setting]) -> dict[str, Any]:
    """Return the fields of the request: the chosen values, and the settings to reset. Raises CommandFailed."""
    change: dict[str, Any] = {}
    for setting, place in _PLACES.items():
        value = chosen[setting.value]
        if value is not None and setting in unset:
            raise CommandFailed(f"--unset {setting.value} and a value for it contradict each other; give one of them")
        if setting in unset:
            _put(change, place, {} if setting is Setting.GLOSSARY else None)
        elif value is not None:
            _put(change, place, value)
    if not change:
        raise CommandFailed("nothing is to be changed; `citewell workspaces set --help` shows what can be")
    return change


def glossary_of(terms: Collection[str]) -> dict[str, str]:
    """Return the glossary from `TERM=MEANING` options. Raises CommandFailed."""
    glossary: dict[str, str] = {}
    for pair in terms:
        term, _, meaning = pair.partition("=")
        if not (term.strip() and meaning.strip()):
            raise CommandFailed(f"--term {pair!r} does not say what a term means; write TERM=MEANING")
        glossary[term.strip()] = meaning.strip()
    return glossary


def _put(change: dict[str, Any], place: tuple[str, ...], value: object) -> None:
    *above, last = place
    for name in above:
        change = change.setdefault(name, {})
    change[last] = value


def delete_workspace(client: CitewellClient, name: str, *, confirmed: bool) -> bool:
    """Delete a workspace. Return False if the server is still deleting its contents.

    A workspace with contents needs `confirmed`, or its name typed at a terminal. Raises CommandFailed without either.
    """
    try:
        return client.workspaces.delete(name, with_contents=confirmed)
    except ApiProblem as problem:
        if problem.code != "workspace_not_empty":
            raise
    counts = client.workspaces.get(name)["documents"]
    number = counts["queued"] + counts["processing"] + counts["ready"] + counts["failed"] + counts["superseded"]
    documents = counted(number, "document")
    if not sys.stdin.isatty():
        raise CommandFailed(
            f"workspace {name!r} is not empty ({documents}); --yes deletes it with all that it contains"
        )
    asked = f"{documents}, and all questions with their history, will be gone. To delete them type the name"
    if typer.prompt(asked, err=True) != name:
        raise CommandFailed(f"that is not the name; nothing was deleted from {name!r}")
    return client.workspaces.delete(name, with_contents=True)


app = group("List, create, change and delete workspaces.")

_Name = Annotated[str, typer.Argument(metavar="NAME", help="As `citewell workspaces list` shows it.")]
_Title = Annotated[str | None, typer.Option(help="How people call it.")]


@app.command("list")
def list_(as_json: Json = False, url: Url = None) -> None:
    """List the workspaces, the last used first."""
    with connected(url) as client:
        listed = sorted(client.workspaces.list(), key=lambda workspace: workspace["used_at"] or "", reverse=True)
    output_all(listed, workspaces_view, as_json=as_json)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, '.', '_' and '-'.")],
    title: _Title = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Create an empty workspace; `citewell ingest` creates one, too."""
    with connected(url) as client:
        output(client.workspaces.create(name, title=title), workspace_view, as_json=as_json)


@app.command()
def show(name: _Name, as_json: Json = False, url: Url = None) -> None:
    """Show a workspace, and how much it contains."""
    with connected(url) as client:
        output(client.workspaces.get(name), workspace_view, as_json=as_json)


@app.command()
def rename(
    name: _Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW_NAME")],
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Give a workspace another name; all that it contains stays."""
    with connected(url) as client:
        output(client.workspaces.rename(name, new_name), workspace_view, as_json=as_json)


@app.command("set")
def set_(
    name: _Name,
    title: _Title = None,
    mode: Annotated[str | None, typer.Option(help="low, balanced or high.")] = None,
    preset: Preset = None,
    main_model: Annotated[str | None, typer.Option(help="Writes answers.")] = None,
    fast_model: Annotated[str | None, typer.Option(help="Scores passages and judges statements.")] = None,
    language: Annotated[str | None, typer.Option(help="Of answers and refusals, such as ko.")] = None,
    tone: Annotated[str | None, typer.Option(help="How answers sound.")] = None,
    length: Annotated[str | None, typer.Option(help="How long answers are.")] = None,
    refusal: Annotated[str | None, typer.Option(help='Said in place of "I don\'t know".')] = None,
    terms: Annotated[
        list[str] | None,
        typer.Option("--term", metavar="TERM=MEANING", help="The glossary; give all terms, they replace the old ones."),
    ] = None,
    unset: Annotated[
        list[Setting] | None, typer.Option(help="Set this back to what is configured; can be given several times.")
    ] = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Change the title of a workspace, or the defaults of its questions."""
    chosen: Chosen = {
        "title": title,
        "mode": mode,
        "preset": preset,
        "main-model": main_model,
        "fast-model": fast_model,
        "language": language,
        "tone": tone,
        "length": length,
        "refusal": refusal,
        "glossary": glossary_of(terms) if terms else None,
    }
    change = change_of(chosen, unset or ())
    with connected(url) as client:
        output(client.workspaces.update(name, **change), workspace_view, as_json=as_json)


@app.command()
def delete(
    name: _Name,
    yes: Annotated[bool, typer.Option("--yes", help="Delete all that it contains, without asking.")] = False,
    url: Url = None,
) -> None:
    """Delete a workspace with its documents, questions and their history."""
    with connected(url) as client:
        gone = delete_workspace(client, name, confirmed=yes)
    say(f"workspace {name} is deleted" if gone else f"workspace {name} is being deleted; the server goes on with it")


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
