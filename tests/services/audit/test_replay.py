"""A result is rebuilt from its record without any model; differences by today's rules are reported (N6)."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import text

from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.verdicts.confidence import Calibration
from config.settings import settings
from db.session import transaction
from domain.errors.state import NotReverifiable, SourceDeleted
from services.audit.replay import ReplayResult, replay_answer
from services.queries.results import read_history, read_query
from tests.clients.groq_stage import GroqStage
from tests.services.audited_story import AuditedGivenStory, AuditedStory
from tests.services.story import Play
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

POLICY = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."


def mended(stage: GroqStage, groq: Play) -> AuditedStory:
    """An answer with a wrong figure, which was rewritten."""
    stage.sim.fail(Fault(kind=FaultKind.LYING, match="\ngenerate_answer\n", times=None))
    story = AuditedStory("Within how many days must returns be made?", play=groq)
    story.add("policy.md", POLICY)
    story.retrieve().write().check().repair().finish()
    assert any(edit["kind"] == "rewritten" for edit in read_query(story.query_id)["edits"])
    return story


def replayed(story: Any, calibration: Calibration | None = None) -> ReplayResult:
    return asyncio.run(replay_answer(story.query_id, settings(), default_embedder(), calibration))


def test_a_mended_answer_comes_out_the_same_and_nobody_is_asked(stage: GroqStage, groq: Play) -> None:  # N6
    story = mended(stage, groq)
    asked, before = len(stage.sim.ledger.entries), read_history(story.query_id)
    found = replayed(story)
    assert found.differences == []
    assert (found.unanswered, found.replayed > 8) == (0, True)
    assert len(stage.sim.ledger.entries) == asked
    assert read_history(story.query_id) == before


def test_another_calibration_shows_which_fields_it_changes(stage: GroqStage, groq: Play) -> None:  # N6
    story = mended(stage, groq)
    found = replayed(story, Calibration("new", slope=2.0, offset=-1.0, ece=0.1))
    fields = {each.where for each in found.differences}
    assert "verification.calibrated_confidence" in fields
    assert any(each.startswith("verification.sentences[") and each.endswith(".support") for each in fields)
    assert all(each.startswith("verification.") for each in fields)


def test_another_setting_shows_what_would_have_come_out(stage: GroqStage, groq: Play) -> None:  # N6
    story = mended(stage, groq)
    change = "UPDATE queries SET options = options || '{\"citation_confidence\": 1.0}' WHERE id = :q"
    with transaction() as session:
        session.execute(text(change), {"q": story.query_id})
    found = {each.where: (each.recorded, each.replayed) for each in replayed(story).differences}
    # Then no check of a repair would have been sure enough: the wrong figure goes, and nothing is left.
    assert found["round 0, repair_statements s0.status"] == ("rewritten", "dropped")
    assert found["answer.abstained"] == (False, True)
    assert "30 days" in found["answer.text"][0]


def test_a_verification_of_a_given_answer_is_replayed(groq: Play) -> None:  # N6, N2
    story = AuditedGivenStory("Returns must be made within 60 days [1].", POLICY, play=groq)
    story.verified()
    assert replayed(story).differences == []


def test_without_replies_or_passages_there_is_nothing_to_replay(stage: GroqStage, groq: Play) -> None:  # N6
    story = mended(stage, groq)
    story.delete_document(next(iter(story.documents)))
    with pytest.raises(SourceDeleted):
        replayed(story)
    with transaction() as session:
        session.execute(text("UPDATE model_calls SET reply_text = NULL"))
    with pytest.raises(NotReverifiable, match="erased"):
        replayed(story)


def test_answers_without_an_assessment_are_replayed(groq: Play) -> None:  # N6, V8
    found_nothing = AuditedStory("How much does the Omega machine weigh?", play=groq)
    found_nothing.retrieve().finish()
    gated = AuditedStory("Within how many days must returns be made?", play=groq, mode="high")
    for name in ("policy.md", "moon.md", "tea.md"):
        gated.add(name, POLICY if name == "policy.md" else f"The {name} is about something else altogether.")
    gated.retrieve().finish()
    unverified = AuditedStory("Within how many days must returns be made?", play=groq, enable_verification=False)
    unverified.add("policy.md", POLICY)
    unverified.retrieve().write().finish()
    for story in (found_nothing, gated, unverified):
        assert replayed(story).differences == []
    assert [read_query(story.query_id)["abstained"] for story in (found_nothing, gated, unverified)] == [
        True,
        True,
        False,
    ]
