"""A hostile file costs the child that reads it, and nothing else (A8)."""

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from types import FrameType

import psutil
import pytest
from structlog.testing import capture_logs

from citewell_documents.errors import (
    DocumentEmpty,
    DocumentEncrypted,
    DocumentTooLarge,
    DocumentTooSlow,
    DocumentTypeUnknown,
    DocumentUnreadable,
)
from citewell_documents.parsing import parse
from citewell_documents.parsing.sandbox.isolated import deadline_s_of, parse_isolated
from citewell_documents.parsing.sandbox.servers import servers
from citewell_verify.errors import CitewellError
from config.settings import IngestionSettings
from document_material import bombs
from document_material.pdf_files import Sheet, encrypted
from services.documents.reading_limits import limits_of
from tests.clients.readers import LIMITS, PATIENT, only_child, readers_of, reading, served_by, server_of
from tests.waiting import until

PDF = Sheet().block("1. Returns", size=16).block("Goods come back within 30 days.").data()
MARGIN_S = 20
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel about a process as Linux tells it")


@pytest.fixture(autouse=True)
def no_child_is_left() -> Generator[None]:
    before = psutil.Process().children()
    yield
    me = psutil.Process()
    # One of before may have ended meanwhile.
    assert set(me.children()) - {server_of(me)} <= set(before)
    assert not readers_of(me)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("policy.pdf", PDF),
        ("guide.md", "# 안내\n\n본문 & \U0001f600\n\n## 둘째\n\n끝\n".encode()),
        ("long.txt", b"word\n" * 200_000),
    ],
)
def test_a_child_reads_what_the_reader_reads(name: str, data: bytes) -> None:  # N3
    assert parse_isolated(data, name, PATIENT) == parse(data, name, PATIENT)


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.md", b" ", DocumentEmpty),
        ("a.xyz", b"words", DocumentTypeUnknown),
        ("a.pdf", b"%PDF-1.7 and no more", DocumentUnreadable),
        ("a.pdf", encrypted(PDF, "secret"), DocumentEncrypted),
        ("a\n'\".txt", b"x" * 3_000_000, DocumentTooLarge),
    ],
)
def test_an_error_is_the_same_as_in_this_process(name: str, data: bytes, error: type[CitewellError]) -> None:
    with pytest.raises(error) as here:
        parse(data, name, PATIENT)
    with pytest.raises(error) as there:
        parse_isolated(data, name, PATIENT)
    assert (type(there.value), there.value.message) == (type(here.value), here.value.message)


