"""Load shedding (A7): refuses work before any of it is read or stored, and says when to retry."""

import math
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from config.settings import AdmissionSettings, settings
from db.queries.admission import backlog as rows
from db.queries.admission.backlog import Backlog, Pace, TenantBacklog
from db.session import current_tenant, reading, system_transaction
from domain.errors.service import BacklogFull, Overload, Overloaded
from services.core.call_ledger import FEW, Priority
from services.core.model_choice import current_settings

REMEMBERED_S, REMEMBERED_IDLE_S = 0.5, 5.0
"""How long the backlog is remembered; the longer time applies when no question waits and there are places for all
questions admitted since."""
_SHORTEST_S, _LONGEST_S = 1, 300
# Used while the speed of reading documents is unknown.
_UNKNOWN_S = 15
# A caller that retries after the given time finds this share of the limit free, not one place that many callers compete
# for.
_ROOM = 0.1
# The shares of a question's deadline that may pass with waiting, and with waiting and working: a question that starts
# in time should end in time even when everything slows down.
_WAITING, _WAITING_AND_WORKING = 0.5, 0.8


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The backlog at a moment (monotonic seconds), and the questions that this process has admitted since, by tenant
    and by whether a person asked."""

    at: float
    backlog: Backlog
    passed: Counter[tuple[int, bool]] = field(default_factory=Counter[tuple[int, bool]])
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def pace(self) -> Pace:
        return self.backlog.pace

    @property
    def good_until(self) -> float:
        with self.lock:
            passed = self.passed.total()
        is_idle = not self.backlog.lines and passed < self.pace.free
        return self.at + (REMEMBERED_IDLE_S if is_idle else REMEMBERED_S)

    @property
    def lines(self) -> dict[int, TenantBacklog]:
        lines = dict(self.backlog.lines)
        with self.lock:
            passed = tuple(self.passed.items())
        for (tenant_id, is_person), more in passed:
            line = lines.get(tenant_id, TenantBacklog())
            lines[tenant_id] = line._replace(asked=line.asked + more, people=line.people + is_person * more)
        return lines

    def count_passed(self, is_person: bool) -> None:
        with self.lock:
            self.passed[current_tenant(), is_person] += 1


class _Memory:
    """The backlog as this process last saw it; one thread refreshes it while the others use the known one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: _Snapshot | None = None

    def current(self, limits: AdmissionSettings) -> _Snapshot:
        snapshot = self._snapshot
        if snapshot is not None and (time.monotonic() < snapshot.good_until or self._lock.locked()):
            return snapshot
        with self._lock:
            if self._snapshot is None or self._snapshot is snapshot:
                began, most = time.monotonic(), limits.max_queued_per_tenant
                with system_transaction() as session:
                    backlog = rows.measure(session, per_process=limits.in_flight_per_process, most=most)
                self._snapshot = _Snapshot(began, backlog)
            return self._snapshot

    def reset(self) -> None:
        self._snapshot = None


_memory = _Memory()


def reset() -> None:
    _memory.reset()


def check_questions(
    repeated_key: str | None = None, *, priority: Priority | None = None, deadline_s: float | None = None
) -> None:
    """Raise BacklogFull or Overloaded when a question of the current tenant could not be answered within `deadline_s`,
    by default the configured deadline.

    A repetition of an accepted request, known by its Idempotency-Key, costs nothing and passes.
    """
    limits = current_settings().admission
    snapshot = _memory.current(limits)
    lines = snapshot.lines
    is_person = _is_person(priority, lines)
    own, total = lines.get(current_tenant(), TenantBacklog()).asked, sum(line.asked for line in lines.values())
    refused = _refused_as_full(lines, snapshot.pace.per_second, own, total, limits, "questions")
    if refused is None:
        asked = _Question(is_person, current_settings().budget.deadline_s if deadline_s is None else deadline_s)
        refused = _refused_as_late(asked, lines, snapshot.pace, limits)
    _raise_unless_known(refused, repeated_key)
    snapshot.count_passed(is_person)


