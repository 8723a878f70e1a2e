"""Turns: a long document lets shorter ones of any tenant go first, so that none of them waits for all of it.

While a child process reads the long document, and between any two batches of its passages, the worker ingests shorter
ones that wait. After a turn the document goes back to the queue if others go before it there, and continues later from
its stored passages.
"""

import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from citewell_verify.errors import CitewellError
from db.queries.admission.documents import find_shorter, goes_before
from db.session import acting_for, system_transaction

log = structlog.get_logger()

TURN_S, LONGEST_S = 60.0, 300.0
"""The length of a turn, after which the worker looks for other documents, and the longest length of a turn."""
_NEARLY_S = 420.0
"""The time after which a document goes back whether others wait or not: its task is ended after 500 s."""
_READINGS = 5
"""A turn lasts at least this many times as long as reading the document, which the next turn has to repeat."""
SHORT_BYTES, _MOST_BYTES = 20_000, 2_000_000
"""A document with fewer bytes than the first number lets none go first; none with more than the second goes first."""
_PASSAGE_BYTES = 700
_NESTED = 3
_SHARE, _AHEAD_S = 4.0, 20.0
"""The time for others: at most this many times as long as this document has had, and this many seconds more."""
_LOOK_EVERY_S = 0.2

T = TypeVar("T")


@dataclass(eq=False)
class Turn:
    """The turn of one document in this process. `bytes_left` is about how much of the document is left; `most_bytes` is
    how much may be left of a document that goes before another one.

    `ingest_shorter` ingests a document in a turn of its own; False when there was nothing to do.
    """

    document_id: uuid.UUID
    bytes_left: int
    ingest_shorter: Callable[[uuid.UUID, "Turn"], bool]
    before: "Turn | None" = None
    most_bytes: int | None = None
    given_s: float = 0.0
    """The time in which shorter documents were ingested meanwhile."""
    _began: float = field(default_factory=time.monotonic)
    _turn_s: float = TURN_S
    _read_at: float | None = None
    _given_while_reading_s: float = 0.0
    _tried: set[uuid.UUID] = field(default_factory=set[uuid.UUID])

    @property
    def _had_s(self) -> float:
        return time.monotonic() - self._began

    @property
    def _stored_for_s(self) -> float:
        """Return for how long the document itself has been embedded and stored, since it was read."""
        since = self._began if self._read_at is None else self._read_at
        return time.monotonic() - since - (self.given_s - self._given_while_reading_s)

    @property
    def _depth(self) -> int:
        return 0 if self.before is None else self.before._depth + 1

    @property
    def _task_had_s(self) -> float:
        return self._had_s if self.before is None else self.before._task_had_s

    def beside(self, work: Callable[[], T]) -> T:
        """Do this work in a thread, and ingest shorter documents meanwhile."""
        if self.bytes_left < SHORT_BYTES:
            return work()
        pool = ThreadPoolExecutor(1, thread_name_prefix="reading")
        try:
            began = time.monotonic()
            done: Future[T] = pool.submit(copy_context().run, work)
            ended: list[float] = []
            done.add_done_callback(lambda _: ended.append(time.monotonic()))
            while wait([done], _LOOK_EVERY_S).not_done:
                self.give_way()
            # Shorter documents are ingested beside the reading, so they take nothing away from its time.
            self._turn_s = max(TURN_S, min(_READINGS * (ended[0] - began if ended else 0.0), LONGEST_S))
            self._read_at, self._given_while_reading_s = time.monotonic(), self.given_s
            return done.result()
        finally:
            # The time limit of the task may have ended the wait.
            pool.shutdown(wait=False, cancel_futures=True)

    def note_left(self, passages: int) -> None:
        self.bytes_left = passages * _PASSAGE_BYTES

    @property
    def is_too_long(self) -> bool:
        """Return whether this document, which goes before another one, turned out to be too long for that."""
        return self.most_bytes is not None and self.bytes_left > self.most_bytes

    def is_over(self) -> bool:
        """Return whether the document should go back to the queue now."""
        if self._task_had_s > _NEARLY_S:
            return True
        if self._stored_for_s < self._turn_s or self.bytes_left < SHORT_BYTES:
            return False
        with system_transaction() as session:
            return goes_before(session, self.document_id)

    def give_way(self) -> None:
        """Ingest the shorter documents that wait, in turn of their tenants, as long as this document makes progress as
        well."""
        while self._may_give_way() and self._ingest_next():
            pass

    def _may_give_way(self) -> bool:
        given_s, had_s = self.given_s, self._had_s
        return (
            self.bytes_left >= SHORT_BYTES
            and self._depth < _NESTED
            and self._task_had_s < LONGEST_S
            and given_s < _AHEAD_S + _SHARE * (had_s - given_s)
        )

    def _ingest_next(self) -> bool:
        most = min(self.bytes_left // 2, _MOST_BYTES)
        with system_transaction() as session:
            waiting = find_shorter(session, most, self._tried)
        if waiting is None:
            return False
        document_id, tenant_id, bytes_left = waiting
        # Once in a turn: a document that was handed back, such as a scan whose pages have to be recognised, waits for
        # its own turn.
        self._tried.add(document_id)
        began = time.monotonic()
        turn = Turn(document_id, bytes_left, self.ingest_shorter, before=self, most_bytes=most)
        try:
            with acting_for(tenant_id), structlog.contextvars.bound_contextvars(document_id=str(document_id)):
                return self.ingest_shorter(document_id, turn)
        except CitewellError as error:
            # The shorter document may wait for something else than this one; its message or its admission tries it
            # again.
            log.info("shorter_document_waits", error=error.code)
            return True
        finally:
            self.given_s += time.monotonic() - began
