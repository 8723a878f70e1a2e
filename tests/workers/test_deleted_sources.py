"""A document that is deleted while a question is being answered from it: the question ends, and says why."""

from typing import Any

import pytest

from db.models import QueryStatus
from services.results import read_query
from services.step import StepResult
from tests.services.story import Story
from workers.celery_app import app

pytestmark = pytest.mark.usefixtures("database")


def work(story: Story, *steps: str) -> None:
    """Execute steps as a worker does."""
    for step in steps:
        task: Any = app.tasks[f"query.{step}"]
        task.apply(args=(str(story.query_id), 1, 0), throw=True)


def test_a_source_that_is_deleted_before_the_answer_is_written_ends_the_query() -> None:  # N3
    story = Story()
    key = story.add("a.md", "Returns are accepted within 30 days of the purchase date.")
    selected = {"status": "selected", "selected": [key], "ranked": [key], "sources": [], "issues": []}
    story.run("select", lambda _: StepResult.single(selected))
    story.delete_document(key)
    work(story, "generate", "conclude", "publish")
    query = read_query(story.query_id)
    assert (query["status"], query["answer"]) == (QueryStatus.FAILED, None)
    assert query["error"]["message"] == "A document that the answer was written from was deleted meanwhile; ask again."
