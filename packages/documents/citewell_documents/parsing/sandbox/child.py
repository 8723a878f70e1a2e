"""The code of the child process that reads one file; `citewell_documents.parsing.sandbox.fork_server` forks it.

Standard input: a line of JSON (filename, limits, cpu_s, picture, recognise), then the bytes of the file. Standard
output: a line of JSON, {"error": {code, message}} or {chars, pages, sections, tables, found, boxes, blocks, scanned,
figures}, then the text in UTF-8, then the packed boxes of all pages. With a `picture` (page, width) the page is drawn
instead: the output is {}, then the picture. With `recognise` (numbers, seconds) pages are recognised: the output is
{recognised}, by their numbers.
"""

import faulthandler
import json
import os
import sys
import traceback
from dataclasses import asdict
from typing import Any, NoReturn

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentTooLarge, DocumentUnreadable
from citewell_documents.figures import MOST_FIGURES
from citewell_documents.formats import is_image
from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.recognition.rows import RECOGNISED_PAGE
from citewell_documents.parsing.sandbox.confinement import confine
from citewell_verify.errors import CitewellError

OUT_OF_MEMORY = 12
"""Exit code at the memory limit: there may be no memory left to report it in words."""


def read_file() -> NoReturn:
    """Answer the request on standard input; the output of libraries is kept out of the answer."""
    answer = os.dup(1)
    os.dup2(2, 1)
    faulthandler.enable()
    request: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    limits = ParseLimits(**request["limits"])
    confine(memory_mb=limits.memory_mb, cpu_s=request["cpu_s"])
    try:
        head, *parts = _answer(request, limits)
        out = os.fdopen(answer, "wb")
        out.writelines((head, b"\n", *parts))
        out.flush()  # the output is not closed, because the parent kills this process at the end of its output
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    # Exit handlers registered by libraries must not delay or break the exit.
    os._exit(0)


def _answer(request: dict[str, Any], limits: ParseLimits) -> tuple[bytes, ...]:
    filename: str = request["filename"]
    try:
        data = sys.stdin.buffer.read()
        if picture := request.get("picture"):
            return b"{}", _drawn(data, filename, **picture)
        if wanted := request.get("recognise"):
            return (_recognised(data, filename, limits, **wanted),)
        return _encoded(parse(data, filename, limits), filename, limits)
    except CitewellError as error:
        return (_refusal(error),)
    except (MemoryError, ImportError):
        raise
    except Exception as error:  # noqa: BLE001 - any failure of a library means an unreadable document
        # Only the traceback is written, because exception messages quote the document.
        sys.stderr.writelines(traceback.format_tb(error.__traceback__))
        broken = f"{filename} cannot be read: its reader failed ({type(error).__name__}); save it again and try again"
        return (_refusal(DocumentUnreadable(broken)),)


def _drawn(data: bytes, filename: str, *, page: int, width: int) -> bytes:
    from citewell_documents.parsing.image.opening import draw_image  # noqa: PLC0415 - only once the process is confined
    from citewell_documents.parsing.pdf.picture import draw_page  # noqa: PLC0415 - as above

    if is_image(filename):
        return draw_image(data, filename, page, width)
    return draw_page(data, filename, page, width)


def _recognised(data: bytes, filename: str, limits: ParseLimits, *, numbers: list[int], seconds: float) -> bytes:
    from citewell_documents.parsing.image.reader import recognise_image  # noqa: PLC0415 - as above
    from citewell_documents.parsing.pdf.reader import recognise_pdf  # noqa: PLC0415 - as above

    recognise = recognise_image if is_image(filename) else recognise_pdf
    recognised = recognise(data, filename, numbers, limits, seconds)
    pages = {number: RECOGNISED_PAGE.dump_python(page, mode="json") for number, page in recognised.items()}
    return json.dumps({"recognised": pages}).encode() + b"\n"


def _encoded(document: ParsedDocument, filename: str, limits: ParseLimits) -> tuple[bytes, ...]:
    marks = {
        "chars": len(document.text),
        "pages": document.pages,
        "sections": document.sections,
        "tables": document.tables,
        "found": dict(document.found),
        "boxes": [(page.number, page.width, page.height, len(page.words), page.recognised) for page in document.boxes],
        "scanned": document.scanned,
        "figures": document.figures[:MOST_FIGURES],
    }
    head = json.dumps(marks | {"blocks": document.blocks}, default=asdict).encode()
    if len(head) > limits.max_marks_bytes:  # the document can do without its blocks
        head = json.dumps(marks, default=asdict).encode()
    if len(head) > limits.max_marks_bytes:
        raise DocumentTooLarge(f"{filename} has too many headings, tables and pages for its text; split it")
    return head, document.text.encode(), *(page.words for page in document.boxes)


def _refusal(error: CitewellError) -> bytes:
    return json.dumps({"error": {"code": error.code, "message": error.message}}).encode()
