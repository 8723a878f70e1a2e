"""`citewell workspaces`: the collections that documents and questions belong to."""

from typing import Annotated, Any

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, out, say
from citewell.cli.documents.workspace_changes import Chosen, Setting, change_of, delete_workspace, glossary_of
from citewell.cli.options import Json, Preset, Url
from citewell.cli.show.workspaces import workspace_view, workspaces_view

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    help="List, create, change and delete workspaces.",
)

_Name = Annotated[str, typer.Argument(metavar="NAME", help="As `citewell workspaces list` shows it.")]
_Title = Annotated[str | None, typer.Option(help="How people call it.")]


@app.command("list")
def list_(as_json: Json = False, url: Url = None) -> None:
    """List the workspaces, the last used first."""
    with connected(url) as client:
        listed = sorted(client.workspaces.list(), key=lambda workspace: workspace["used_at"] or "", reverse=True)
    if not as_json:
        out.print(workspaces_view(listed))
        return
    for workspace in listed:
        emit(workspace)


@app.command()
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, '.', '_' and '-'.")],
    title: _Title = None,
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Create an empty workspace; `citewell ingest` creates one, too."""
    with connected(url) as client:
        _show(client.workspaces.create(name, title=title), as_json)


@app.command()
def show(name: _Name, as_json: Json = False, url: Url = None) -> None:
    """Show a workspace, and how much it contains."""
    with connected(url) as client:
        _show(client.workspaces.get(name), as_json)


@app.command()
def rename(
    name: _Name,
    new_name: Annotated[str, typer.Argument(metavar="NEW_NAME")],
    as_json: Json = False,
    url: Url = None,
) -> None:
    """Give a workspace another name; all that it contains stays."""
    with connected(url) as client:
        _show(client.workspaces.rename(name, new_name), as_json)


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
        _show(client.workspaces.update(name, **change), as_json)


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


def _show(workspace: Any, as_json: bool) -> None:
    if as_json:
        emit(workspace)
    else:
        out.print(workspace_view(workspace))
