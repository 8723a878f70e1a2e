"""The turns of a research as messages: each launches the next, and a redelivered one repeats nothing (A5, S3.6)."""

import base64
import json
import uuid
from contextlib import suppress
from typing import Any, NamedTuple

import pytest
from celery.exceptions import Ignore

from db.models import DEFAULT_TENANT, QueryStatus
from db.queries.runs import model_calls, queries, steps
from db.session import reading, transaction
from services.finishing.completion import finish
from tests.factories import make_chunk, make_document, make_options, make_query
from workers.starting.launch import launch_waiting, relaunch_query
from workers.tasks.questions import decide_search_task, retrieve_task, search_task

TASKS = {task.name: task for task in (decide_search_task, search_task, retrieve_task)}
QUEUES = ("verification", "retrieval", "reranking", "generation", "citations")
QUESTION = "How long is the warranty and who repairs broken lamps?"


class Message(NamedTuple):
    """The arguments of a step; the last of them are its items."""

    task: str
    args: list[Any]

    @property
    def short(self) -> str:
        return " ".join([self.task.removeprefix("query."), *(self.args[4] if len(self.args) > 4 else [])])


@pytest.fixture
def query_id(broker: Any) -> uuid.UUID:
    assert broker
    options = make_options(run="agentic", max_crag_attempts=0).model_dump(mode="json")
    with transaction() as session:
        query = make_query(session, question=QUESTION, options=options)
        for text in ("The warranty is 24 months.", "Broken lamps are repaired by the maker."):
            document = make_document(session, text, number=len(text), filename=f"{len(text)}.txt")
            make_chunk(session, document, 0, len(text))
        return query.id


def waiting(broker: Any) -> list[Message]:
    """Take all messages from the queues."""
    found: list[Message] = []
    for queue in QUEUES:
        while raw := broker.rpop(queue):
            sent = json.loads(raw)
            args = json.loads(base64.b64decode(sent["body"]))[0]
            found.append(Message(sent["headers"]["task"], args))
    return found


def work_on(message: Message) -> None:
    """Process it as a worker does."""
    with suppress(Ignore):
        TASKS[message.task](*message.args)


def after(broker: Any, *messages: Message) -> list[Message]:
    """The messages published while these are processed."""
    for message in messages:
        work_on(message)
    return waiting(broker)


def counted(query_id: uuid.UUID, step: str) -> int:
    """The number of model calls in a step."""
    with reading() as session:
        return sum(call.step == step for call in model_calls.list_model_calls(session, query_id))


def test_every_turn_launches_the_next(query_id: uuid.UUID, broker: Any) -> None:  # A2, S3.6
    assert launch_waiting() == 1
    seen: list[str] = []
    messages = waiting(broker)
    while messages and messages[0].task != "query.score_chunks":
        (message,) = messages
        seen.append(message.short)
        messages = after(broker, message)
    assert seen == ["decide_search 1", "search 1", "decide_search 2", "retrieve"]
    assert len(messages[0].args[4]) == 2  # both chunks, each once


def test_a_turn_that_is_delivered_again_buys_nothing(query_id: uuid.UUID, broker: Any) -> None:  # A5, S3.6
    assert launch_waiting() == 1
    (first,) = waiting(broker)
    assert [each.short for each in after(broker, first, first)] == ["search 1", "search 1"]
    (second,) = after(broker, Message("query.search", [*first.args[:4], ["1"]]))
    assert second.short == "decide_search 2"
    # It goes on where the turns are now.
    assert [each.short for each in after(broker, first)] == ["decide_search 2"]
    assert counted(query_id, "decide_search") == 1


def test_a_start_after_a_crash_goes_on_where_the_turns_ended(query_id: uuid.UUID, broker: Any) -> None:  # A5, S3.6
    assert launch_waiting() == 1
    (first,) = waiting(broker)
    (search,) = after(broker, first)
    (lost,) = after(broker, search)
    relaunch_query(query_id, 1)
    (again,) = waiting(broker)
    assert again.short == "decide_search 1"
    assert [each.short for each in after(broker, again)] == ["decide_search 2"]
    assert after(broker, lost) == []  # a message of the older launch
    assert counted(query_id, "decide_search") == 1


def test_a_cancelled_research_goes_no_further(query_id: uuid.UUID, broker: Any) -> None:  # A3, S3.6
    assert launch_waiting() == 1
    (first,) = waiting(broker)
    (search,) = after(broker, first)
    with transaction() as session:
        finish(session, query_id, QueryStatus.CANCELLED)
    assert after(broker, search) == []


def test_a_research_of_another_tenant_is_not_found(query_id: uuid.UUID, broker: Any) -> None:  # A8
    assert launch_waiting() == 1
    (first,) = waiting(broker)
    assert first.args[3] == DEFAULT_TENANT
    assert after(broker, Message(first.task, [*first.args[:3], DEFAULT_TENANT + 1, ["1"]])) == []
    with reading() as session:
        assert steps.list_outcomes(session, query_id) == {}
        assert queries.get_query(session, query_id).stage == "queued"
