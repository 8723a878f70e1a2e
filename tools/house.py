"""Measures the layout of the code: `python -m tools.house` prints each figure beside its aim.

A module is a file other than `__init__.py`. A call executes the modules of which a function ran.
"""

import ast
import logging
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import median
from types import FrameType
from uuid import UUID

import structlog

HOUSES = {
    "verify": ("packages/verify/citewell_verify",),
    "documents": ("packages/documents/citewell_documents",),
    "server": ("api", "citewell", "clients", "config", "db", "domain", "services", "workers"),
    "client": ("sdk/python/citewell_client",),
}
_LINES = {"verify": "≤ 15,000", "documents": "≤ 9,500", "server": "≤ 58,000"}
_SMALL = 6  # lines; a private function that is called once and has fewer may go back into its caller
_VAGUE = ("each", "found")
_ANSWER = "Returns are accepted for 60 days [1]. A receipt is required [1]."
_SOURCE = "Returns are accepted for 30 days. A receipt is required."

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Figure:
    name: str
    now: str
    aim: str = ""


def measure(root: Path) -> list[Figure]:
    """Return the figures of a checkout that can be measured without running its code."""
    texts = {house: [path.read_text() for path in _modules(root, tops)] for house, tops in HOUSES.items()}
    every = [text for house in texts.values() for text in house]
    functions = [_length(function) for text in every for function in _functions(ast.parse(text))]
    vague = Counter(name for text in every for name in _locals(ast.parse(text)))
    return [
        *(Figure(f"modules of {house}", f"{len(modules):,}") for house, modules in texts.items()),
        *(Figure(f"lines of {house}", f"{_lines(root, HOUSES[house]):,}", _LINES.get(house, "")) for house in texts),
        Figure("lines of tests", f"{_lines(root, ['tests', 'packages/verify/tests', 'packages/documents/tests']):,}"),
        Figure("function, median / p90 / max lines", _spread(functions), "≥ 9"),
        Figure(f"private, called once, below {_SMALL} lines", f"{sum(map(_crumbs, every)):,}", "≤ 300"),
        Figure(f"locals named {' or '.join(_VAGUE)}", f"{sum(vague[name] for name in _VAGUE):,}", "≤ 50"),
    ]


def executed(work: Callable[[], object], first: Callable[[], object] = lambda: None) -> set[str]:
    """Return the modules of this repository of which a function runs during `work`.

    All functions in this thread, and in threads that start after it, are counted; `first` runs before and is not
    counted.
    """
    tops = tuple(f"/{top}/" for tops in HOUSES.values() for top in tops)
    files: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        first()
        files.clear()
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # pyright: ignore[reportArgumentType], it takes None as sys.setprofile does
    return {name for name in files if any(top in name for top in tops) and "/site-packages/" not in name}


def _verified_sentences() -> set[str]:
    from citewell_verify import verify  # noqa: PLC0415, other figures need none of it

    def verified() -> None:
        verify(_ANSWER, [_SOURCE])

    return executed(verified, first=verified)  # loading weights and prompts happens once per process


def _answered_question() -> set[str]:
    """Return the modules from the request to the answer: API and workers in this process, in front of Postgres and
    Valkey."""
    from citewell.supervisor.home import temporary_home  # noqa: PLC0415
    from citewell.supervisor.servers.pair import EmbeddedServers  # noqa: PLC0415

    with temporary_home() as home, EmbeddedServers(home, durable=False) as servers:
        # This is set before the program is imported, because the broker's address is read only once.
        os.environ |= {"CITEWELL_DATABASE_URL": servers.database_url, "CITEWELL_REDIS_URL": servers.redis_url}
        from fastapi.testclient import TestClient  # noqa: PLC0415

        from api.app import create_app  # noqa: PLC0415
        from db.migrate import upgrade  # noqa: PLC0415
        from db.models import DEFAULT_TENANT  # noqa: PLC0415
        from db.queries.runs.queries import get_query, mark_launched  # noqa: PLC0415
        from db.session import acting_for, transaction  # noqa: PLC0415
        from domain.query.options import QueryOptions  # noqa: PLC0415
        from workers import tasks  # noqa: PLC0415
        from workers.execution.work import serve  # noqa: PLC0415
        from workers.pipeline import Run, start_canvas  # noqa: PLC0415
        from workers.queues import Queue  # noqa: PLC0415

        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
        upgrade(servers.database_url)
        serve(queue.value for queue in Queue)
        http = TestClient(create_app(), "http://127.0.0.1", client=("127.0.0.1", 1))

        def ask(question: str, answer: str) -> None:
            query_id = http.post("/v1/queries", json={"question": question}).json()["id"]
            with acting_for(DEFAULT_TENANT), transaction() as session:
                launch = mark_launched(session, UUID(query_id), 0)
                options = QueryOptions(**get_query(session, UUID(query_id)).options)
            start_canvas(Run(query_id, launch or 0, 0, DEFAULT_TENANT), options).apply()
            if answer not in http.get(f"/v1/queries/{query_id}").json()["answer"]:
                raise SystemExit(f"{question} was not answered as it should.")

        def prepare() -> None:
            document = http.post("/v1/documents", files={"file": ("returns.txt", _SOURCE.encode())}).json()
            tasks.ingestion.ingest_document.apply(args=(document["id"], DEFAULT_TENANT))
            ask("Is a receipt required?", "A receipt is required")

        return executed(lambda: ask("For how long are returns accepted?", "30 days"), first=prepare)


def _read_document() -> set[str]:
    from fpdf import FPDF  # noqa: PLC0415

    from citewell_documents import ParseLimits, chunks  # noqa: PLC0415
    from citewell_documents.parsing import parse  # noqa: PLC0415

    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=20)
    pdf.multi_cell(0, 12, "Returns", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("helvetica", size=11)
    pdf.multi_cell(0, 6, _SOURCE * 4, new_x="LMARGIN", new_y="NEXT")
    with pdf.table() as table:
        for cells in (("Goods", "Days"), ("Shoes", "30"), ("Hats", "14")):
            table.row(cells)
    content = bytes(pdf.output())
    # In this process, because the modules that the confined child executes count.
    return executed(lambda: chunks(parse(content, "returns.pdf", ParseLimits(max_pages=5, max_chars=10_000))))


def _modules(root: Path, tops: Iterable[str]) -> Iterator[Path]:
    return (path for top in tops for path in (root / top).rglob("*.py") if path.name != "__init__.py")


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _locals(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _crumbs(text: str) -> int:
    tree = ast.parse(text)
    uses = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    small = (function for function in _functions(tree) if _length(function) < _SMALL and not function.decorator_list)
    names = (function.name for function in small)
    return sum(name.startswith("_") and not name.startswith("__") and uses[name] == 1 for name in names)


def _lines(root: Path, tops: Iterable[str]) -> int:
    return sum(len(path.read_text().splitlines()) for top in tops for path in (root / top).rglob("*.py"))


def _spread(values: Sequence[int]) -> str:
    ordered = sorted(values) or [0]
    return f"{median(ordered):g} / {ordered[ceil(len(ordered) * 0.9) - 1]} / {ordered[-1]}"


if __name__ == "__main__":
    ran = [
        Figure("modules that one answered question executes", f"{len(_answered_question())}", "≤ 150"),
        Figure("modules that two verified sentences execute", f"{len(_verified_sentences())}", "≤ 60"),
        Figure("modules that one PDF executes", f"{len(_read_document())}", "≤ 80"),
    ]
    for figure in (*measure(Path()), *ran):
        print(f"{figure.name:<45} {figure.now:>16}   {figure.aim}".rstrip())
