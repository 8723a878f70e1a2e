"""One trial: queries and documents under a fault, and the moments at which it struck."""

import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, field

import psycopg

from tests.faults.failpoints import Order, Point
from tests.faults.load import Load
from tests.faults.rig import WORKSPACE, Rig


@dataclass(frozen=True, slots=True)
class Moment:
    """When something was broken, in Unix seconds; it concerns the row `subject`, or everything that was unfinished."""

    at: float
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a fault may lead to without being a fault of the program."""

    failed: bool = False
    """Queries may end as failed, with a reason."""
    degraded: bool = False
    """Sentences may stay unchecked, and calls may be made again."""
    extra: int = 0
    """Model calls beside those whose replies were lost with a process."""
    stored_within_s: float = 20.0
    """A reply that had left the provider for longer when a process was hit must be in the books."""
    resent: bool = False
    """Receivers refuse, so that messages come more than once."""


@dataclass
class Window:
    """The part of the provider's ledger that belongs to trials which run at the same time."""

    start: int
    end: int = 0
    queries: int = 0


@dataclass
class Trial:
    """`kinds` are the kinds of prompts that are counted here, all of them if None. `struck` says how many questions
    were under way at each strike that is to hit work."""

    name: str
    rig: Rig
    window: Window
    allowed: Allowed = Allowed()
    kinds: frozenset[str] | None = None
    moments: list[Moment] = field(default_factory=list[Moment])
    documents: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])
    struck: list[int] = field(default_factory=list[int])
    load: Load = field(init=False)
    armed: set[str] = field(default_factory=set[str])
    began: float = field(default_factory=time.time)

    def __post_init__(self) -> None:
        self.load = Load(self.rig)

    def strike(self, at: float | None = None) -> None:
        """Note that everything was hit, now or then."""
        self.moments.append(Moment(time.time() if at is None else at))

    def strike_work(self, least: int, within_s: float = 30) -> None:
        """Note that everything is hit, as soon as workers are at work on `least` questions. It is a problem if they are
        not within so many seconds: a fault that hits little proves little."""
        under_way = 0

        def has_enough() -> bool:
            nonlocal under_way
            with suppress(psycopg.OperationalError):
                under_way = self.rig.books.under_way(self.load.ids)
            return under_way >= least

        if not self.rig.pump(has_enough, within_s):
            self.problems.append(f"only {under_way} questions were under way when it struck, {least} are wanted")
        self.struck.append(under_way)
        self.strike()

    def arm(self, point: Point, name: str, order: Order | None = None) -> None:
        """Arm a failpoint of this trial."""
        self.armed.add(f"{point}@{name}")
        self.rig.points.arm(point, name, order)

    def note_fired(self) -> None:
        """Make moments of the failpoints of this trial that fired."""
        for fired in self.rig.points.fired():
            moment = Moment(fired.at, fired.subject)
            if fired.at >= self.began and f"{fired.point}@{fired.name}" in self.armed and moment not in self.moments:
                self.moments.append(moment)

    def add_document(self, number: int) -> str:
        """Have a document ingested that is long enough for several batches of vectors.

        Its text is that of no other trial: a text that is known already is not ingested again.
        """
        articles = (f"Article {number}.{part}. The fee of part {part} is {part + 3} euros." for part in range(400))
        text = "\n\n".join([f"Fees of {uuid.uuid4()}", *articles])
        body = {"filename": f"fees-{number}.md", "text": text, "workspace": f"{WORKSPACE}-fees"}
        found = self.rig.stack.http.post("/v1/documents", json=body).raise_for_status().json()["id"]
        self.documents.append(found)
        return found

    def is_over(self) -> bool:
        """Whether everything that was accepted has ended."""
        books = self.rig.books
        try:
            unfinished = books.unfinished(self.load.ids) if self.load.ids else 0
            documents = books.documents(self.documents) if self.documents else {}
        except psycopg.OperationalError:
            return False
        return not unfinished and all(row["status"] in {"ready", "failed"} for row in documents.values())
