"""Checks made while the answer is still being written count as if they had been made afterwards (N1, N4)."""

import asyncio
import inspect
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from clients.llm.gateway import ModelGateway
from db.queries.runs.events import EventData
from domain.answers.drafts import ClosingSentences, batch_item, batch_keys
from domain.query.outcomes import Closed
from services.core.context import Outcome, StepContext, StepResult
from services.correction.conclusion import conclude
from services.correction.rounds import assess
from services.generation.answer import StreamedDraft, publishing_draft
from services.verification.round_results import collect_findings, states_so_far, unchecked_items, undispatched_items
from services.verification.streamed_checks import check_early
from tests.services.story import Body, Story, answerable, no, yes
from workers import pipeline
from workers.pipeline import Run
from workers.tasks.questions import plan_checks

pytestmark = pytest.mark.usefixtures("database")

TEXT = "Returns are accepted within 30 days. Refunds take 10 business days. A receipt is required for every return."
DRAFT = (
    "Returns are accepted within 30 days [†1]. Refunds take 45 business days [†1]. "
    "A receipt is required for every return. Returns are accepted within 30 days [†1]."
)
RUN = Run("q1", 1, 0, 7)
WHOLE = ("check_alignment", "check_coverage", "check_answerability")


def written(draft: str = DRAFT, **fields: Any) -> Story:
    story = Story()
    story.selected(story.add("a.md", TEXT))
    return story.set("generate", {"status": "complete", "text": draft, "model": "m", **fields})


def dispatched(story: Story, text: str, most: int = 4) -> list[str]:
    """The sentences that close in `text`, as stored for early checks; the items of the batches."""
    closing, items = ClosingSentences(1, most), list[str]()
    for end in range(1, len(text) + 1):
        closing.read(text[:end])
        if (batch := closing.take_batch()) is not None:
            items.append(batch_item(batch))
            story.set("sentences", dict(batch), items[-1])
    return items


def context_of(story: Story) -> StepContext:
    """The context that steps get."""
    contexts: list[StepContext] = []

    def keep(context: StepContext) -> StepResult:
        contexts.append(context)
        return StepResult.single({"status": "done"})

    story.run(f"look{len(story.log.records)}{len(story.rounds[0])}", keep)
    return contexts[0]


def events_of(story: Story, body: Body, *items: str) -> list[tuple[str, dict[str, Any]]]:
    """The events that a step would publish now."""

    async def scenario(gateway: ModelGateway) -> StepResult:
        context = story.context(gateway, items or ("",))
        result = await asyncio.to_thread(body, context)
        return await result if inspect.isawaitable(result) else result

    return list(story.play(scenario).events)


def test_early_verdicts_are_those_of_the_complete_draft() -> None:  # N1, N4
    late, early = written().check(), written()
    items = dispatched(early, DRAFT, most=1)
    assert len(items) == 3
    early.run("check_early", check_early, *items)
    assert unchecked_items(context_of(early)) == []
    after, before = collect_findings(context_of(late)), collect_findings(context_of(early))
    assert (before.verdicts, before.states) == (after.verdicts, after.states)
    assert [state.value for state in before.states.values()] == ["supported", "contradicted", "supported", "supported"]


def test_a_check_of_other_words_does_not_count() -> None:  # N1, N4
    story = written("Returns are accepted within 60 days [†1]. Refunds take 45 business days [†1]. Ask us.")
    items = dispatched(story, DRAFT, most=1)
    story.run("check_early", check_early, *items)
    assert unchecked_items(context_of(story)) == ["s0:c1", "s2:c0"]
    states = collect_findings(context_of(story)).states
    assert [states[index].value for index in (0, 1)] == ["not_checked", "contradicted"]


