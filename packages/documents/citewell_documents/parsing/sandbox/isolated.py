"""Parses untrusted files in a child process with hard limits, so that a hostile file harms only that child (A8).

The child has bounded memory, CPU and wall-clock time, cannot write files, and has no secrets in its environment and no
descriptors of this process. For what it can still reach, see `citewell_documents.parsing.sandbox.confinement`.
"""

import json
import math
import os
import re
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, TypeVar

import structlog

from citewell_documents.boxes import WORD_BYTES
from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentTooLarge, DocumentTooSlow, DocumentUnreadable, DocumentUnusable
from citewell_documents.parsing.legacy.libreoffice import is_legacy, modernised
from citewell_documents.parsing.limits import MAX_PICTURE_BYTES, ParseLimits
from citewell_documents.parsing.sandbox.child import OUT_OF_MEMORY
from citewell_documents.parsing.sandbox.child_process import RSS_UNIT, Cut, Ended, exchange
from citewell_documents.parsing.sandbox.fork_server import REPORT
from citewell_documents.parsing.sandbox.replies import AnswerInvalid, read_answer, read_picture, read_recognised
from citewell_documents.parsing.sandbox.servers import Line, Server, servers
from citewell_documents.parsing.signatures import kind_of

# Runs one reading child, forked by the fork server of this process; it has always ended on return.

_ATTEMPTS = 2
# Seconds for the kernel to end a killed child; a server that takes longer was stopped.
_END_S = 10.0


def run_forked(feed: Sequence[bytes], *, deadline_s: float, max_output: int) -> Ended:
    """Have a child read `feed` and collect its output; the time counts once the child runs.

    Callable from any thread. Raises OSError when no child can be started. Any exception meanwhile, such as a worker's
    time limit, ends the child too. If the server dies, so does the child, as if it had been killed.
    """
    server, line = _forked()
    ended = Ended()
    try:
        pipes = line.stdin, line.stdout, line.stderr
        exchange(pipes, feed, ended, deadline=time.monotonic() + deadline_s, max_output=max_output)
    finally:
        _end(server, line, ended)
    return ended


def _forked() -> tuple[Server, Line]:
    for _ in range(_ATTEMPTS):  # a server may have died since the last file
        server, line = servers.take(), None
        try:
            line = server.fork()
        finally:
            if line is None:
                servers.give_back(server, is_good=False)
        if line is not None:
            return server, line
    raise OSError("the process that forks readers of files does not start, or can fork none")


def _end(server: Server, line: Line, ended: Ended) -> None:
    """End the child; one that is already exiting keeps its own exit code, which the signal comes too late to change."""
    report = b""
    with line.life as life, suppress(OSError):
        life.settimeout(_END_S)
        life.shutdown(socket.SHUT_WR)
        report = life.recv(REPORT.size)
    if report:
        status, peak = REPORT.unpack(report)
        ended.code, ended.peak_bytes = os.waitstatus_to_exitcode(status), peak * RSS_UNIT
    else:
        ended.code = -signal.SIGKILL
        _kill(line)
    for opened in (line.stdin, line.stdout, line.stderr, line.hold):
        if opened is not None:
            opened.close()
    # After a crash the next child has another layout of memory.
    servers.give_back(server, is_good=ended.code >= 0)


def _kill(line: Line) -> None:
    """Kill the child of a server that is dead or stopped.

    The death of the server kills its children, but what a file has taken over may have undone that.
    """
    if line.hold is not None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(line.hold.fileno(), signal.SIGKILL)
        select.select([line.hold], [], [], _END_S)


log = structlog.get_logger()

Answer = TypeVar("Answer")
_FRAME = re.compile(rb'^ *File "[^"]*", line \d+.*$|^Fatal Python error: .*$|^\w+(?:Error|Exception)\b', re.MULTILINE)
_PARSE_TIMES, _OCR_TIMES = "ingestion.parse_base_s, parse_max_s", "ingestion.ocr_page_s, ocr_max_s"
# From this share of the memory limit on, an abort means that memory ran out: each library aborts in its own way.
_FULL_SHARE = 0.5
_PASSES = 3  # over a page: an eighth of it in each language and direction, the whole page once, and doubtful words
_MAX_RECOGNISED = 50_000_000
# PDF and Office files are compressed to about a tenth.
_PACKED = 10


def deadline_s_of(data: bytes, limits: ParseLimits) -> float:
    unpacked = len(data) * (1 if kind_of(data).is_text else _PACKED)
    return min(limits.base_s + limits.s_per_mb * unpacked / 1_000_000, limits.max_s)


