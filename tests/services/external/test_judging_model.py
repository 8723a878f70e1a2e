"""The model of a verification, or of its workspace, is the one that judges (N2, S2.5)."""

from time import monotonic
from typing import Any

import pytest

from db.queries.access.workspaces import add_workspace
from db.queries.runs.queries import mark_launched
from db.session import transaction
from domain.query.options import WorkspaceModels, WorkspaceSettings
from tests.clients.groq_stage import GroqStage
from tests.services.audited_story import NoModels
from tests.services.given_story import GivenStory
from tests.services.story import Play
from workers.execution.step_run import terms_of

pytestmark = pytest.mark.usefixtures("database", "groq_configured")

BIG, SMALL = "openai/gpt-oss-120b", "openai/gpt-oss-20b"
POLICY = "All returns must be made within 30 days of the purchase date."


@pytest.mark.parametrize(
    ("fast", "model", "judges"), [(None, None, SMALL), (None, BIG, BIG), (BIG, None, BIG), (BIG, SMALL, SMALL)]
)
def test_the_request_beats_the_workspace_and_that_the_configuration(
    stage: GroqStage, groq: Play, fast: str | None, model: str | None, judges: str
) -> None:
    stored = WorkspaceSettings(models=WorkspaceModels(fast=fast)).model_dump(mode="json")
    asked: dict[str, Any] = {"workspace": "w", "model": model}
    with transaction() as session:
        assert add_workspace(session, "w", settings=stored)
    story = GivenStory("Returns must be made within 30 days [1].", POLICY, play=groq, **asked)
    with transaction() as session:
        mark_launched(session, story.query_id, 0)
    story.log.terms = terms_of(story.context(NoModels(), ()), monotonic())
    assert [sentence["status"] for sentence in story.verified()["sentences"]] == ["supported"]
    assert {entry.model for entry in stage.sim.ledger.entries} == {judges}
