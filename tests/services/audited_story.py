"""Stories whose model calls are stored as workers store them: the contents of an audit (N6)."""

from typing import Any

from clients.llm.gateway import ModelGateway
from clients.llm.offline import OfflineModel
from config.models import ModelSettings
from config.settings import settings
from db.queries.runs.model_calls import add_model_calls
from db.queries.runs.queries import get_query
from db.session import transaction
from services.core.call_ledger import model_call_rows
from services.core.context import Outcome
from tests.services.given_story import GivenStory
from tests.services.story import Body, Story


def _stored(story: Story, step: str, before: int) -> None:
    context = story.context(NoModels(), ())
    calls = model_call_rows(story.log.records[before:], context, step, settings().models.catalogue)
    with transaction() as session:
        add_model_calls(session, calls)


class NoModels(ModelGateway):
    """The gateway of a context without model calls."""

    def __init__(self) -> None:
        super().__init__(OfflineModel(None), ModelSettings())


class AuditedStory(Story):
    """A question to a model, with stored calls."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        with transaction() as session:
            get_query(session, self.query_id).provider = "groq"

    def run(self, step: str, body: Body, *items: str) -> Outcome:
        before = len(self.log.records)
        outcome = super().run(step, body, *items)
        _stored(self, step, before)
        return outcome


class AuditedGivenStory(GivenStory):
    """An external answer to a model, with stored calls."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        with transaction() as session:
            get_query(session, self.query_id).provider = "groq"

    def run(self, step: str, body: Body, *items: str) -> Outcome:
        before = len(self.log.records)
        outcome = super().run(step, body, *items)
        _stored(self, step, before)
        return outcome