def test_what_was_handed_out_is_not_asked_twice_but_what_it_lost_is() -> None:  # N1, A5
    story = written()
    items = dispatched(story, DRAFT, most=1)
    story.set("generate", {**story.outcome("generate"), "early": keys(story, items)})
    context = context_of(story)
    assert undispatched_items(context) == []
    assert [str(each) for each in pipeline.remaining_checks(RUN, context)] == ["query.check_answer('q1', 1, 0, 7)"]
    # The message of the second batch was lost: the plan at the end finds it missing.
    story.run("check_early", check_early, items[0], items[2])
    assert unchecked_items(context_of(story)) == ["s1:c1"]
    for check in WHOLE:
        story.set(check, yes())
    assert str(pipeline.after_plan_checks(RUN, context_of(story))).count("check_statements") == 1
    story.run("check_early", check_early, items[1])
    assert str(pipeline.after_plan_checks(RUN, context_of(story))) == "query.assess('q1', 1, 0, 7)"


def keys(story: Story, items: list[str]) -> list[str]:
    return [key for item in items for key in batch_keys(Closed(**story.outcome("sentences", item)))]


@pytest.mark.parametrize("draft", [{"status": "failed"}, {"status": "abstained"}])
def test_a_draft_that_is_none_has_nothing_to_check(draft: Outcome) -> None:  # N1
    story = written()
    story.set("generate", {**story.outcome("generate"), **draft})
    assert pipeline.remaining_checks(RUN, context_of(story)) == []


def test_a_batch_that_broke_is_checked_with_the_rest() -> None:  # N4, A5
    story = written()
    items = dispatched(story, DRAFT, most=1)
    story.set("check_early", {"status": "not_checked", "verdict": None, "reason": "parked"}, items[0])
    assert unchecked_items(context_of(story)) == ["s0:c1", "s1:c1", "s2:c0"]


def test_early_checks_are_stored_as_those_of_the_draft() -> None:  # A4
    story = written()
    items = dispatched(story, DRAFT, most=1)
    story.run("check_early", check_early, *items)
    adopted = plan_checks(context_of(story)).adopted
    early = [check for item in items for check in story.outcome("check_early", item)["checks"].values()]
    assert [adopted["check_statements", item] for item in ("s0:c1", "s1:c1", "s2:c0")] == early


def test_every_sentence_is_told_its_state_once() -> None:  # N1
    story = written()
    items = dispatched(story, DRAFT, most=1)
    told = [event for item in items for event in events_of(story, check_early, item)]
    states = [(type_, data["sentence"], data["status"]) for type_, data in told if type_.startswith("sentence.")]
    assert states == [
        ("sentence.verified", 0, "supported"),
        ("sentence.failed", 1, "contradicted"),
        ("sentence.verified", 2, "supported"),
    ]
    (first, *_) = (data for type_, data in told if type_ == "sentence.verified")
    assert [(each["citation_number"], each["evidence"]) for each in first["citations"]] == [
        (1, "Returns are accepted within 30 days.")
    ]
    assert DRAFT[first["start"] : first["end"]].startswith("Returns are accepted")
    story.run("check_early", check_early, *items)
    late = [(type_, data["sentence"]) for type_, data in events_of(story, assess)]
    # The last one repeats the first, so nothing had been published about it.
    assert late == [("sentence.verified", 3), *(("sentence.checked", index) for index in range(4))]


def test_what_was_told_of_other_words_is_told_anew() -> None:  # N1
    story = written("Returns are accepted within 30 days [†1]. Refunds take 10 business days [†1].")
    story.run("check_early", check_early, *dispatched(story, DRAFT, most=1))
    story.set("check_statements", yes(), "s1:c1")
    late = [(type_, data["sentence"]) for type_, data in events_of(story, assess) if type_ != "sentence.checked"]
    assert late == [("sentence.verified", 1)]


