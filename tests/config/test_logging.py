"""The logs of a process: one JSON line per event, without secrets."""

import json
import subprocess
import sys
from typing import Any

PROGRAM = """
import logging, sys
import structlog
from config.logging import configure_logging
configure_logging("INFO", "worker", sys.argv[1])
log = structlog.get_logger("ours")
"""


def lines_of(code: str, log_format: str = "json") -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + code, log_format], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout == ""
    return done.stderr.splitlines()


def logged(code: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(code)]


def test_our_lines_and_those_of_libraries_look_alike() -> None:  # A9
    ours, theirs = logged('log.info("asked", query_id="q1")\nlogging.getLogger("lib").warning("slow: %s", 5)')
    assert (ours["event"], ours["query_id"], ours["level"], ours["logger"]) == ("asked", "q1", "info", "ours")
    assert (theirs["event"], theirs["level"], theirs["logger"]) == ("slow: 5", "warning", "lib")
    for line in (ours, theirs):
        assert line["process"] == "worker"
        assert line["timestamp"].endswith("Z")
        assert line["pid"] > 0


def test_lines_below_the_level_are_not_written() -> None:
    assert (
        lines_of('log.debug("no")\nlogging.getLogger("lib").debug("no")\nlogging.getLogger("httpx").info("no")') == []
    )


def test_secrets_are_masked() -> None:  # A8
    lines = lines_of(
        """
log.info("call", authorization="Bearer abcdefghijkl")
log.info("call", api_key="abcdefghijkl in any form")
log.info("call with gsk_abcdefghijkl")
log.info("call", header="Bearer abcdefghijkl")
log.info("connect", url="postgresql://user:abcdefghijkl@host/db")
logging.getLogger("lib").warning("connect %s", "redis://:abcdefghijkl@host:6379/0")
"""
    )
    assert len(lines) == 6
    assert [line for line in lines if "abcdefghijkl" in line or "***" not in line] == []


def test_an_exception_is_part_of_its_line() -> None:
    (line,) = logged('try:\n    1 / 0\nexcept ZeroDivisionError:\n    log.exception("broke")')
    assert "ZeroDivisionError" in line["exception"]


def test_what_an_error_quotes_is_not_told() -> None:  # A8
    (line,) = logged(
        """
try:
    try:
        raise OSError(28, "no room for: our revenue fell by half")
    except OSError as error:
        raise ValueError("our revenue fell by half") from error
except ValueError:
    log.exception("broke")
"""
    )
    kind, *_, cause, _ = line["exception"].splitlines()
    assert (kind, cause) == ("ValueError", "OSError errno=28")
    assert "revenue" not in str(line)


def test_what_nobody_catches_is_a_line_without_its_message() -> None:  # A8, A9
    lines = logged(
        """
import asyncio, gc, threading
def breaks(*given):
    raise ValueError("numbatletter")
thread = threading.Thread(target=breaks, name="reader")
thread.start()
thread.join()
async def forgotten():
    breaks()
async def forget():
    task = asyncio.create_task(forgotten())
    await asyncio.sleep(0)
    del task
    gc.collect()
    asyncio.get_running_loop().call_soon(breaks, "numbatletter")
    await asyncio.sleep(0)
    class Dying:
        def __del__(self):
            breaks()
    Dying()
asyncio.run(forget())
"""
    )
    assert "numbatletter" not in json.dumps(lines)
    thread, task, callback, dying = lines
    assert thread["event"] == "thread reader broke"
    assert task["event"] == "Task exception was never retrieved"
    assert callback["event"] == "Exception in callback breaks"
    assert dying["event"] == "error that could not be raised"
    assert [line["exception"].split("\n")[0] for line in lines] == ["ValueError"] * 4


def test_celery_tells_the_kind_of_a_tasks_error_and_not_its_message() -> None:  # A8
    (line,) = logged(
        """
trace = logging.getLogger("celery.app.trace")
context = {"name": "query.generate", "id": "1", "description": "raised unexpected", "exc": "revenue", "traceback": ""}
try:
    raise ValueError("our revenue fell by half")
except ValueError:
    trace.error("Task %(name)s[%(id)s] %(description)s: %(exc)s %(traceback)s", context, exc_info=True)
"""
    )
    assert line["event"] == "task query.generate raised unexpected: ValueError"
    assert "revenue" not in str(line)


def test_libraries_tell_nothing_below_info_and_we_do() -> None:  # A8
    code = 'configure_logging("DEBUG", "worker", "json")\nlogging.getLogger("lib").debug("rows")\n'
    (line,) = logged(code + 'logging.getLogger("services.x").debug("ours")')
    assert line["event"] == "ours"


def test_the_console_form_is_for_reading() -> None:
    (line,) = lines_of('log.info("asked", query_id="q1")', "console")
    assert "asked" in line
    assert "query_id=q1" in line
    assert "\x1b" not in line
