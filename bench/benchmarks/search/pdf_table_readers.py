"""`python pdf_table_readers.py LIBRARY`: the tables that a library finds in the PDFs whose paths it reads, one a line.

A script of its own, for an environment that has the library and nothing of Citewell. It answers each path with a line
of JSON: its tables as rows of cells, its pages, the seconds it took, and the peak memory of the process so far, in MB.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

Rows = list[list[str]]
Found = tuple[int, list[Rows]]


def citewell(path: str) -> Found:
    parsing = import_module("citewell_documents.parsing")
    limits = parsing.ParseLimits(max_pages=5_000, max_chars=20_000_000)
    document = parsing.parse(Path(path).read_bytes(), path, limits)
    texts = [document.text[table.start : table.end] for table in document.tables]
    return len(document.pages), [[row.split("\t") for row in text.split("\n")] for text in texts]


def pdfplumber(path: str, **settings: str) -> Found:
    with import_module("pdfplumber").open(path) as pdf:
        tables = [table for page in pdf.pages for table in page.extract_tables(settings)]
        return len(pdf.pages), [_filled(table) for table in tables]


def pymupdf(path: str, **settings: str) -> Found:
    with import_module("pymupdf").open(path) as pdf:
        tables = [table.extract() for page in pdf for table in page.find_tables(**settings).tables]
        return len(pdf), [_filled(table) for table in tables]


def _filled(table: list[list[Any]]) -> Rows:
    return [[cell or "" for cell in row] for row in table]


READERS: dict[str, Callable[[str], Found]] = {
    "citewell": citewell,
    "pdfplumber": pdfplumber,
    "pdfplumber, by text": lambda path: pdfplumber(path, vertical_strategy="text", horizontal_strategy="text"),
    "pymupdf": pymupdf,
    "pymupdf, by text": lambda path: pymupdf(path, strategy="text"),
}


def read(paths: Iterator[str], reader: Callable[[str], Found]) -> Iterator[dict[str, Any]]:
    for path in paths:
        started = time.process_time()
        with redirect_stdout(sys.stderr):
            try:
                pages, tables = reader(path)
            except Exception as error:  # noqa: BLE001 - a library may raise anything; then it found no table
                print(f"{path}: {error!r}")
                pages, tables = 1, []
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield {"tables": tables, "pages": pages, "seconds": time.process_time() - started, "peak": peak}


if __name__ == "__main__":
    for answer in read(map(str.strip, sys.stdin), READERS[sys.argv[1]]):
        print(json.dumps(answer), flush=True)
