"""The settings in use: those of the configuration, with the models that were chosen on the page.

A choice holds for what is accepted after it: its id is stored in the options of each query, and all steps of the query
follow `settings_of` that id, so a switch needs no restart and mixes nothing.
"""

import math
import threading
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import structlog
from pydantic import ValidationError

from clients.stored_secrets import decrypted
from config.settings import Settings, settings
from db.models import ModelChoice
from db.queries.access import model_choices as rows
from db.session import system_transaction
from domain.errors.service import DatabaseUnavailable, SecretUnreadable

log = structlog.get_logger()

FRESH_S = 1.0
"""How long a process goes by the choice that it read last."""
_REMEMBERED = 8


@dataclass(frozen=True, slots=True)
class _Seen:
    """The settings in use as they were read at `read_at` (monotonic seconds), over those of the configuration."""

    configured: Settings
    read_at: float
    settings: Settings


_seen: _Seen | None = None
_reading = threading.Lock()


def can_count(configured: Settings) -> bool:
    """Whether a choice on the page counts: the configuration names no model, and does not forbid it."""
    return configured.model_setting is None and configured.models.from_page != "forbidden"


def current_settings() -> Settings:
    """The settings for new work. While the database is away they are those that were read last. Raises
    SecretUnreadable."""
    global _seen
    configured = settings()
    if not can_count(configured):
        return configured
    seen = _seen if _seen and _seen.configured is configured else None
    is_stale = seen is None or time.monotonic() - seen.read_at >= FRESH_S
    # While one thread reads, the others use what was read last.
    if is_stale and _reading.acquire(blocking=seen is None):
        began = time.monotonic()
        try:
            seen = _Seen(configured, began, _read(configured))
        except DatabaseUnavailable:
            seen = _Seen(configured, time.monotonic(), seen.settings if seen else configured)
        finally:
            _reading.release()
        _seen = seen
    return seen.settings if seen else configured


def settings_without_model() -> Settings:
    """The settings for what asks no model: those of the configuration where the key of the choice cannot be read."""
    try:
        return current_settings()
    except SecretUnreadable:
        return settings()


def last_settings() -> Settings:
    """The settings that were read last, without the database."""
    return _seen.settings if _seen and _seen.configured is settings() else settings()


def forget() -> None:
    """Read the choice again before it is next needed."""
    global _seen
    if _seen:
        _seen = replace(_seen, read_at=-math.inf)


def settings_of(choice: int | None) -> Settings:
    """The settings for work that was accepted with this choice. Raises DatabaseUnavailable, SecretUnreadable."""
    return settings() if choice is None else _stored(choice)


def _read(configured: Settings) -> Settings:
    with system_transaction() as session:
        row = rows.find_current(session)
        return configured if row is None else chosen_settings(row)


@lru_cache(_REMEMBERED)
def _stored(choice: int) -> Settings:
    with system_transaction() as session:
        row = rows.find_choice(session, choice)
        return settings() if row is None else chosen_settings(row)


def chosen_settings(row: ModelChoice, *, with_key: bool = True) -> Settings:
    """The settings with the models of `row`, and their key. Raises SecretUnreadable."""
    values: dict[str, Any] = dict(row.settings)
    key = decrypted(row.api_key, settings()) if row.api_key and with_key else ""
    if values["models"]["provider"] == "groq":
        values["groq_api_key"] = key
    else:
        values["models"] = {**values["models"], "api_key": key}
    try:
        return settings().with_choice(row.id, values)
    except ValidationError as error:
        # Another version of the program knew other settings.
        fields = [".".join(map(str, problem["loc"])) for problem in error.errors(include_input=False)]
        log.error("model_choice_unusable", choice=row.id, settings=fields)
        return settings()
