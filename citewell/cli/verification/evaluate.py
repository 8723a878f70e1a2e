"""`citewell evaluate`: measures verification and retrieval on labelled data."""

import os
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from citewell.cli.errors import CommandFailed
from citewell.cli.options import Json, Preset

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_LISTED = 20


class Provider(StrEnum):
    """Providers of models."""

    OFFLINE = "offline"
    GROQ = "groq"
    OPENAI_COMPATIBLE = "openai_compatible"


@app.command()
def evaluate(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE.jsonl...]", help="Labelled pairs: JSON Lines, or folders of them."),
    ] = None,
    retrieval: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Measure retrieval on its NAME_passages.jsonl and NAME_questions.jsonl."),
    ] = None,
    from_feedback: Annotated[
        bool, typer.Option("--from-feedback", help="Measure verification on people's verdicts (`citewell feedback`).")
    ] = False,
    tenant: Annotated[str, typer.Option("--tenant", "-t", help="Whose feedback.")] = "default",
    workspace: Annotated[str | None, typer.Option("--workspace", "-w", help="Feedback on this workspace only.")] = None,
    provider: Annotated[Provider | None, typer.Option(help="Who judges. [default: as configured]")] = None,
    preset: Preset = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="So many pairs or questions of each set, spread evenly.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List earlier runs.")] = False,
    verdicts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the verdict on each pair to FILE, one JSON object a line."),
    ] = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Do not keep the run.")] = False,
    as_json: Json = False,
) -> None:
    """Measure the quality of verification, or of retrieval, on labelled data.

    A line of FILE.jsonl has `source`, `claim` and `label` (1 = supported, 0 = not); docs/evaluation.md has the rest.
    """
    if sum([bool(paths), retrieval is not None, from_feedback, listed]) != 1:
        raise CommandFailed(
            "name labelled files (FILE.jsonl or a folder), or --retrieval FOLDER, or --from-feedback, or --list; "
            "one of them at a time"
        )
    if verdicts is not None and (listed or retrieval is not None):
        raise CommandFailed("--verdicts is for labelled pairs; leave it out with --retrieval and --list")
    # With more BLAS threads, concurrent embeddings wait for each other (clients.embeddings).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    evaluating: Any = import_module("citewell.cli.verification.evaluating")
    if listed:
        evaluating.list_earlier(limit or _LISTED, as_json)
        return
    wanted = evaluating.Wanted(provider and provider.value, preset, limit, as_json, not no_store, verdicts)
    if retrieval is not None:
        evaluating.evaluate_retrieval(retrieval, wanted)
    elif from_feedback:
        evaluating.evaluate_from_feedback(tenant, workspace, wanted)
    else:
        evaluating.evaluate_verification(paths or [], wanted)
