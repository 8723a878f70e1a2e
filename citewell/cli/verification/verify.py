"""`citewell verify`: checks an answer of any system against the files that it was written from."""

import sys
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from citewell.cli.connection import connected
from citewell.cli.console import emit, err, out
from citewell.cli.errors import USAGE, CommandFailed
from citewell.cli.options import Json, Preset, Url
from citewell.cli.show.given import given_view
from citewell_client.types import SourceText
from citewell_documents.formats import listed
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from config.settings import settings
from services.documents.reading_limits import limits_of

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def verify(
    answer: Annotated[str, typer.Argument(metavar="FILE", help="The answer; - reads it from standard input.")],
    source: Annotated[
        list[Path], typer.Option("--source", "-s", metavar="FILE", help=f"A file ({listed()}); source 1, 2, …")
    ],
    question: Annotated[str | None, typer.Option("--question", "-q", help="What was asked, if it is known.")] = None,
    repair: Annotated[str | None, typer.Option(help="full, citations or off.")] = None,
    preset: Preset = None,
    as_json: Json = False,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long to wait for the result.")] = 300,
    url: Url = None,
) -> None:
    """Verify an answer against its sources: a verdict per sentence and citation, and the repaired text."""
    text, sources = _answer(answer), [_source(path) for path in source]
    with connected(url) as client, err.status("verifying"):
        verified = client.verify(text, sources, question, wait=wait, repair=repair, preset=preset)
        result = cast("dict[str, Any]", verified)
    if as_json:
        emit(result)
    else:
        out.print(given_view(result))
    if result["status"] != "succeeded":
        if error := result["error"]:
            raise CommandFailed(f"the verification failed: {error['message']}")
        raise CommandFailed(f"no result after {wait:g} s; the verification {result['id']} is {result['status']}")


def _answer(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    try:
        return _read(Path(name)).decode("utf-8")
    except UnicodeDecodeError:
        raise CommandFailed(f"{name} is not text in UTF-8", USAGE) from None


def _source(path: Path) -> SourceText:
    parsed = parse_isolated(_read(path), path.name, limits_of(settings().ingestion))
    pages = [[page.number, page.start, page.end] for page in parsed.pages]
    source = SourceText(title=path.name, text=parsed.text)
    if pages:
        source["pages"] = pages
    return source


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandFailed(f"cannot read {path}: {error.strerror}", USAGE) from None
