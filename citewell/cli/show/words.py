"""Signs and words for verdicts, documents, places, scores and times."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from citewell.cli.console import plain
from citewell_client.types import Document, Signal
from domain.documents.text_marks import in_words

# A sign, words and a style for each status.
_VERDICTS = {
    "supported": ("✓", "supported", "green"),
    "accurate": ("✓", "accurate", "green"),
    "partial": ("◐", "partly supported", "yellow"),
    "uncertain": ("◐", "uncertain", "yellow"),
    "contradicted": ("✗", "contradicted", "red"),
    "unsupported": ("✗", "unsupported", "red"),
    "inaccurate": ("✗", "inaccurate", "red"),
    "dangling": ("✗", "no such source", "red"),
    "no_claim": ("·", "no claim", "dim"),
    "not_checked": ("?", "not checked", "magenta"),
}


def verdict(status: str) -> Text:
    """Return the sign and words of a status, readable without colour or Unicode."""
    sign, words, style = _VERDICTS.get(status, ("?", status, "magenta"))
    return Text(f"{sign} {words}", style=style)


_SIGNS = {"green": ("✓", "green"), "amber": ("◐", "yellow"), "red": ("✗", "red"), "grey": ("·", "dim")}


def signal_word(signal: Signal | dict[str, Any]) -> Text:
    sign, style = _SIGNS.get(signal["level"], ("?", "magenta"))
    return Text(f"{sign} {signal['word']}", style=style)


def place(document: str, page: int | None, section: str | None, marked: Mapping[str, Any] | None = None) -> Text:
    """Return a place such as `policy.pdf, p.3 · Returns`; an unknown page is left out. `marked` has the marks of the
    place."""
    where = document if page is None else f"{document}, p.{page}"
    shown = plain(f"{where} · {section}" if section else where)
    said = in_words(marked or {})
    return shown + plain(f" · {said}", "dim") if said else shown


def heading(title: str) -> Rule:
    return Rule(title, align="left", style="dim")


def grid(narrow: int = 1) -> Table:
    """A table without lines: so many columns of short words, and one for a text of any length."""
    table = Table.grid(padding=(0, 2))
    for _ in range(narrow):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 page` or `2 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def score(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def duration(milliseconds: float | None) -> str:
    """Return a time such as `850 ms` or `2.1 s`; a dash for None."""
    if milliseconds is None:
        return "–"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def size(number: int) -> str:
    """Return a size such as `226 bytes` or `1.5 MB`."""
    if number < 1000:
        return counted(number, "byte")
    value, unit = number / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}"


def when(timestamp: str) -> str:
    return datetime.fromisoformat(timestamp).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def document_line(document: Document, *, known: bool = False) -> Text:
    """Return a line such as `✓ policy.pdf  4 pages, 12 passages, in workspace default; 1.2 s, 300 ms a page`.

    A document that was `known` already was not read now, so no time is given.
    """
    pages = f"{counted(document['pages'], 'page')}, " if document["pages"] else ""
    reading = document["reading"]
    told = reading_words(document["pages"], reading["seconds"], reading["cost_usd"]) if reading else ""
    told = "it was there already" if known else told
    return Text.assemble(
        ("✓ ", "green"),
        plain(document["filename"], "bold"),
        f"  {pages}{counted(document['progress']['chunks_total'] or 0, 'passage')}, in workspace ",
        plain(document["workspace"]),
        (f"; {told}" if told else "", "dim"),
    )


def reading_words(pages: int, seconds: float, cost_usd: float | None) -> str:
    """Return words such as `1.2 s, 300 ms a page, $0.000400 a page`; formats without pages have the figures of the
    whole document."""
    told = duration(1000 * seconds)
    if pages:
        told += f", {duration(1000 * seconds / pages)} a page"
    if cost_usd is not None:
        told += f", ${cost_usd / pages:.6f} a page" if pages else f", ${cost_usd:.6f}"
    return told
