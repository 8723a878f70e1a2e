"""A step adds to the chord of its own message while it works; whoever has lost its claim adds nothing (N1, A5)."""

import threading
import uuid
from typing import Any

import pytest
from celery import Signature
from celery.app.task import Context
from celery.exceptions import Ignore
from kombu.exceptions import OperationalError

from db.models import DEFAULT_TENANT
from db.queries.runs import events, steps
from db.session import acting_for, reading, transaction
from domain.query.outcomes import Closed
from services.core.context import StepContext, StepResult
from tests.workers.executing import execute_step
from tests.workers.probes import probe
from workers.celery_app import app
from workers.execution.work import Message, Step
from workers.pipeline import Run

BATCH = Closed(sentences=[])
DRAFT = ("draft", {"start": 0, "text": "Fees apply."})


@pytest.fixture
def chord(broker: Any, run: Run) -> Message:
    """That of a message which a worker has taken."""
    assert broker is not None
    task: Any = app.tasks["query.probe"]
    group = f"group-{run.query_id}"
    context = Context(id="task", args=[*run], group=group, group_index=0, chord=probe(run, [""], "after"))
    return Message(task, context)


def step_of(body: Any) -> Step:
    return Step(
        "generate",
        "generating",
        body,
        adds=lambda run, _: [probe(run, ["rest"])],
        spreads=lambda run, item: probe(run, [item]),
    )


def waited_for(broker: Any, run: Run) -> int:
    """How many more members the chord's body waits for."""
    return int(broker.get(f"celery-taskset-meta-group-{run.query_id}.t") or 0)


def stored(run: Run) -> dict[tuple[str, str], dict[str, Any]]:
    with reading() as session:
        return steps.list_outcomes(session, uuid.UUID(run.query_id)).get(0, {})


def told(run: Run) -> list[str]:
    with reading() as session:
        return [event.type for event in events.list_events(session, uuid.UUID(run.query_id))]


def test_a_step_hands_on_while_it_works_and_adds_the_rest_when_it_is_done(
    broker: Any, run: Run, chord: Message
) -> None:  # N1
    spread: list[bool] = []

    def body(context: StepContext) -> StepResult:
        def streaming() -> None:
            with acting_for(DEFAULT_TENANT):
                spread.append(context.dispatch([DRAFT], "b1", BATCH))
                # What is in somebody's hands is not handed on again; what is told is told.
                spread.append(context.dispatch([DRAFT], "b1", BATCH))

        thread = threading.Thread(target=streaming)
        thread.start()
        thread.join()
        assert (broker.llen("verification"), waited_for(broker, run)) == (1, 1)
        return StepResult.single({"status": "complete"})

    execute_step(step_of(body), run, message=chord)
    assert spread == [True, False]
    assert (broker.llen("verification"), waited_for(broker, run)) == (2, 2)
    assert stored(run) == {("sentences", "b1"): BATCH, ("generate", ""): {"status": "complete"}}
    assert told(run).count("draft") == 2
    # A message that comes again finds it done, and its chord waits for nobody else.
    execute_step(step_of(body), run, message=chord)
    assert waited_for(broker, run) == 2


def test_whoever_has_lost_the_claim_hands_nothing_on(broker: Any, run: Run, chord: Message) -> None:  # A5
    def body(context: StepContext) -> StepResult:
        with transaction() as session:
            steps.claim_items(session, run.query_id, 0, "generate", [""], worker="other", lease_s=10, launch=2)
        assert context.dispatch([DRAFT], "b1", BATCH) is False
        return StepResult({})

    with pytest.raises(Ignore):
        execute_step(step_of(body), run, message=chord)
    assert (broker.llen("verification"), waited_for(broker, run)) == (0, 0)
    assert stored(run) == {}
    assert "draft" not in told(run)


def test_a_broker_that_is_away_costs_the_head_start_and_nothing_else(
    run: Run, chord: Message, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    def away(*_: object, **__: object) -> Signature[Any]:
        raise OperationalError("away")

    monkeypatch.setattr(Signature, "apply_async", away)

    def body(context: StepContext) -> StepResult:
        assert context.dispatch([DRAFT], "b1", BATCH) is False
        return StepResult.single({"status": "complete"})

    execute_step(step_of(body), run, message=chord)
    assert stored(run)["generate", ""] == {"status": "complete"}


def test_a_message_of_no_chord_adds_nothing(broker: Any, run: Run) -> None:  # N2
    def body(context: StepContext) -> StepResult:
        assert context.dispatch([DRAFT], "b1", BATCH) is False
        return StepResult.single({"status": "complete"})

    execute_step(step_of(body), run)
    assert broker.llen("verification") == 0
