"""Structured logs of every process, one line per event, on standard error.

JSON for machines, coloured text for a terminal; `log_format` decides where looking at the terminal is not enough. Lines
carry ids and counts. Whatever looks like a secret is masked here, once, for our own lines and for those of libraries.
"""

import logging
import os
import re
import sys
from collections.abc import MutableMapping
from typing import Any, Literal

import structlog
from structlog.typing import Processor

LogFormat = Literal["auto", "json", "console"]

# httpx tells the whole address of every request at INFO; the access log tells what is needed.
_TALKATIVE = ("httpx", "httpcore", "alembic.runtime.migration", "celery.redirected")
_SECRET_NAMES = re.compile(r"authorization|password|secret|api_?key|token$|cookie", re.IGNORECASE)
_SECRETS = (
    (re.compile(r"\b(gsk|sk|whsec|cw)_[A-Za-z0-9_-]{8,}"), r"\1_***"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._=-]{8,}"), r"\1 ***"),
    (re.compile(r"(\w+://[^\s:/@]*):[^\s@]+@"), r"\1:***@"),
)


def configure_logging(level: str, process_name: str, log_format: LogFormat = "auto") -> None:
    """Send this process's logs, also those of libraries, to standard error; call it once, at the start."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _naming(process_name),
        structlog.processors.format_exc_info,
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
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(log_format)],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.getLevelNamesMapping()[level], logging.WARNING))


def masked(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Mask values that are named or shaped like a secret: keys, tokens, passwords in addresses."""
    for name, value in event.items():
        if _SECRET_NAMES.search(name):
            event[name] = "***"
        elif isinstance(value, str):
            event[name] = _mask(value)
    return event


def _mask(text: str) -> str:
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def _naming(process_name: str) -> Processor:
    def add_process(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event["process"] = process_name
        event["pid"] = os.getpid()
        return event

    return add_process


def _renderer(log_format: LogFormat) -> Processor:
    console = sys.stderr.isatty() if log_format == "auto" else log_format == "console"
    if console:
        return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty() and not os.environ.get("NO_COLOR"))
    return structlog.processors.JSONRenderer()
