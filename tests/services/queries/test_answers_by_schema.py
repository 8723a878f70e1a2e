"""Answers as objects by a caller's schema: filled from verified sentences only, with what became of every place."""

from typing import Any

import pytest

from config.settings import settings
from db.queries.access.workspaces import add_workspace
from db.queries.runs.queries import get_query
from db.session import reading, transaction
from domain.errors.requests import AnswerSchemaInvalid
from services.correction.conclusion import conclude
from services.correction.object_filling import NOT_CHECKED, fill_object
from services.finishing.completion import publish
from services.queries.results import read_query
from services.queries.submission import NewQuery, submit_query
from tests.clients.groq_stage import GroqStage
from tests.services.story import Story, no, with_groq, yes
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

Json = dict[str, Any]
TEXT = "Refunds are paid within 14 days of the return. Every return needs a receipt. Opened items are never refunded."
DRAFT = "Refunds are paid within 14 days of the return. [†1] Gift cards are refunded within 90 days. [†1]"
DAYS: Json = {"type": "integer", "description": "Within how many days refunds are paid"}
SCHEMA: Json = {"type": "object", "properties": {"days": DAYS}, "required": ["days"]}


def told(stage: GroqStage, schema: Json, *verdicts: Json, draft: str = DRAFT, **options: Any) -> tuple[Story, Json]:
    """The story of a draft with these verdicts on its statements, and the object that it ends with."""
    story = Story(
        "Within how many days are refunds paid?",
        play=with_groq(stage),
        answer_schema=schema,
        repair="citations",
        **options,
    )
    story.selected(story.add("refunds.md", TEXT)).drafted(draft, *verdicts)
    story.run("conclude", conclude)
    story.run("fill_object", fill_object)
    story.run("publish", publish)
    return story, read_query(story.query_id)["answer_object"]


def test_an_object_holds_what_verified_sentences_state(stage: GroqStage) -> None:
    story, found = told(stage, SCHEMA, yes(), no())
    assert story.asked() == ["fill_fields", "check_fields"]
    assert (found["value"], found["withheld"]) == ({"days": 14}, None)
    (days,) = found["values"]
    assert days == {
        "path": "/days",
        "status": "verified",
        "value": 14,
        "reason": None,
        "sentences": [0],
        "citations": [1],
    }


def test_a_sentence_that_failed_is_not_shown_to_the_model_that_fills(stage: GroqStage) -> None:
    schema = {**SCHEMA, "properties": {"days": {**DAYS, "description": "Within how many days gift cards are refunded"}}}
    story, found = told(stage, schema, no(), yes(), draft=DRAFT)
    assert found["value"] == {"days": 90}
    story, found = told(stage, schema, no(), no(), draft=DRAFT)
    assert (found["value"], story.asked()) == (None, [])
    assert found["withheld"]


def saying(stage: GroqStage, *replies: str) -> None:
    for reply in replies:
        stage.sim.fail(Fault(kind=FaultKind.SAYING, quote=reply))


def test_a_value_that_the_sentences_do_not_state_is_removed(stage: GroqStage) -> None:
    saying(stage, '{"fields": [{"path": "/days", "sentences": [0], "value": "15"}]}')
    story, found = told(stage, SCHEMA, yes(), no())
    assert story.asked() == ["fill_fields"]
    assert found["value"] is None
    assert found["withheld"].startswith("The answer does not fit the schema: /days is required")
    assert found["values"][0]["status"] == "removed"
    nullable = {**SCHEMA, "properties": {"days": {**DAYS, "type": ["integer", "null"]}}}
    saying(stage, '{"fields": [{"path": "/days", "sentences": [0], "value": "15"}]}')
    _, found = told(stage, nullable, yes(), no())
    assert (found["value"], found["withheld"]) == ({"days": None}, None)


def test_a_value_of_another_field_is_removed(stage: GroqStage) -> None:
    saying(stage, '{"fields": [{"path": "/warranty", "sentences": [0], "value": "14"}]}')
    schema: Json = {"type": "object", "properties": {"warranty": {"type": "integer"}, "days": DAYS}}
    story, found = told(stage, schema, yes(), no())
    assert story.asked() == ["fill_fields", "check_fields"]
    assert found["value"] == {}
    warranty = next(each for each in found["values"] if each["path"] == "/warranty")
    assert warranty["status"] == "removed"
    assert "do not say it of this field" in warranty["reason"]


def test_without_the_second_check_no_value_counts(stage: GroqStage) -> None:
    saying(stage, '{"fields": [{"path": "/days", "sentences": [0], "value": "14"}]}', '{"checks": []}')
    _, found = told(stage, SCHEMA, yes(), no())
    assert found["value"] is None
    assert found["values"][0]["reason"] == NOT_CHECKED


def test_without_an_answer_there_is_no_object(stage: GroqStage) -> None:  # S3.4
    story = Story("How much does the moon weigh?", play=with_groq(stage), answer_schema=SCHEMA)
    story.add("refunds.md", TEXT)
    story.retrieve()
    story.run("conclude", conclude)
    story.run("fill_object", fill_object)
    query = read_query(story.query_id)
    assert query["abstained"] is True
    assert query["answer_object"]["value"] is None
    assert query["answer_object"]["withheld"] == query["abstain_reason"]


def test_what_a_model_fails_to_fill_is_withheld_with_the_reason(stage: GroqStage) -> None:
    stage.sim.fail(*(Fault(kind=FaultKind.UNAVAILABLE) for _ in range(20)))
    _, found = told(stage, SCHEMA, yes(), no())
    assert found["value"] is None
    assert found["withheld"]


def stored_schema(**request: Any) -> Json | None:
    query_id = submit_query(NewQuery("How long?", workspace="w", **request), settings())
    with reading() as session:
        return get_query(session, query_id).options["answer_schema"]


@pytest.mark.usefixtures("groq_configured")
def test_the_schema_of_a_workspace_holds_where_a_question_has_none() -> None:
    with transaction() as session:
        add_workspace(session, "w", settings={"answer_schema": SCHEMA})
    other: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert stored_schema() == SCHEMA
    assert stored_schema(answer_schema=other) == other
    assert stored_schema(answer_schema={}) is None
    with pytest.raises(AnswerSchemaInvalid, match="leave the verification on"):
        stored_schema(enable_verification=False)
    with pytest.raises(AnswerSchemaInvalid, match="at its root"):
        stored_schema(answer_schema={"type": "string"})
