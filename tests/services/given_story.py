"""A verification of a given answer whose steps are run one by one, from what its request left to the result."""

from typing import Any

from clients.llm.protocol import CallLog
from config.settings import settings
from db.models import QueryKind
from db.queries import queries, steps
from db.session import reading, transaction
from domain.options import QueryOptions
from services.given import NewSource, NewVerification, submit_verification
from services.given_results import read_verification
from services.step import Outcome
from tests.services.story import Body, Play, Story, with_offline


class GivenStory(Story):
    """`sources` are texts or whole sources; `asked` the other fields of the request."""

    kind = QueryKind.VERIFICATION

    def __init__(self, answer: str, *sources: str | NewSource, play: Play = with_offline, **asked: Any) -> None:
        given = [NewSource(text=source) if isinstance(source, str) else source for source in sources]
        self.query_id = submit_verification(NewVerification(answer, given, **asked), settings()).query_id
        with transaction() as session:
            queries.mark_launched(session, self.query_id, 0)
        with reading() as session:
            query = queries.get_query(session, self.query_id)
            self.rounds = steps.list_outcomes(session, self.query_id)
        self.question, self.mode, self.workspace_id = query.question, query.mode, query.workspace_id
        self.options = QueryOptions(**query.options)
        self.play, self.log, self.round = play, CallLog(), 0

    def run(self, step: str, body: Body, *items: str) -> Outcome:
        """Run what is left to do of a step."""
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