def check_batches(repeated_key: str | None = None) -> None:
    """Raise BacklogFull or Overloaded when too many verifications of files already wait; a file may itself wait long.

    A file is accepted or refused as a whole, and a repetition passes as in `check_questions`.
    """
    limits = settings().admission
    snapshot = _memory.current(limits)
    lines = snapshot.lines
    own = lines.get(current_tenant(), TenantBacklog()).items
    # A tenant counts with at most its own limit, so one long file does not keep others from sending theirs.
    total = sum(line.items for line in lines.values())
    refused = _refused_as_full(lines, snapshot.pace.per_second, own, total, limits, "verifications in batches")
    _raise_unless_known(refused, repeated_key)


def check_documents() -> None:
    """Raise BacklogFull or Overloaded when too many documents wait to be read; one tenant may have half of them."""
    most = settings().admission.max_documents_queued
    with system_transaction() as session:
        waiting = rows.measure_documents(session, current_tenant(), most)
    per_second = waiting.ready_per_minute / 60
    if waiting.own > most // 2:
        retry_after = _retry_after(_ROOM * most / 2, per_second)
        raise BacklogFull(
            f"More than {most // 2:,} of your documents wait to be read.{_retry_advice(retry_after)}", retry_after
        )
    if waiting.all > most:
        retry_after = _retry_after(_ROOM * most, per_second)
        raise Overloaded(f"More than {most:,} documents wait to be read.{_retry_advice(retry_after)}", retry_after)


class _Question(NamedTuple):
    """The properties of a question that decide whether it can be answered in time."""

    is_person: bool
    deadline_s: float


def _is_person(priority: Priority | None, lines: Mapping[int, TenantBacklog]) -> bool:
    """Return whether a person asks. The key is looked up only when the question is stored (services.core.call_ledger);
    a guess is enough here."""
    return (
        lines.get(current_tenant(), TenantBacklog()).asked < FEW
        if priority is None
        else priority is Priority.INTERACTIVE
    )


def _refused_as_late(
    asked: _Question, lines: Mapping[int, TenantBacklog], pace: Pace, limits: AdmissionSettings
) -> Overload | None:
    wait_s = max(0.0, _ahead(asked.is_person, lines, pace) - pace.free) / pace.per_second
    may_wait_s = min(
        limits.max_wait_s,
        _WAITING * asked.deadline_s,
        max(0.0, _WAITING_AND_WORKING * asked.deadline_s - pace.typical_s),
    )
    if wait_s <= may_wait_s:
        return None
    retry_after = _clamped(wait_s - (1 - _ROOM) * may_wait_s)
    why = f"The question would wait for about {math.ceil(wait_s)} seconds, and may for {int(may_wait_s)}"
    return Overloaded(f"{why}.{_retry_advice(retry_after)}", retry_after)


def _refused_as_full(
    lines: Mapping[int, TenantBacklog], per_second: float, own: int, total: int, limits: AdmissionSettings, what: str
) -> Overload | None:
    if own > (most := limits.max_queued_per_tenant):
        share = lines[current_tenant()].weight / sum(line.weight for line in lines.values())
        retry_after = _retry_after(_ROOM * most, per_second * share)
        return BacklogFull(f"More than {most:,} of your {what} wait already.{_retry_advice(retry_after)}", retry_after)
    if total > (most := limits.max_queued):
        retry_after = _retry_after(_ROOM * most, per_second)
        return Overloaded(f"More than {most:,} {what} wait already.{_retry_advice(retry_after)}", retry_after)
    return None


def _ahead(is_person: bool, lines: Mapping[int, TenantBacklog], pace: Pace) -> float:
    """Return the number of questions that must start or end before the tenant's next one; of other tenants' questions
    only as many as their weight lets pass."""
    own = lines.get(current_tenant(), TenantBacklog())
    before = own.people if is_person else own.asked + pace.too_many
    turns = (before + 1) / own.weight
    others = [line for tenant_id, line in lines.items() if tenant_id != current_tenant()]
    return before + sum(min(line.asked, turns * line.weight) for line in others)


def _raise_unless_known(refused: Overload | None, repeated_key: str | None) -> None:
    if refused is None:
        return
    if repeated_key is not None:
        with reading() as session:
            if rows.is_known(session, repeated_key):
                return
    raise refused


def _retry_after(count: float, per_second: float) -> int:
    return _clamped(count / per_second) if per_second else _UNKNOWN_S


def _clamped(seconds: float) -> int:
    return math.ceil(min(max(seconds, _SHORTEST_S), _LONGEST_S))


def _retry_advice(seconds: int) -> str:
    return f" Nothing was stored; try again in {seconds} seconds."