TOO_MUCH = "needs more than 256 MB of memory to be read"
BOMBS: dict[str, tuple[Callable[[], bytes], type[CitewellError], str]] = {
    "pages.pdf": (bombs.million_pages, DocumentTooLarge, "has 1,000,000 pages; the limit is 5,000"),
    "inflating.pdf": (bombs.inflating, DocumentTooLarge, TOO_MUCH),
    "laughing.pdf": (bombs.laughing, DocumentTooLarge, TOO_MUCH),
    "recursive.pdf": (bombs.recursive, DocumentTooLarge, TOO_MUCH),
    "slow.pdf": (bombs.slow, DocumentTooSlow, "could not be read within 2 s"),
    "line.txt": (lambda: b"x" * 50_000_000, DocumentTooLarge, "has 50,000,000 characters; the limit is 2,000,000"),
    "latin.txt": (lambda: b"\xe9" * 40_000_000, DocumentTooLarge, TOO_MUCH),
    "headings.md": (lambda: b"# " + b"![[" * 300_000, DocumentTooSlow, "could not be read within 2 s"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_with_a_reason_in_bounded_time_and_memory(name: str) -> None:  # A8
    make, error, message = BOMBS[name]
    data, me = make(), psutil.Process()
    before, start = me.memory_info().rss, time.monotonic()
    # An end for another reason must not be taken for a time-out on a busy machine.
    limits = LIMITS if error is DocumentTooSlow else PATIENT
    with pytest.raises(error, match=re.escape(f"{name} {message}")) as raised:
        parse_isolated(data, name, limits)
    assert type(raised.value) is error
    assert time.monotonic() - start < limits.base_s + MARGIN_S
    assert me.memory_info().rss - before < 200_000_000


@pytest.mark.parametrize("character", [">", "[", "- ", "*", "`"])
def test_deep_nesting_breaks_nothing(character: str) -> None:
    data = character.encode() * 100_000
    try:
        document = parse_isolated(data, "deep.md", LIMITS)
    except CitewellError:
        return
    assert document.text == data.decode()


@pytest.mark.parametrize(
    ("with_signal", "error", "message"),
    [
        (signal.SIGSEGV, DocumentUnreadable, "slow.pdf crashed the reader (SIGSEGV)"),
        (signal.SIGKILL, DocumentTooLarge, "slow.pdf needs more than 256 MB"),
        (signal.SIGXCPU, DocumentTooSlow, "slow.pdf could not be read within 60 s"),
    ],
)
def test_a_child_that_is_killed_is_an_error_of_the_document(
    with_signal: signal.Signals, error: type[CitewellError], message: str
) -> None:
    with reading("slow.pdf", bombs.slow()) as (child, thread, errors):
        child.send_signal(with_signal)
        thread.join(30)
    assert [type(raised) for raised in errors] == [error]
    assert errors[0].message.startswith(message)


@LINUX
def test_the_child_has_no_secrets_no_files_and_hard_limits(monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    servers.replace()
    monkeypatch.setenv("GROQ_API_KEY", "gsk_secret")
    monkeypatch.setenv("CITEWELL_DATABASE_URL", "postgresql://user:secret@db/citewell")
    allowed = {"LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "PYTHONUTF8"}
    allowed |= {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS"}
    with open(__file__) as ours, reading("slow.pdf", bombs.slow()) as (child, *_):
        environment = child.environ()
        assert set(environment) <= allowed | {"LC_CTYPE"}  # which Python itself sets
        assert "secret" not in str(environment)
        assert "slow.pdf" not in " ".join(child.cmdline())
        assert child.cwd() == "/"
        assert not {ours.name} & {file.path for file in child.open_files()}
        assert os.getsid(child.pid) == child.pid
        below = min(19, psutil.Process().nice() + 2)
        until(lambda: child.nice() == below, seconds=30)
        limits = {kind: child.rlimit(kind) for kind in (psutil.RLIMIT_AS, psutil.RLIMIT_FSIZE, psutil.RLIMIT_NPROC)}
        assert limits == {
            psutil.RLIMIT_AS: (256 << 20, 256 << 20),
            psutil.RLIMIT_FSIZE: (0, 0),
            psutil.RLIMIT_NPROC: (0, 0),
        }
        assert child.rlimit(psutil.RLIMIT_CPU) == (60, 62)
        with open(f"/proc/{child.pid}/oom_score_adj") as score:
            assert score.read().strip() == "1000"


class LimitReached(Exception):
    """Raised by a worker's time limit, from a signal handler, wherever the process is."""


def test_a_time_limit_of_the_worker_ends_the_child() -> None:  # A5
    def reach(_: int, __: FrameType | None) -> None:
        raise LimitReached

    previous = signal.signal(signal.SIGUSR1, reach)

    def send() -> None:
        only_child(psutil.Process())
        os.kill(os.getpid(), signal.SIGUSR1)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(LimitReached):
            parse_isolated(bombs.slow(), "slow.pdf", PATIENT)
    finally:
        sender.join(30)
        signal.signal(signal.SIGUSR1, previous)


def test_a_child_that_does_not_start_is_no_fault_of_the_document() -> None:
    with served_by("import os; os._exit(3)"), pytest.raises(RuntimeError, match="exit code 3"):
        parse_isolated(b"words", "a.txt", PATIENT)


def test_of_the_childs_errors_only_their_places_are_logged() -> None:  # A8
    said = 'the deed\n  File "reader.py", line 3, in read\nValueError: no number: the deed\n'
    code = f"import os, sys; sys.stderr.write({said!r} + 'the deed ' * 100_000); os._exit(3)"
    with served_by(code), capture_logs() as logs, pytest.raises(RuntimeError):
        parse_isolated(b"words", "a.txt", PATIENT)
    assert [entry["frames"] for entry in logs] == [['File "reader.py", line 3, in read', "ValueError"]]
    assert "deed" not in str(logs)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("print('{}'); print('words', flush=True)", DocumentUnreadable),
        ("import os; os.write(1, bytes(range(256)) * 100)", DocumentUnreadable),
        ("import os\nwhile True: os.write(1, b'x' * 65536)", DocumentTooLarge),
        ("import os, time; os.close(0); os.close(1); time.sleep(60)", DocumentTooLarge),
        ("import time; time.sleep(60)", DocumentTooSlow),
    ],
    ids=["no answer", "noise", "endless", "closed", "silent"],
)
@pytest.mark.slow
def test_a_child_under_foreign_control_harms_nobody(code: str, error: type[CitewellError]) -> None:  # A8
    with served_by(code), pytest.raises(error, match=r"^a\.txt "):
        parse_isolated(b"words " * 100_000, "a.txt", LIMITS if error is DocumentTooSlow else PATIENT)


def test_the_time_grows_with_the_file_and_faster_where_it_is_packed() -> None:
    limits = limits_of(IngestionSettings(parse_base_s=5, parse_max_s=50))
    assert deadline_s_of(b"x" * 2_000_000, limits) == 9
    assert deadline_s_of(b"%PDF-".ljust(1_000_000), limits) == 25
    assert deadline_s_of(b"%PDF-".ljust(3_000_000), limits) == 50
