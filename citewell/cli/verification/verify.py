"""`citewell verify`: checks answers of any system against their sources; a gate for pipelines."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from citewell.cli.connection import connected
from citewell.cli.console import err, output, plain
from citewell.cli.errors import USAGE, CommandFailed
from citewell.cli.options import Json, Preset, Url
from citewell.cli.show.verification import signal_view
from citewell.cli.show.words import grid, heading, place, verdict
from citewell_client.types import SourceText
from citewell_documents.formats import listed
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from config.settings import settings
from domain.quality.summary_line import verifier_note
from services.documents.reading_limits import limits_of

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def verify(
    answer: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="The answer; - reads it from standard input.")
    ] = None,
    source: Annotated[
        list[Path] | None, typer.Option("--source", "-s", metavar="FILE", help=f"A file ({listed()}); source 1, 2, …")
    ] = None,
    cases: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Many answers: a JSON object with answer and sources a line.")
    ] = None,
    question: Annotated[str | None, typer.Option("--question", "-q", help="What was asked, if it is known.")] = None,
    repair: Annotated[str | None, typer.Option(help="full, citations or off.")] = None,
    preset: Preset = None,
    fail_under: Annotated[
        float | None, typer.Option(min=0, max=1, metavar="SHARE", help="The least share of claims that are supported.")
    ] = None,
    fail_on: Annotated[str, typer.Option(metavar="STATES", help="States that fail: contradicted,unsupported.")] = "",
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML.")] = None,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write SARIF 2.1.0.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Print annotations of GitHub's workflow commands.")] = False,
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the result.")] = 300,
    url: Url = None,
) -> None:
    """Verify an answer against its sources: a verdict per sentence and citation, and the repaired text.

    With --fail-under, --fail-on, --junit, --sarif, --github or --cases it is a gate: exit status 0 if every answer
    passes, 1 if one does not, 2 for input that cannot be verified. Without --fail-under and --fail-on every claim has
    to be supported.
    """
    if (cases is None) == (answer is None) or (answer is not None) != bool(source):
        raise CommandFailed("give an answer with at least one --source, or --cases", USAGE)
    # The verification library is loaded only when something is verified.
    gates: Any = import_module("citewell.cli.verification.gate")
    given: Any = import_module("citewell_verify.gate.cases")
    pipeline = gates.Pipeline(fail_under, fail_on, junit, sarif, github)
    gate = pipeline.gate()
    if cases is not None:
        with connected(url) as client, err.status("verifying"):
            outcomes = gates.verify_cases(client, cases, gate, {"repair": repair, "preset": preset}, wait=wait)
        pipeline.conclude(outcomes, quiet=False)
        return
    answer = cast("str", answer)
    text, sources = given.read_text(Path(answer)), [_source(path) for path in source or ()]
    with connected(url) as client, err.status("verifying"):
        begun = client.verify(text, sources, question, wait=wait, repair=repair, preset=preset)
        # Without waiting the client only learned that the verification is accepted.
        result = cast("dict[str, Any]", begun if wait else client.verification(begun["id"]))
    output(result, given_view, as_json=as_json)
    if pipeline.is_asked:
        case = given.Case(Path(answer).name, text, (), question, answer, has_own_file=answer != "-")
        pipeline.conclude([gates.outcome_of(case, result, gate, wait)], quiet=as_json)
    elif result["status"] != "succeeded":
        raise CommandFailed(gates.problem_of(result, wait))


def _source(path: Path) -> SourceText:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CommandFailed(f"cannot read {path}: {error.strerror}", USAGE) from None
    parsed = parse_isolated(data, path.name, limits_of(settings().ingestion))
    pages = [[page.number, page.start, page.end] for page in parsed.pages]
    source = SourceText(title=path.name, text=parsed.text)
    if pages:
        source["pages"] = pages
    return source


def given_view(result: dict[str, Any]) -> RenderableType:
    parts: list[RenderableType] = []
    if result["question"]:
        parts.append(plain(result["question"], "bold"))
    if signal := result["signal"]:
        parts.append(signal_view(signal, result["verification"], asked=bool(result["question"])))
    if result["sentences"]:
        parts += [heading("Sentences"), _table(map(_sentence, result["sentences"]))]
    if result["citations"]:
        parts += [heading("Citations"), _table(map(_citation, result["citations"]))]
    if result["changed"]:
        parts += [heading("Repaired"), Panel(plain(result["repaired_answer"]), padding=(0, 1))]
    if scores := result["verification"]:
        parts += [plain(f"! {issue}", "dim") for issue in scores["issues"]]
        if note := verifier_note(scores.get("calibration")):
            parts.append(plain(note, "dim"))
    return Group(*parts, Text())


def _table(rows: Any) -> Table:
    table = grid()
    for row in rows:
        table.add_row(*row)
    return table


def _sentence(sentence: dict[str, Any]) -> tuple[Text, RenderableType]:
    reason: list[RenderableType] = [plain(f"  {sentence['reason']}", "dim")] if sentence["reason"] else []
    if sentence["evidence"] and (source := sentence["source"]):
        quote = plain(f"  “{' '.join(sentence['evidence'].split())}”  ", "dim")
        reason = [quote + place(f"[{source['number']}] {source['title']}", source["page_number"], source["section"])]
    return verdict(sentence["status"]), Group(plain(sentence["text"]), *reason)


def _citation(citation: dict[str, Any]) -> tuple[Text, RenderableType]:
    where = Text(f"[{citation['cited']}] ")
    if source := citation["source"]:
        where += place(source["title"], citation["page_number"], None)
    return verdict(citation["status"]), Group(where, plain(citation["explanation"], "dim"))
