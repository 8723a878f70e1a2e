"""A document deleted while a question is answered from it: the question ends with the reason."""

from typing import Any

import pytest
from celery import Task

from db.models import DEFAULT_TENANT, QueryStatus
from services.core.context import StepResult
from services.queries.results import read_query
from tests.services.story import Story
from workers.tasks.questions import conclude_task, generate_task, publish_task

pytestmark = pytest.mark.usefixtures("database")


def work(story: Story, *tasks: Task[Any, Any]) -> None:
    """Execute steps as a worker does."""
    for task in tasks:
        task.apply(args=(str(story.query_id), 1, 0, DEFAULT_TENANT), throw=True)


def test_a_source_that_is_deleted_before_the_answer_is_written_ends_the_query() -> None:  # N3
    story = Story()
    key = story.add("a.md", "Returns are accepted within 30 days of the purchase date.")
    selected = {"status": "selected", "selected": [key], "ranked": [key], "sources": [], "issues": []}
    story.run("select", lambda _: StepResult.single(selected))
    story.delete_document(key)
    work(story, generate_task, conclude_task, publish_task)
    query = read_query(story.query_id)
    assert (query["status"], query["answer"]) == (QueryStatus.FAILED, None)
    assert query["error"]["message"] == "A document that the answer was written from was deleted meanwhile; ask again."
