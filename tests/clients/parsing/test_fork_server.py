"""Children that one server forks are as separate as programs of their own (A8)."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from citewell_documents.errors import DocumentTooLarge, DocumentTooSlow, DocumentUnreadable
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from citewell_documents.parsing.sandbox.servers import servers
from document_material import bombs
from tests.clients.readers import LIMITS, PATIENT, only_child, readers_of, reading, served_by, server_of
from tests.waiting import at_once, until

ME = psutil.Process()
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel about a process as Linux tells it")


@pytest.fixture(autouse=True)
def no_reader_is_left() -> Generator[None]:
    yield
    assert not readers_of(ME)


def read(words: str = "words") -> str:
    return parse_isolated(words.encode(), "a.txt", PATIENT).text


def server() -> psutil.Process:
    read()
    process = server_of(ME)
    assert process
    return process


def test_files_share_a_server() -> None:
    assert server() == server()


def test_fifty_files_at_once_are_read_each_for_itself() -> None:
    texts = dict[int, str]()
    at_once(lambda number: texts.update({number: read(f"note {number}")}), 50)
    assert texts == {number: f"note {number}" for number in range(50)}


def test_the_next_file_gets_another_server_when_one_was_killed() -> None:  # A5
    killed = server()
    killed.kill()
    assert read() == "words"
    assert server_of(ME) != killed
    assert not killed.is_running()


@pytest.mark.slow
def test_a_file_whose_server_is_killed_ends_as_if_its_child_were() -> None:  # A5
    with reading("slow.pdf", bombs.slow()) as (child, thread, errors):
        os.kill(child.ppid(), signal.SIGKILL)
        thread.join(30)
        assert [type(raised) for raised in errors] == [DocumentTooLarge]
        psutil.wait_procs([child], timeout=30)
    assert read() == "words"


@pytest.mark.slow
def test_a_server_that_was_stopped_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = server()
    monkeypatch.setattr("citewell_documents.parsing.sandbox.servers._START_S", 20.0)
    stopped.suspend()
    assert read() == "words"
    assert not stopped.is_running()


def test_an_idle_server_ends() -> None:
    code = "from citewell_documents.parsing.sandbox import fork_server as served; served._IDLE_S = 0.1; served.main()"
    servers.replace((sys.executable, "-c", code))
    try:
        assert read() == "words"
        until(lambda: server_of(ME) is None, 30)
        assert read() == "words"
    finally:
        servers.replace()


def test_a_child_that_crashes_is_the_last_of_its_server() -> None:  # A8
    with served_by("import os; os.kill(os.getpid(), 11)"):
        with pytest.raises(DocumentUnreadable):
            read()
        assert server_of(ME) is None


KILLS = """
import ctypes, os, signal, time
open({told!r}, "w").write(str(os.getpid()))
ctypes.CDLL(None).prctl(1, 0)  # the end of its server shall not be its own
os.kill(os.getppid(), signal.{signal})
time.sleep(600)
"""


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("with_signal", ["SIGKILL", "SIGSTOP"])
def test_a_child_that_attacks_its_server_ends_at_its_deadline(with_signal: str, tmp_path: Path) -> None:  # A8
    told = tmp_path / "child"
    with served_by(KILLS.format(told=str(told), signal=with_signal)), pytest.raises(DocumentTooSlow):
        parse_isolated(b"words", "a.txt", LIMITS)
    assert int(told.read_text()) not in sessions()
    assert read() == "words"


def test_a_stopped_child_ends_at_its_deadline() -> None:  # A8
    with served_by("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"), pytest.raises(DocumentTooSlow):
        parse_isolated(b"words", "a.txt", LIMITS)


def test_what_a_child_started_ends_with_it(tmp_path: Path) -> None:  # A8
    told = tmp_path / "session"
    code = f"import os, time; open({str(told)!r}, 'w').write(str(os.getpid())); os.fork(); os.closerange(0, 3)"
    with served_by(f"{code}; time.sleep(60)"), pytest.raises(DocumentTooLarge):
        read()
    until(lambda: int(told.read_text()) not in sessions(), 30)


def sessions() -> set[int]:
    ids = set[int]()
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if not is_over(process):
                ids.add(os.getsid(process.pid))
    return ids


@LINUX
def test_a_child_has_no_descriptors_but_its_own_pipes() -> None:  # A8
    with ExitStack() as opened:
        ours = opened.enter_context(open(__file__))
        os.set_inheritable(ours.fileno(), True)
        servers.replace()
        first, *_ = opened.enter_context(reading("slow.pdf", bombs.slow()))
        opened.enter_context(reading("slow.pdf", bombs.slow()))
        opened.callback(lambda: [child.kill() for child in readers_of(ME)])
        until(lambda: len(readers_of(ME)) == 2, 30)
        (second,) = set(readers_of(ME)) - {first}
        # One that is being loaded is open for a moment.
        for child in (first, second):
            until(lambda child=child: all(kind.startswith("pipe:") for kind in descriptors(child)), 30)
        assert not descriptors(first) & descriptors(second)
        assert len(descriptors(first)) == 3


def descriptors(process: psutil.Process) -> set[str]:
    targets = set[str]()
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            targets.add(os.readlink(link))
    return targets


@LINUX
def test_the_limit_of_memory_holds_for_one_child_and_not_for_the_next() -> None:  # A8
    with pytest.raises(DocumentTooLarge, match="needs more than 110 MB"):
        parse_isolated(b"\xe9" * 10_000_000, "latin.txt", replace(PATIENT, memory_mb=110, max_chars=20_000_000))
    before = server()
    assert read() == "words"
    assert server() == before


WORKER = """
import os, sys, time
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from citewell_documents.parsing import ParseLimits
def read(name):
    return parse_isolated(sys.stdin.buffer.read(), name, ParseLimits(5_000, 20_000_000, base_s=60))
