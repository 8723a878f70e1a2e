"""A verification of a given answer whose steps are run one by one, from the outcomes of its request to the result."""

import uuid
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

from sqlalchemy import select

from citewell_verify.embeddings.wheel import default_embedder
from clients.llm.protocol import CallLog
from config.settings import settings
from db.models import DEFAULT_TENANT, Query, QueryKind, QueryStatus
from db.queries.runs import queries, steps
from db.session import acting_for, reading, transaction
from domain.query.options import QueryOptions
from services.core.context import Outcome
from services.external.acceptance import submit_verification
from services.external.request import NewSource, NewVerification
from services.external.verification_results import read_verification
from tests.services.story import Body, Play, Story, with_offline
from tests.waiting import repeating
from workers.starting.launch import launch_waiting


class GivenStory(Story):
    """`sources` are texts or whole sources; `asked` the other fields of the request."""

    kind = QueryKind.VERIFICATION

    def __init__(self, answer: str, *sources: str | NewSource, play: Play = with_offline, **asked: Any) -> None:
        given = [NewSource(text=source) if isinstance(source, str) else source for source in sources]
        query_id = submit_verification(NewVerification(answer, given, **asked), settings()).query_id
        with transaction() as session:
            queries.mark_launched(session, query_id, 0)
        self._begin(query_id, play)

    @classmethod
    def of(cls, query_id: uuid.UUID, play: Play) -> "GivenStory":
        """The story of a verification that is already stored."""
        story = cls.__new__(cls)
        story._begin(query_id, play)
        return story

    def _begin(self, query_id: uuid.UUID, play: Play) -> None:
        self.query_id = query_id
        with reading() as session:
            query = queries.get_query(session, self.query_id)
            self.rounds = steps.list_outcomes(session, self.query_id)
        self.question, self.mode, self.workspace_id = query.question, query.mode, query.workspace_id
        self.options = QueryOptions(**query.options)
        self.play, self.log, self.round, self.reranker = play, CallLog(), 0, None
        self.embedder = default_embedder()

    def run(self, step: str, body: Body, *items: str) -> Outcome:
        """Run the unfinished items of a step."""
        names = items or ("",)
        todo = [name for name in names if (step, name) not in self.rounds[0]]
        if not todo:
            return self.outcome(step, names[0])
        return super().run(step, body, *todo)

    def conclude(self) -> dict[str, Any]:
        """Conclude and publish; return the verification."""
        self.finish()
        return read_verification(self.query_id)

    def verified(self) -> dict[str, Any]:
        """Do everything that the pipeline does."""
        return self.check().repair().conclude()


@contextmanager
def verifying(*, admit: bool = True) -> Generator[None]:
    """During the block, process every started verification as workers would; `admit` also starts waiting ones, as a
    launcher does."""
    started = select(Query.id).where(Query.kind == QueryKind.VERIFICATION, Query.status == QueryStatus.RUNNING)

    def work() -> None:
        if admit:
            launch_waiting()
        with acting_for(DEFAULT_TENANT):
            with reading() as session:
                found = list(session.scalars(started))
            for query_id in found:
                GivenStory.of(query_id, partial(with_offline, embeddings=False)).verified()

    with repeating(work):
        yield
