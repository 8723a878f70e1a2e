"""Converts a finished query (`services.queries.results.read_query`) to a file for people. Nothing is decided here."""

import base64
import csv
import hashlib
import html
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from api.adapters.markdown import literal, reader, written
from domain.answers.conflicts_in_words import conflict_in_words
from domain.answers.continuous_text import ContinuousText, Link, linked_references, mark_of, no_link
from domain.errors import PdfUnavailable
from domain.quality.signal import NO_MODEL, signal_in, signal_text
from domain.quality.summary_line import explained, verifier_note
from domain.query.modes import is_korean

Json = Mapping[str, Any]

_STATES = {
    "supported": "supported",
    "partial": "partly supported",
    "contradicted": "contradicted",
    "unsupported": "not in the sources",
    "no_claim": "claims nothing",
    "not_checked": "not checked",
}
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
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_STYLE = """body{font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;
background:#fff}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem .4rem 0;border-top:1px solid #ddd}
footer{margin-top:2rem;color:#5c5c5c;font-size:.85rem}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}th,td{border-color:#444}footer{color:#aaa}
a{color:#8ab4f8}}"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_NOTHING_RUNS = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
HTML_POLICY = f"{_NOTHING_RUNS}; frame-ancestors 'none'"
"""The Content-Security-Policy of the page: nothing runs or is loaded in it."""


class Export(NamedTuple):
    """A file: its content, its type and how its name ends."""

    content: bytes
    media_type: str
    suffix: str


def as_markdown(query: Json, link: Link) -> Export:
    return Export(_with_footer(query, link).encode(), "text/markdown; charset=utf-8", ".md")


def as_html(query: Json, link: Link) -> Export:
    """An HTML page that needs no other file, and in which no script runs."""
    return Export(_page(query, link, _with_footer(query, link)).encode(), "text/html; charset=utf-8", ".html")


def shared_page(query: Json) -> str:
    """The HTML page for people without a key: no links, and nothing that names what is stored."""
    return _page(query, no_link, _markdown(query, no_link))


def _page(query: Json, link: Link, text: str) -> str:
    return plain_page(query["question"], reader(_own(query, link)).render(text))


def plain_page(title: str, body: str) -> str:
    """An HTML page that needs no other file, and in which no script runs; `body` is HTML, `title` is not."""
    head = (
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        # This is for the file on a disk; from the server, a header says the same.
        f'<meta http-equiv="Content-Security-Policy" content="{_NOTHING_RUNS}">',
        f"<title>{html.escape(title)}</title>",
        f"<style>{_STYLE}</style>",
    )
    opened = ["<!doctype html>", "<html>", "<head>", *head, "</head>"]
    return "\n".join([*opened, f"<body><main>\n{body}</main></body>", "</html>", ""])


def as_csv(query: Json, _: Link) -> Export:
    written = io.StringIO()
    rows = csv.writer(written)
    rows.writerow(_COLUMNS)
    for row in _sentence_rows(query):
        rows.writerow(
            [f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value for value in row]
        )
    # Without the mark, Excel reads UTF-8 as the encoding of the machine.
    return Export(("\ufeff" + written.getvalue()).encode(), "text/csv; charset=utf-8", ".csv")


def as_pdf(query: Json, link: Link) -> Export:
    """The same as `as_html` on pages of paper. Raises PdfUnavailable."""
    try:
        module = import_module("api.adapters.pdf_export")
    except ModuleNotFoundError:
        raise PdfUnavailable from None
    return Export(module.pdf_of(query, link, _STATES, _footer(query)), "application/pdf", ".pdf")


FORMATS: Mapping[str, Callable[[Json, Link], Export]] = {
    "markdown": as_markdown,
    "html": as_html,
    "csv": as_csv,
    "pdf": as_pdf,
}


def _with_footer(query: Json, link: Link) -> str:
    disagreeing = "".join(f"\n{literal(line)}\n" for line in conflict_lines(query))
    return f"{_markdown(query, link)}{disagreeing}\n---\n\n{literal(_footer(query))}\n"


def conflict_lines(query: Json) -> list[str]:
    return [f"Your documents disagree: {conflict_in_words(conflict)}" for conflict in query["conflicts"]]


def _own(query: Json, link: Link) -> set[str | None]:
    return {link(citation) for citation in query["citations"]}


def _markdown(query: Json, link: Link) -> str:
    read = ContinuousText(link, relabelled=False).finished(query)
    parts = [f"# {literal(query['question'])}", written(read["answer"], _own(query, link))]
    if query["abstained"] and query["abstain_reason"]:
        parts.append(f"*{literal(query['abstain_reason'])}*")
    word, *notes = signal_lines(query)
    parts.append(f"**{literal(word)}.** {literal(' '.join(notes))}")
    if references := linked_references(read, link, literal):
        parts += ["## References", "\n".join(f"- {reference}" for reference in references)]
    if query["verification"]:
        parts += ["## Verification", _verification(query)]
    return "\n\n".join(parts) + "\n"


def _verification(query: Json) -> str:
    scores: Json = query["verification"]
    lines = ["| Sentence | Verdict | Evidence |", "|---|---|---|"]
    for sentence in scores["sentences"]:
        place = place_of(sentence["source"]) if sentence["source"] else ""
        evidence: str = f"“{sentence['evidence']}” ({place})" if sentence["evidence"] else sentence["reason"]
        cells = (sentence["text"], _STATES[sentence["status"]], evidence)
        lines.append("| " + " | ".join(map(literal, cells)) + " |")
    return "\n".join(lines)


def signal_lines(query: Json) -> list[str]:
    """The word of the signal, then what people who read the answer elsewhere have to know about it, in the question's
    language.
    """
    korean = is_korean(query["restated_question"] or query["question"])
    is_copied = query["provider"] == "offline" and not query["abstained"]
    calibration: Json | None = query["verification"]["calibration"] if query["verification"] else None
    day = query["finished_at"][:10]
    return [
        signal_in(query["signal"], korean=korean)["word"],
        explained(query["signal"], calibration, korean=korean),
        *([signal_text(NO_MODEL, korean=korean)] if is_copied else []),
        *([note] if (note := verifier_note(calibration, korean=korean)) else []),
        f"{day}의 답변입니다." if korean else f"Answered on {day}.",
    ]


def _footer(query: Json) -> str:
    parts = [f"Question {query['id']}", f"asked {query['created_at']}", f"by {query['model'] or query['provider']}"]
    if query["audit"]:
        parts.append(f"audit {query['audit']['head']}")
    return " · ".join(parts)


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
            # The lowest confidence of what was recognised in pictures; nothing where all is a file's text.
            min((sure for place in places if (sure := place.get("recognised_confidence")) is not None), default=""),
            "; ".join(dict.fromkeys(place["figure"] for place in places if place.get("figure"))),
            "yes" if any(place.get("corrected") for place in places) else "",
        )


def place_of(source: Json) -> str:
    page = source["page_number"]
    place = source["document_name"] if page is None else f"{source['document_name']}, p.{page}"
    return f"{place}{mark_of(source)}"