def test_a_sentence_that_stays_without_support_has_a_last_word() -> None:  # N1
    story = written("## Returns\n\nReturns are accepted within 30 days [†1]. Refunds take long [†1].")
    story.set("check_statements", yes(), "s1:c1").set("check_statements", no(confidence=0.4), "s2:c1")
    story.set("check_answerability", answerable(True))
    story.assess()
    told = [(type_, data["sentence"], data["status"]) for type_, data in events_of(story, conclude)]
    assert told == [("sentence.kept", 0, "no_claim"), ("sentence.kept", 2, "unsupported")]


def test_what_was_said_of_words_that_were_taken_back_stops_no_others() -> None:  # N1
    """A broken stream restarts: from then on only the states of newly dispatched sentences count."""
    story, dispatch, seen = written(), list[str](), list[set[str]]()

    def take(_told: object, item: str, _value: object) -> bool:
        dispatch.append(item)
        return True

    async def scenario(gateway: ModelGateway) -> StepResult:
        draft = StreamedDraft(replace(story.context(gateway, ("",)), dispatch=take))
        for text in ("Fees are 9 euros [†1]. Then it brea", "Returns are accepted within 30 days [†1]. Then it goe"):
            draft.write(text)
            await draft.publish(dispatch=True)
            seen.append(set(draft.stoppable))
        return StepResult({})

    story.play(scenario)
    assert seen == [{dispatch[0]}, set(dispatch[1:])]


def test_what_is_being_told_when_the_text_ends_comes_before_the_rest() -> None:  # A3
    """Drafts are published in threads: the last but one must not arrive after the last, which goes with the outcome."""
    story, began, goes_on, told = written(), threading.Event(), threading.Event(), list[str]()

    def publish(events: Sequence[EventData]) -> None:
        began.set()
        assert goes_on.wait(30)
        told.extend(data["text"] for _, data in events)

    async def scenario(gateway: ModelGateway) -> StepResult:
        context = replace(story.context(gateway, ("",)), publish=publish)
        async with publishing_draft(context) as draft:
            draft.write("Returns are")
            await asyncio.to_thread(began.wait, 30)
            draft.write("Returns are accepted.")
            asyncio.get_running_loop().call_later(0.05, goes_on.set)
        assert told == ["Returns are"]
        assert draft.unpublished() == [("draft", {"round": 0, "start": 11, "text": " accepted."})]
        return StepResult({})

    story.play(scenario)


def test_a_writer_that_ends_with_a_word_is_not_waited_for_longer() -> None:  # A3
    """The publisher is cancelled at the very moment when it is woken, again and again."""

    def publish(_: Sequence[EventData]) -> None: ...

    async def scenario(gateway: ModelGateway) -> StepResult:
        context = replace(story.context(gateway, ("",)), publish=publish)
        for _ in range(100):
            async with publishing_draft(context) as draft:
                await asyncio.sleep(0)
                draft.write("Returns are accepted.")
        return StepResult({})

    story = written()
    story.play(scenario)


def test_only_the_batches_that_were_asked_for_are_looked_at() -> None:  # N1
    story = written()
    items = dispatched(story, DRAFT, most=1)
    story.run("check_early", check_early, *items)
    context = context_of(story)
    assert states_so_far(context, items[:1]) == ["supported"]
    assert states_so_far(context, items[1:2]) == ["contradicted"]
    assert states_so_far(context, []) == []


def test_an_error_while_drafts_are_told_is_logged_and_costs_no_answer() -> None:
    def breaking(*_: object) -> bool:
        raise RuntimeError("a fault of the teller")

    async def scenario(gateway: ModelGateway) -> StepResult:
        context = replace(written().context(gateway, ("",)), publish=breaking, dispatch=breaking)
        with capture_logs() as lines:
            async with publishing_draft(context) as draft:
                draft.write(DRAFT)
                async with asyncio.timeout(20):
                    while not lines:
                        await asyncio.sleep(0.01)
        assert [line["event"] for line in lines] == ["drafts_not_told"]
        return StepResult.single({"text": draft.closed_text})

    assert written().play(scenario).values[""]["text"]
