"""Settings of a workspace are defaults of its questions; instructions shape answers and no verdict."""

import asyncio
import json
from typing import Any

import pytest

import clients.llm.protocol as protocol
from citewell_verify.answers.refusals import REFUSALS
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.prompting.prompts import RenderedPrompt, render
from config.settings import settings
from db.queries.access.workspaces import add_workspace, get_workspace
from db.queries.runs.queries import get_query
from db.session import reading, transaction
from domain.errors.requests import ModelNotAllowed
from domain.query.options import QueryOptions, WorkspaceSettings
from domain.query.workspace_rules import PLAIN, Instructions, style_of
from services.audit.replay import replay_answer
from services.correction.rounds import plan_queries
from services.queries.submission import NewQuery, submit_query
from tests.services.audited_story import AuditedStory
from tests.services.story import Play, Story

pytestmark = pytest.mark.usefixtures("database")

BIG, SMALL = "openai/gpt-oss-120b", "openai/gpt-oss-20b"
WISHES = Instructions(
    tone="like-a-pirate", length="at-most-two-lines", glossary={"PTO-TERM": "paid-time-off"}, refusal="Ask the desk."
)
MARKS = ("like-a-pirate", "at-most-two-lines", "PTO-TERM", "paid-time-off")
WRITING = {"generate_answer", "regenerate_answer", "synthesize_answer"}
RETURNS = "Returns policy. Returns are accepted within 30 days of the purchase date."


