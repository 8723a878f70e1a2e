"""`python -m benchmarks.load.fair_sizes`: how long small files wait beside a long one, as a table.

A whole stack with its default of one ingestion process reads a long file, and small files of the same and of another
tenant are handed in at once: the seconds until each is ready. `--only book` measures one case.
"""

import argparse
import os
import random
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from unittest.mock import patch

import httpx
from rich.console import Console
from rich.table import Table

from citewell.supervisor.home import home_at
from citewell.supervisor.servers.endpoints import running_database
from config.settings import settings
from domain.keys import Scope
from services.operations.api_keys import NewKey, create_key_for
from tests.e2e.stack import Stack, running_stack

CHARS = 3_000_000
ROWS = 110_000
PAGES = 352
SMALL = 40
_PATIENCE_S = 1200.0
_WORDS = re.compile(r"[a-z]{2,}")


@dataclass
class Case:
    """The files that are read together, and when each was ready."""

    name: str
    long: bytes
    filename: str
    small: int
    ready_s: list[float] = field(default_factory=list)
    long_s: float | None = None
    passages: int = 0


def book(chars: int = CHARS) -> bytes:
    """Return English prose of made-up sentences with some thousand different words, in chapters."""
    rng = random.Random(7)
    known = sorted(set(_WORDS.findall(__doc__ or ""))) + [_made_word(rng) for _ in range(4_000)]
    weights = [1 / (1 + place) for place in range(len(known))]
    parts, length, chapter = list[str](), 0, 0
    while length < chars:
        chapter += 1
        text = f"Chapter {chapter}\n\n" + "\n\n".join(_paragraph(rng, known, weights) for _ in range(40)) + "\n\n"
        parts.append(text)
        length += len(text)
    return "".join(parts).encode()


def _made_word(rng: random.Random) -> str:
    return "".join(rng.choice("bcdfglmnprst") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))


def _paragraph(rng: random.Random, known: list[str], weights: list[float]) -> str:
    return " ".join(
        " ".join(rng.choices(known, weights, k=rng.randint(8, 24))).capitalize() + "." for _ in range(rng.randint(3, 8))
    )


def sheet(rows: int = ROWS) -> bytes:
    """Return an ordinary table of orders."""
    rng = random.Random(8)
    day = date(2024, 1, 1)
    lines = ["Order,Date,Customer,Town,Article,Pieces,Amount"]
    lines += [
        f"{100_000 + row},{day + timedelta(days=row % 700)},Customer {rng.randint(1, 4_000)},"
        f"Town {rng.randint(1, 300)},Article {rng.randint(1, 90)},{rng.randint(1, 40)},"
        f"{rng.randint(100, 90_000) / 100:.2f}"
        for row in range(rows)
    ]
    return "\n".join(lines).encode()


def long_pdf(pages: int = PAGES) -> bytes:
    """Return the same prose on pages."""
    from fpdf import FPDF  # noqa: PLC0415 - one case needs it

    pdf = FPDF()
    pdf.set_font("helvetica", size=10)
    lines = [" ".join(line.split()) for line in book(pages * 2_600).decode().split("\n\n")]
    text = "\n\n".join(lines)
    for page in range(pages):
        pdf.add_page()
        pdf.multi_cell(0, 5, text[page * 2_600 : (page + 1) * 2_600])
    return bytes(pdf.output())


CASES: dict[str, Callable[[], Case]] = {
    "book": lambda: Case(f"a book of {CHARS:,} characters, {SMALL} small files", book(), "book.txt", SMALL),
    "sheet": lambda: Case(f"a sheet of {ROWS:,} rows, 3 small files", sheet(), "orders.csv", 3),
    "pdf": lambda: Case(f"a PDF of {PAGES} pages, 3 small files", long_pdf(), "long.pdf", 3),
}


def measure(stack: Stack, case: Case, keys: list[str], *, whole: bool) -> None:
    """Upload the long file, and five seconds later the small ones, every other one for another tenant."""
    headers = [{"Authorization": f"Bearer {key}"} for key in keys]
    began = time.monotonic()
    long_id = _sent(stack.http, headers[0], case.filename, case.long)
    time.sleep(5.0)
    sent: dict[str, tuple[int, float]] = {}
    for number in range(case.small):
        whose = (number + 1) % 2
        name = f"{case.filename}-{number}.txt"
        text = f"The fee of branch {number} is {number + 20} euros.".encode()
        sent[_sent(stack.http, headers[whose], name, text)] = (whose, time.monotonic())
    for document_id, (whose, at) in sent.items():
        while (document := _status(stack.http, headers[whose], document_id))["ready_at"] is None:
            if time.monotonic() - began > _PATIENCE_S:
                break
            time.sleep(0.2)
        case.ready_s.append(_between(document["created_at"], document["ready_at"]) or time.monotonic() - at)
    while whole and time.monotonic() - began < _PATIENCE_S:
        document = _status(stack.http, headers[0], long_id)
        case.passages = document["progress"]["chunks_done"]
        if document["status"] not in {"queued", "processing"}:
            case.long_s = time.monotonic() - began
            break
        time.sleep(0.5)
    stack.http.delete(f"/v1/documents/{long_id}", headers=headers[0])


def _between(first: str, last: str | None) -> float | None:
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds() if last else None


def _sent(http: httpx.Client, headers: dict[str, str], name: str, data: bytes) -> str:
    answer = http.post("/v1/documents", files={"file": (name, data)}, data={"workspace": "sizes"}, headers=headers)
    return answer.raise_for_status().json()["id"]


def _status(http: httpx.Client, headers: dict[str, str], document_id: str) -> dict[str, Any]:
    return http.get(f"/v1/documents/{document_id}", headers=headers).raise_for_status().json()


def _row(case: Case) -> list[str]:
    long_s = "not waited for" if case.long_s is None else f"{case.long_s:.0f} ({case.passages} passages)"
    return [case.name, f"{statistics.median(case.ready_s):.1f}", f"{max(case.ready_s):.1f}", long_s]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=CASES, help="one case instead of all")
    parser.add_argument("--whole", action="store_true", help="also wait until the long file is ready")
    options = parser.parse_args()
    columns = ("a long file and small ones, of two tenants", "small: median s", "longest", "the long file s")
    table = Table(*columns)
    with running_stack(CITEWELL_GRAPH__EXTRACTOR="off") as stack:
        settings.cache_clear()
        url = running_database(home_at(settings().home)) or ""
        with patch.dict(os.environ, CITEWELL_DATABASE_URL=url):
            settings.cache_clear()
            new = NewKey("sizes", [Scope.ADMIN])
            keys = [create_key_for(f"tenant-{number}", new)["key"] for number in range(2)]
        for name in [options.only] if options.only else CASES:
            case = CASES[name]()
            measure(stack, case, keys, whole=options.whole)
            table.add_row(*_row(case))
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
