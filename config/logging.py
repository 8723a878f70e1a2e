"""Structured logs of every process on standard error, one line per event.

JSON for machines, coloured text for terminals; `log_format` overrides the detection. Lines carry ids and counts.
Anything that looks like a secret is masked here, in Citewell's own lines and in those of libraries.
"""

import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Mapping, MutableMapping
from typing import Any, Literal, cast

import structlog
from structlog.typing import Processor

LogFormat = Literal["auto", "json", "console"]

# At INFO, httpx logs the full URL of every request; the access log has all that is needed.
_TALKATIVE = ("httpx", "httpcore", "alembic.runtime.migration", "celery.redirected")
_OURS = ("api", "citewell", "clients", "config", "db", "domain", "services", "workers")
_MOST_FRAMES = 20
_CODES = ("errno", "sqlstate")
_SECRET_NAMES = re.compile(r"authorization|password|secret|api_?key|token$|cookie", re.IGNORECASE)
_SECRETS = (
    (re.compile(r"\b(gsk|sk|whsec|cw)_[A-Za-z0-9_-]{8,}"), r"\1_***"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._=-]{8,}"), r"\1 ***"),
    (re.compile(r"(\w+://[^\s:/@]*):[^\s@]+@"), r"\1:***@"),
)


def configure_logging(level: str, process_name: str, log_format: LogFormat = "auto") -> None:
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _naming(process_name),
        _without_messages,
        masked,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    is_console = sys.stderr.isatty() if log_format == "auto" else log_format == "console"
    has_colours = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    renderer: Processor = structlog.processors.JSONRenderer()
    if is_console:
        renderer = structlog.dev.ConsoleRenderer(colors=bool(has_colours))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    _attach(handler, logging.getLevelNamesMapping()[level])


def _attach(handler: logging.Handler, level: int) -> None:
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries may log anything at DEBUG: SQL with its rows, whole requests with their texts.
    root.setLevel(max(level, logging.INFO))
    for name in _OURS:
        logging.getLogger(name).setLevel(level)
    logging.getLogger("celery.app.trace").addFilter(_only_the_kind)
    logging.getLogger("asyncio").addFilter(_without_its_details)
    # By default, Python prints uncaught errors with their messages, bypassing this log.
    threading.excepthook = _thread_broke
    sys.unraisablehook = _not_raised
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))


def described(error: BaseException) -> str:
    """Return the types of an error and its causes with their stack frames, and the errno or SQLSTATE where there is
    one.

    Messages are left out, because drivers, parsers and validators quote their input, documents included.
    """
    lines: list[str] = []
    following: BaseException | None = error
    while following is not None and len(lines) < _MOST_FRAMES:
        codes = [f"{name}={value}" for name in _CODES if (value := getattr(following, name, None)) is not None]
        lines.append(" ".join([type(following).__qualname__, *codes]))
        frames = traceback.extract_tb(following.__traceback__)[-_MOST_FRAMES:]
        lines += [f"  {frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames)]
        following = following.__cause__ or (None if following.__suppress_context__ else following.__context__)
    return "\n".join(lines)


def _without_messages(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    error = _error_of(event.pop("exc_info", None))
    if error is not None:
        event["exception"] = described(error)
    return event


def _error_of(given: Any) -> BaseException | None:
    if isinstance(given, BaseException):
        return given
    if isinstance(given, tuple):
        return cast("tuple[Any, BaseException | None, Any]", given)[1]
    return sys.exc_info()[1] if given else None


def _only_the_kind(record: logging.LogRecord) -> bool:
    # Celery puts the message and traceback of a task's error into the log line itself.
    if isinstance(record.args, Mapping) and "exc" in record.args:
        kind = record.exc_info[0] if record.exc_info else None
        record.msg, record.args = (
            "task %s %s: %s",
            (
                record.args.get("name"),
                record.args.get("description", "comes again"),
                kind.__qualname__ if kind else "",
            ),
        )
    return True


def _without_its_details(record: logging.LogRecord) -> bool:
    # The rest of the message shows a callback's arguments, or a task with the message of its error.
    record.msg, record.args = re.split(r"[\n(<]", record.getMessage(), maxsplit=1)[0].strip(), ()
    return True


def _thread_broke(broken: threading.ExceptHookArgs) -> None:
    if broken.exc_type is not SystemExit:
        name = broken.thread.name if broken.thread else ""
        logging.getLogger("threading").error("thread %s broke", name, exc_info=broken.exc_value)


def _not_raised(broken: "sys.UnraisableHookArgs") -> None:
    logging.getLogger("python").error("error that could not be raised", exc_info=broken.exc_value)


def masked(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if _SECRET_NAMES.search(name):
            event[name] = "***"
        elif isinstance(value, str):
            for pattern, replacement in _SECRETS:
                value = pattern.sub(replacement, value)
            event[name] = value
    return event


def _naming(process_name: str) -> Processor:
    def add_process(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event["process"] = process_name
        event["pid"] = os.getpid()
        return event

    return add_process