@pytest.fixture
def prompts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(name, text) of every prompt that is written from now on."""
    written: list[tuple[str, str]] = []

    def noted(name: str, fields: Any) -> RenderedPrompt:
        rendered = render(name, fields)
        written.append((name, rendered.system + rendered.user))
        return rendered

    monkeypatch.setattr(protocol, "render", noted)
    return written


def workspace(**wanted: Any) -> None:
    with transaction() as session:
        stored = WorkspaceSettings.model_validate(wanted).model_dump(mode="json")
        assert add_workspace(session, "w", settings=stored)


def asked(**request: Any) -> tuple[str, QueryOptions]:
    """The mode and the stored options of a question to the workspace."""
    query_id = submit_query(NewQuery("How long?", workspace="w", **request), settings())
    with reading() as session:
        query = get_query(session, query_id)
        return query.mode, QueryOptions(**query.options)


@pytest.mark.usefixtures("groq_configured")
def test_what_a_question_leaves_open_is_as_the_workspace_has_it() -> None:
    workspace(models={"main": SMALL, "fast": BIG}, mode="high", preset="cheap", instructions=WISHES.model_dump())
    mode, options = asked()
    assert (mode, options.preset, options.model, options.judge_model) == ("high", "cheap", SMALL, BIG)
    assert options.verify_answer
    assert options.instructions == WISHES
    assert options.refusal == "Ask the desk."


def test_the_request_beats_the_workspace() -> None:
    workspace(models={"main": SMALL}, mode="high", preset="cheap", instructions=WISHES.model_dump())
    wishes = Instructions(tone="plain", glossary={})
    mode, options = asked(mode="low", preset="standard", model=BIG, instructions=wishes, refusal_language="en")
    assert (mode, options.preset, options.model) == ("low", "standard", BIG)
    assert options.instructions == Instructions(tone="plain", length="at-most-two-lines", refusal="Ask the desk.")
    assert options.refusal is None
    _, options = asked(instructions=Instructions(tone=None))
    assert options.instructions == WISHES.model_copy(update={"tone": None})


def test_without_settings_all_is_as_configured() -> None:
    workspace()
    mode, options = asked()
    assert (mode, options.preset, options.model, options.judge_model) == ("balanced", "standard", None, None)
    assert (options.instructions, options.refusal) == (Instructions(), None)
    assert style_of(options.instructions) == PLAIN


def test_a_model_that_is_configured_no_more_is_named() -> None:
    workspace(models={"main": "gone"})
    with pytest.raises(ModelNotAllowed, match="'gone'"):
        asked()


def test_what_a_newer_program_stored_is_ignored() -> None:  # A5
    workspace(mode="low")
    with transaction() as session:
        stored = get_workspace(session, "w")
        stored.settings = {**stored.settings, "later": 1, "instructions": {"tone": "calm", "colour": "red"}}
    assert asked()[1].instructions == Instructions(tone="calm")


def test_the_offline_provider_keeps_the_name_of_its_rules() -> None:  # N8
    workspace(models={"fast": BIG})
    assert asked()[1].judge_model is None


def test_instructions_are_in_prompts_that_write_and_in_no_other(groq: Play, prompts: list[tuple[str, str]]) -> None:
    story = Story("How long are returns accepted?", play=groq, instructions=WISHES, max_crag_attempts=1)
    story.add("returns.md", RETURNS)
    story.retrieve().write().check().repair()
    story.set("assess", {"status": "assessed", "failing": [], "gaps": ["It takes 60 days."], "decision": "correct"})
    story.next_round().run("plan_queries", plan_queries)
    story.retrieve().write()
    named = {name for name, _ in prompts}
    assert named >= {"generate_answer", "regenerate_answer", "rerank_chunk", "check_statement", "check_alignment"}
    for name, text in prompts:
        assert [mark in text for mark in MARKS] == [name in WRITING] * len(MARKS), name
        assert "Ask the desk." not in text, name


def test_what_judges_is_the_same_with_and_without_instructions(groq: Play, prompts: list[tuple[str, str]]) -> None:
    judging: list[list[tuple[str, str]]] = []
    for wishes in (Instructions(), WISHES):
        prompts.clear()
        story = Story("How long are returns accepted?", play=groq, instructions=wishes)
        story.add("returns.md", RETURNS)
        story.retrieve().write().check().repair()
        judging.append([each for each in prompts if each[0] not in WRITING])
    assert judging[0]
    assert judging[0] == judging[1]


def test_an_answer_with_instructions_is_replayed_from_its_record(groq: Play) -> None:  # N6
    story = AuditedStory("How long are returns accepted?", play=groq, instructions=WISHES)
    story.add("returns.md", RETURNS)
    story.retrieve().write().check().repair().finish()
    with transaction() as session:
        add_workspace(session, "other", settings={})
        get_workspace(session, story.workspace).settings = {"instructions": {"tone": "changed since"}}
    found = asyncio.run(replay_answer(story.query_id, settings(), default_embedder(), None))
    assert (found.differences, found.unanswered) == ([], 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"refusal": "Ask the desk."}, "Ask the desk."),
        ({"refusal": REFUSALS["ko"]}, REFUSALS["ko"]),
        ({}, "I don't know based on the documents."),
    ],
)
def test_a_refusal_is_in_the_words_of_the_workspace_and_known_as_one(options: dict[str, Any], said: str) -> None:  # V8
    query = Story("How long are returns accepted?", **options).retrieve().conclude()
    assert (query["answer"], query["abstained"]) == (said, True)


def test_the_language_is_named_to_the_model_and_decides_the_refusal() -> None:
    workspace(instructions={"language": "ko"})
    _, options = asked()
    assert style_of(options.instructions).startswith("Answer in Korean, in plain sentences")
    assert options.refusal == REFUSALS["ko"]


def test_a_change_of_settings_touches_only_what_it_names() -> None:
    before = WorkspaceSettings.model_validate({"mode": "high", "instructions": {"tone": "a", "glossary": {"x": "y"}}})
    change = WorkspaceSettings.model_validate_json(
        json.dumps({"mode": None, "models": {"main": BIG}, "instructions": {"glossary": {"z": "w"}}})
    )
    assert before.changed(change) == WorkspaceSettings.model_validate(
        {"models": {"main": BIG}, "instructions": {"tone": "a", "glossary": {"z": "w"}}}
    )
    assert before.changed(WorkspaceSettings()) == before