"""


@LINUX
@pytest.mark.parametrize("moment", ["when it reads", "when it begins"])
@pytest.mark.slow
def test_the_server_of_a_killed_worker_ends_with_its_child(moment: str) -> None:  # A5
    with worker('read("slow.pdf")', bombs.slow()) as process:
        until(lambda: server_of(psutil.Process(process.pid)), 30)
        left = [server_of(psutil.Process(process.pid))]
        if moment == "when it reads":
            left.append(only_child(psutil.Process(process.pid)))
        process.kill()
    assert all(left)
    psutil.wait_procs(filter(None, left), timeout=30)
    assert all(is_over(pid) for pid in left if pid)


FORKS = """
read("a.txt")
if os.fork():
    time.sleep(0.1)
    os._exit(0)
parse_isolated(b"words", "a.txt", ParseLimits(5_000, 20_000_000, base_s=60))
print(os.getpid(), flush=True)
time.sleep(60)
"""


@LINUX
@pytest.mark.slow
def test_a_process_that_a_worker_forks_has_a_server_of_its_own() -> None:  # A5
    with worker(FORKS, b"words") as process:
        until(lambda: server_of(psutil.Process(process.pid)), 30)
        old = server_of(psutil.Process(process.pid))
        assert process.stdout
        fork = psutil.Process(int(process.stdout.readline()))
        try:
            psutil.wait_procs(filter(None, [old]), timeout=30)  # its worker has ended; the fork does not keep it
            assert old
            assert is_over(old)
            own = server_of(fork)
            assert own
        finally:
            fork.kill()
    psutil.wait_procs([own], timeout=30)
    assert is_over(own)


def worker(code: str, data: bytes) -> "subprocess.Popen[bytes]":
    argv, pipe = (sys.executable, "-c", WORKER + code), subprocess.PIPE
    process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, cwd=os.getcwd())
    assert process.stdin
    process.stdin.write(data)
    process.stdin.close()
    return process


def is_over(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
