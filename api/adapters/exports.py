"""Renders the exported content of an answer (`domain.exports.taken_along`) as files. Nothing is decided here."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from api.adapters.answer_page import page_of
from api.adapters.markdown import literal, written
from api.schemas.questions.answers import QueryRead
from domain.answers.continuous_text import LINKED_MARKER, Link, no_link, without_links
from domain.errors.service import PdfUnavailable
from domain.exports.messages import reader
from domain.exports.taken_along import Entry, Part, Quote, TakenAlong, taken_along
from domain.exports.wording import KOREAN, Wording

Json = Mapping[str, Any]

_COLUMNS = (
    "sentence",
    "status",
    "reason",
    "support",
    "citations",
    "documents",
    "pages",
    "evidence",
    "recognised_confidence",
    "figure",
    "corrected",
)
# A spreadsheet takes a cell that begins with one of these for a formula; a quotation mark before it prevents that.
_DEFINING = re.compile(r"(\[\^[^\]\s]+\]):")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


ExportFormat = Literal["markdown", "text", "html", "csv", "pdf", "docx", "json"]
TurnsFormat = Literal["markdown", "text", "html", "pdf", "docx"]
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class Export(NamedTuple):
    """A file: its content, its type and the ending of its name."""

    content: bytes
    media_type: str
    suffix: str


def as_markdown(title: str, answers: Sequence[TakenAlong]) -> Export:
    text = "\n\n".join([*_titled(title, answers, literal), *(_markdown(answer) for answer in answers)])
    return Export(f"{text}\n".encode(), "text/markdown; charset=utf-8", ".md")


def as_text(title: str, answers: Sequence[TakenAlong]) -> Export:
    text = "\n\n\n".join([*_titled(title, answers, str), *(_text(answer) for answer in answers)])
    return Export(f"{text}\n".encode(), "text/plain; charset=utf-8", ".txt")


def as_html(title: str, answers: Sequence[TakenAlong]) -> Export:
    """An HTML page that needs no other file, and in which no script runs."""
    return Export(page_of(title, answers).encode(), "text/html; charset=utf-8", ".html")


def as_pdf(title: str, answers: Sequence[TakenAlong]) -> Export:
    """Return a PDF. Raises PdfUnavailable."""
    try:
        module = import_module("api.adapters.pdf_export")
    except ModuleNotFoundError:
        raise PdfUnavailable from None
    return Export(module.pdf_of(title, answers), "application/pdf", ".pdf")


def as_docx(title: str, answers: Sequence[TakenAlong]) -> Export:
    # python-docx takes a while to import, and most processes never write a document.
    module = import_module("api.adapters.docx_export")
    return Export(module.docx_of(title, answers), DOCX, ".docx")


FORMATS: Mapping[str, Callable[[str, Sequence[TakenAlong]], Export]] = {
    "markdown": as_markdown,
    "text": as_text,
    "html": as_html,
    "pdf": as_pdf,
    "docx": as_docx,
}


def exported(query: Json, format: ExportFormat, link: Link) -> Export:
    """Return one answer as a file. Raises PdfUnavailable."""
    match format:
        case "csv":
            return as_csv(query)
        case "json":
            content = QueryRead.model_validate(query).model_dump_json(exclude_unset=True, indent=2)
            return Export(content.encode(), "application/json", ".json")
        case _:
            return FORMATS[format](query["question"], [taken_along(query, link, in_korean=korean())])


def exported_turns(title: str, queries: Sequence[Json], format: TurnsFormat, link: Link) -> Export:
    """Return several answers as one file. Raises PdfUnavailable."""
    answers = [
        taken_along(query, link, prefix=f"{number}.", in_korean=korean())
        for number, query in enumerate(queries, start=1)
    ]
    return FORMATS[format](title, answers)


def shared_page(query: Json) -> str:
    """The HTML page for people without a key: without links, ids, and texts of documents that are not cited."""
    return page_of(query["question"], [taken_along(query, no_link, origin=False, in_korean=korean())])


def as_csv(query: Json) -> Export:
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(_COLUMNS)
    for row in _sentence_rows(query):
        rows.writerow(
            [f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value for value in row]
        )
    # Without the byte order mark, Excel reads UTF-8 in the encoding of the machine.
    return Export(("\ufeff" + table.getvalue()).encode(), "text/csv; charset=utf-8", ".csv")


def _titled(title: str, answers: Sequence[TakenAlong], shown: Callable[[str], str]) -> list[str]:
    """Return the title of several answers; a single answer has its question as title."""
    return [] if [answer.question for answer in answers] == [title] else [f"# {shown(title)}"]


def _markdown(answer: TakenAlong) -> str:
    quotes = answer.quotes()
    text = LINKED_MARKER.sub(
        lambda marker: f"[^{quotes[marker[2]].label}]" if marker[2] in quotes else marker[0],
        written(answer.answer, quotes.keys()),
    )
    # A marker followed by a colon would define its footnote.
    text = _DEFINING.sub(r"\1\:", text)
    blocks = [f"# {literal(answer.question)}"]
    blocks += [f"*{literal(line)}*" for line in (answer.understood,) if line]
    blocks += [text, *(f"*{literal(line)}*" for line in (answer.refusal,) if line)]
    blocks.append(f"**{literal(answer.word)}.** {literal(' '.join(answer.notes))}")
    blocks += [
        f"## {literal(part.title)}\n\n" + "\n".join(map(_markdown_entry, part.entries))
        for part in answer.parts
        if part.kind != "sources"
    ]
    # Viewers of Markdown show footnotes at the end, under no heading.
    footnotes = [f"[^{quote.label}]: {_quoted(quote)}" for quote in quotes.values()]
    blocks += ["---", literal(answer.origin)] if answer.origin else []
    return "\n\n".join([*blocks, *(["\n".join(footnotes)] if footnotes else [])])


def _markdown_entry(entry: Entry) -> str:
    if not entry.lead:
        return "\n".join(f"- {_quoted(quote)}" for quote in entry.quotes)
    lines = [f"- **{literal(entry.lead)}** {literal(entry.text)}".rstrip()]
    return "\n".join([*lines, *(f"  - {_quoted(quote)}" for quote in entry.quotes)])


def _quoted(quote: Quote) -> str:
    words = f"“{literal(quote.words)}”"
    return f"{f'[{words}]({quote.link})' if quote.link else words} {literal(quote.place)}"


def _text(answer: TakenAlong) -> str:
    blocks = [answer.question, answer.understood, without_links(answer.answer), answer.refusal]
    blocks.append(f"{answer.word}. {' '.join(answer.notes)}")
    blocks += [f"{part.title}\n{_text_entries(part)}" for part in answer.parts]
    return "\n\n".join(block for block in [*blocks, answer.origin] if block)


def _text_entries(part: Part) -> str:
    lines: list[str] = []
    for entry in part.entries:
        if entry.lead:
            lines.append(f"{entry.lead}: {entry.text}" if entry.text else entry.lead)
        lines += [f"  “{quote.words}” {quote.place}" for quote in entry.quotes]
    return "\n".join(lines)


def _sentence_rows(query: Json) -> Iterator[tuple[Any, ...]]:
    sentences: Sequence[Json] = query["verification"]["sentences"] if query["verification"] else ()
    for sentence in sentences:
        cited = [
            citation
            for citation in query["citations"]
            if citation["answer_start"] < sentence["end"] and sentence["start"] < citation["answer_end"]
        ]
        places: Sequence[Json] = [*cited, *([sentence["source"]] if sentence["source"] else ())]
        yield (
            sentence["text"],
            sentence["status"],
            sentence["reason"],
            sentence["support"],
            "; ".join(str(citation["number"]) for citation in cited),
            "; ".join(dict.fromkeys(citation["document_name"] for citation in cited)),
            "; ".join(
                dict.fromkeys(str(citation["page_number"]) for citation in cited if citation["page_number"] is not None)
            ),
            sentence["evidence"],
            # The lowest confidence of words that were recognised in pictures; empty where all words are text of the
            # file.
            min((sure for place in places if (sure := place.get("recognised_confidence")) is not None), default=""),
            "; ".join(dict.fromkeys(place["figure"] for place in places if place.get("figure"))),
            "yes" if any(place.get("corrected") for place in places) else "",
        )


_PAGE = Path(__file__).parents[1] / "dashboard"


@cache
def korean() -> Wording:
    """Return the Korean texts, read once from the table that the dashboard loads."""
    texts = _table("texts.ko.json")
    return replace(
        KOREAN,
        told=reader(_table("messages.ko.json")),
        steps=texts["parts/steps"],
        marks=texts["parts/evidence"],
    )


def _table(name: str) -> dict[str, Any]:
    return json.loads((_PAGE / name).read_text(encoding="utf-8"))
