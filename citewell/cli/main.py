"""`citewell …`. A command's module is imported when it runs, so that `citewell --help` answers at once."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from citewell.cli.errors import INTERRUPTED, USAGE

COMMANDS: dict[str, tuple[str, str]] = {
    "up": ("installation.up:app", "Start everything on this machine, until Ctrl-C."),
    "worker": ("installation.worker:app", "Add worker processes to a running server."),
    "doctor": ("installation.doctor:app", "Look at everything, and say what to do."),
    "ingest": ("documents.ingest:app", "Add files, folders of them or archives to a workspace."),
    "workspaces": ("documents.workspaces:app", "List, create, change and delete workspaces."),
    "ask": ("questions.ask:app", "Ask the documents, and see what proves the answer."),
    "chat": ("questions.chat:app", "Ask one question after the other."),
    "verify": ("verification.verify:app", "Hold an answer of any system against its sources."),
    "search": ("documents.search:app", "Find passages, without an answer."),
    "history": ("questions.history:app", "List questions, or show all that was checked."),
    "feedback": ("questions.feedback:app", "Judge answers, and review judgements."),
    "cancel": ("questions.control:cancel_app", "Stop working on a question or a verification."),
    "export": ("questions.sharing:export_app", "Save an answer as Markdown, Word, PDF, HTML or CSV."),
    "share": ("questions.sharing:share_app", "Make a link that opens an answer without a key."),
    "documents": ("documents.documents:app", "List, show, fetch and delete documents."),
    "sources": ("documents.sources:app", "Places that documents come from: list, create, run, delete."),
    "originals": ("documents.storage:originals_app", "Where files of documents are: show, move."),
    "webhooks": ("administration.webhooks:app", "List, create, test and delete webhooks."),
    "replay": ("questions.control:replay_app", "Ask again what failed, without buying anything twice."),
    "audit": ("verification.audit:app", "Prove a result, replay it, or verify it again."),
    "quality": ("verification.quality:app", "How well it did: the metrics of the verification."),
    "evaluate": ("verification.evaluate:app", "Measure verification or retrieval on labelled data."),
    "reembed": ("documents.storage:reembed_app", "Change the embedding model of workspaces in use."),
    "models": ("models.models:app", "Choose and try the models that answer and judge."),
    "parked": ("administration.operate:parked_app", "List steps that broke their workers too often."),
    "mcp": ("installation.mcp:app", "Serve the documents as tools of a model (MCP)."),
    "keys": ("administration.keys:app", "Make, list and revoke keys of the API."),
    "tenants": ("administration.operate:tenants_app", "List tenants, and change their weights."),
    "workers": ("administration.operate:workers_app", "Which worker processes live, and what waits."),
    "celery": ("installation.celery:app", "Look into queues and tasks with Celery's own command."),
    "backup": ("administration.backup:backup_app", "Write everything to one file."),
    "restore": ("administration.backup:restore_app", "Bring everything back from such a file."),
    "demo": ("installation.demo:app", "Ask five questions about the example documents."),
}


def app_of(command: str) -> typer.Typer:
    module, _, app = COMMANDS[command][0].partition(":")
    return getattr(import_module(f"citewell.cli.{module}"), app)


class _Commands(TyperGroup):
    """The commands by name, with summaries; their modules are imported on demand."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, summary, rest = super().resolve_command(ctx, args)
        return name, get_command(app_of(name)) if name else summary, rest


app = typer.Typer(cls=_Commands, rich_markup_mode=None, help="Answers from your own documents, with proof.")


def _summarized() -> None:
    # This represents a command in the list of commands.
    ...


for _name, (_place, _summary) in COMMANDS.items():
    app.command(_name, help=_summary)(_summarized)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"citewell {version('citewell')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0 done, 1 failed, 2 bad input, 130 interrupted."""
    try:
        code: int | None = app(list(arguments) or ["--help"], prog_name="citewell", standalone_mode=False)
    except typer.TyperException as error:
        command: str = getattr(getattr(error, "ctx", None), "command_path", "citewell")
        # "Value error" is the parser's prefix for a rejected choice and tells the user nothing.
        message = error.format_message().rstrip(".").replace("\n\t", " ").replace(": Value error, ", ": ")
        return _complain(f"{message}; `{command} --help` shows how", USAGE)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:  # noqa: BLE001 - users get a message with type and place, no traceback
        # Explaining errors needs slow imports, which are loaded only now.
        return _complain(*import_module("citewell.cli.failures").explain(error))
    return _complain("interrupted", INTERRUPTED) if code == INTERRUPTED else code or 0


def _complain(message: str, code: int) -> int:
    typer.echo(f"citewell: {message}", err=True)
    return code


def main() -> None:
    # A terminal that cannot show a character gets a replacement, not a traceback.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