def parse_isolated(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read one file as `citewell_documents.parsing.parse` does, in a child process that has ended on return.

    Any thread may call this, also in a process that must not have `multiprocessing` children (Celery's prefork). Raises
    the errors of `parse`, and DocumentTooSlow; DocumentTooLarge also at the memory limit, DocumentUnreadable also after
    a crash. RuntimeError or OSError: the child could not be started.
    """
    document = _parsed(data, filename, limits)
    if document.scanned and limits.recognise == "later":
        more_s = min(limits.ocr_page_s * len(document.scanned), limits.ocr_max_s)
        document = _parsed(data, filename, replace(limits, recognise="now"), more_s)
    return document


def outline_isolated(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Like `parse_isolated`, but without text recognition: pages that are to be recognised are in `scanned`."""
    return _parsed(data, filename, limits)


def recognise_isolated(
    data: bytes, filename: str, numbers: Sequence[int], limits: ParseLimits, seconds: float
) -> dict[int, dict[str, Any]]:
    """The recognised rows of the first of these pages, and of more of them until `seconds` have passed, by their
    numbers.

    The caller passes them back in `ParseLimits.recognised`, with `recognise` "now". Raises the errors of
    `parse_isolated`.
    """
    limits, more_s = replace(limits, recognise="now"), seconds + _PASSES * limits.ocr_page_s
    wanted = {"numbers": list(numbers), "seconds": seconds}

    def read(output: bytearray) -> dict[int, dict[str, Any]]:
        return read_recognised(output, numbers)

    return _asked_of_child(data, filename, limits, _MAX_RECOGNISED, read, deadline_more_s=more_s, recognise=wanted)


def _parsed(data: bytes, filename: str, limits: ParseLimits, more_s: float = 0) -> ParsedDocument:
    if is_legacy(filename):
        data, filename = modernised(data, filename, limits)
    max_output = limits.max_marks_bytes + 1 + 4 * limits.max_chars + WORD_BYTES * limits.max_words
    return _asked_of_child(
        data, filename, limits, max_output, lambda output: read_answer(output, limits), deadline_more_s=more_s
    )


def picture_isolated(data: bytes, filename: str, page: int, width: int, limits: ParseLimits) -> bytes:
    """Draw one page of a PDF or a picture, `width` pixels wide, in a child process that has ended on return.

    Raises the errors of `parse_isolated`, and PageNotFound.
    """
    wanted = {"page": page, "width": width}
    return _asked_of_child(data, filename, limits, MAX_PICTURE_BYTES, read_picture, picture=wanted)


def _asked_of_child(
    data: bytes,
    filename: str,
    limits: ParseLimits,
    max_output: int,
    read: Callable[[bytearray], Answer],
    *,
    deadline_more_s: float = 0,
    **more: object,
) -> Answer:
    deadline_s = deadline_s_of(data, limits) + deadline_more_s
    request = {
        "filename": filename,
        "limits": asdict(limits),
        "cpu_s": math.ceil(deadline_s),
        **more,
    }
    feed = (json.dumps(request).encode() + b"\n", data)
    ended = run_forked(feed, deadline_s=deadline_s, max_output=max_output)
    # Only the locations of the child's errors are logged: library output may quote the document (A8).
    if frames := [line.decode(errors="replace").strip() for line in _FRAME.findall(ended.errors)]:
        log.debug("reader_errors", code=ended.code, frames=frames)
    if ended.cut is None and ended.output:
        try:
            return read(ended.output)
        except AnswerInvalid:
            log.warning("reader_answer_invalid", code=ended.code, bytes=len(ended.output))
    raise _failure(ended, filename, limits, deadline_s)


def _failure(ended: Ended, filename: str, limits: ParseLimits, deadline_s: float) -> DocumentUnusable | RuntimeError:
    if ended.cut is Cut.TIME or ended.code == -signal.SIGXCPU:
        times = _OCR_TIMES if limits.recognise == "now" else _PARSE_TIMES
        return DocumentTooSlow(
            f"{filename} could not be read within {deadline_s:.0f} s; split it, save it again with another program, or "
            f"allow more time ({times})"
        )
    if ended.cut is Cut.OUTPUT:
        return DocumentTooLarge(f"{filename} has more text than the limit of {limits.max_chars:,} characters; split it")
    gave_up = ended.code in (-signal.SIGABRT, -signal.SIGILL, -signal.SIGTRAP)
    is_full = ended.peak_bytes > _FULL_SHARE * limits.memory_mb * 1024 * 1024
    if ended.code in (OUT_OF_MEMORY, -signal.SIGKILL) or (gave_up and is_full):
        return DocumentTooLarge(
            f"{filename} needs more than {limits.memory_mb:,} MB of memory to be read; split it, save it again with "
            "another program, or raise ingestion.parse_memory_mb"
        )
    if ended.code < 0 or ended.output:
        how = signal.Signals(-ended.code).name if ended.code < 0 else "an answer that makes no sense"
        return DocumentUnreadable(
            f"{filename} crashed the reader ({how}); it is damaged: save it again with another program"
        )
    return RuntimeError(f"the process that reads files ended with exit code {ended.code} and no answer")
