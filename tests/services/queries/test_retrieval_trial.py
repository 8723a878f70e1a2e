"""A trial of retrieval searches as a question with the same options, and pays as one (S3.2, S3.6, A4)."""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any

import pytest
from sqlalchemy import select

from citewell_verify.embeddings.wheel import default_embedder
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallRecord, Usage
from config.models import ModelSettings
from config.settings import settings
from db.models import ModelCall
from db.session import act_for, current_tenant, is_limited, reading
from services.core.context import QuerySnapshot, StepContext, StepResult, Tools
from services.queries.question_rewriting import rewrite_question
from services.queries.retrieval_trial import RetrievalTrial, TrialSteps, try_retrieval
from services.queries.submission import NewQuery
from services.retrieval.agentic_state import made_searches, next_turn
from services.retrieval.agentic_steps import decide_search, search
from tests.clients.groq_stage import GroqStage
from tests.factories import make_options
from tests.services.story import Play, Story
from tests.simulators.groq.ledger import totals

pytestmark = pytest.mark.usefixtures("database")

DOCUMENTS = {
    "atlas.md": "Atlas. The warranty of the Atlas laptop lasts 24 months from the day of delivery.",
    "nova.md": "Nova. The warranty of the Nova phone lasts 12 months from the day of purchase.",
    "fees.md": "Fees. A restocking fee of 15 percent is deducted for electronics that have been opened.",
    "hours.md": "Opening hours. The service centre in Leeds is open on weekdays from nine to five.",
}
TWO = "How long is the warranty of the Atlas laptop, and how long is the warranty of the Nova phone?"

Told = dict[str, Any]


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is told as not done because the machine is busy."""
    for name in ("_LONGEST_S", "_LONGEST_RESEARCH_S"):
        monkeypatch.setattr(f"services.queries.retrieval_trial.{name}", 600.0)


def filled(story: Story) -> Story:
    for name, text in DOCUMENTS.items():
        story.add(name, text)
    return story


def tried(stage: GroqStage, story: Story, *, reranks: bool = True, **asked: Any) -> Told:
    """What the trial of the story's question tells, with the stage's provider."""
    new = NewQuery(story.question, workspace=story.workspace, **asked)
    trial = RetrievalTrial(new, reranks)

    async def scenario(gateway: ModelGateway) -> Told:
        loop = asyncio.get_running_loop()

        def run(step: Coroutine[Any, Any, StepResult]) -> StepResult:
            return asyncio.run_coroutine_threadsafe(step, loop).result()

        tools = Tools(gateway, default_embedder())
        return await asyncio.to_thread(try_retrieval, trial, settings(), tools, run)

    models = ModelSettings(call_timeout_s=60, deadline_s=300)
    return stage.run(lambda model: scenario(ModelGateway(model, models, backoff_s=0.01)))


def booked() -> list[ModelCall]:
    with reading() as session:
        return list(session.scalars(select(ModelCall).where(ModelCall.query_id.is_(None)).order_by(ModelCall.id)))


def texts(told: Told, **that: Any) -> list[str]:
    return [each["text"] for each in told["passages"] if all(each[name] == value for name, value in that.items())]


def test_rewritten_questions_are_searched_for_as_in_a_question(stage: GroqStage, groq: Play) -> None:  # S3.2
    options: dict[str, Any] = {"multi_query": 2, "k": 2, "top_k": 1}
    story = filled(Story(TWO, play=groq, merged_top_k=3, **options))
    story.run("rewrite_question", rewrite_question)
    story.retrieve()
    told = tried(stage, story, **options)
    queries = [TWO, *story.outcome("rewrite_question")["queries"]]
    assert told["searches"] == [{"query": query, "turn": None, "why": None} for query in queries]
    assert len(queries) == 3
    shown = [story.texts[key] for key in story.outcome("select")["ranked"]]
    assert texts(told)[: len(shown)] == shown
    assert (told["settings"]["k"], told["settings"]["multi_query"]) == (4, 2)
    first = told["passages"][0]
    assert first["lexical"]["rank"] == min(each["lexical"]["rank"] for each in first["found_by"] if each["lexical"])
    assert {each["search"] for each in first["found_by"]} == {0, 1, 2}
    # All rankings are fused at once.
    assert {each["fused"] for each in first["found_by"]} == {None}


def test_an_agentic_run_tells_what_it_searched_for_and_why(stage: GroqStage, groq: Play) -> None:  # S3.6
    story = filled(Story(TWO, play=groq, run="agentic", k=2))
    while (following := _next(story))[0] != "gather":
        what, turn = following
        story.run(*(("decide_search", decide_search) if what == "decide" else ("search", search)), str(turn))
    made = _read(story, made_searches)
    story.retrieve()
    told = tried(stage, story, run="agentic", k=2)
    assert [each["query"] for each in told["searches"]] == [each["query"] for each in made]
    assert [each["turn"] for each in told["searches"]] == sorted(each["turn"] for each in told["searches"])
    assert all(each["why"] for each in told["searches"])
    assert told["ended_because"]
    candidates = [each for each in told["passages"] if each["why_not"] != "beyond_candidates"]
    by_search = sorted(candidates, key=lambda each: each["fused"]["rank"])
    assert [each["text"] for each in by_search] == [
        story.texts[key] for key, _ in story.outcome("retrieve")["candidates"]
    ]
    for number, each in enumerate(made):
        found = [passage for passage in told["passages"] if any(by["search"] == number for by in passage["found_by"])]
        best = min(found, key=lambda passage, at=number: _by(passage, at)["fused"]["rank"])
        assert best["chunk_id"] == each["chunk_ids"][0]


def test_its_calls_stand_in_the_ledger_as_the_provider_bills_them(stage: GroqStage, groq: Play) -> None:  # A4
    told = tried(stage, filled(Story(TWO, play=groq)), run="agentic")
    calls, billed = booked(), stage.sim.ledger.billed
    assert {call.step for call in calls} == {"decide_search", "score_chunks"}
    assert len(calls) == len(billed) == told["usage"]["llm_calls"]
    paid = sum(call.prompt_tokens for call in calls), sum(call.completion_tokens for call in calls)
    assert paid == totals(billed)[:2] == (told["usage"]["prompt_tokens"], told["usage"]["completion_tokens"])
    assert float(sum(call.cost_usd for call in calls)) == pytest.approx(told["usage"]["cost_usd"])
    assert told["usage"]["cost_usd"] > 0
    assert {call.tenant_id for call in calls} == {current_tenant()}
    assert {call.reply_text for call in calls} == {None}  # nobody could delete them


def test_no_model_is_asked_once_the_ceiling_is_reached(stage: GroqStage, groq: Play) -> None:  # N4
    story = Story("How long does the warranty last?", play=groq)
    for number in range(20):
        story.add(f"{number}.md", f"The warranty of product {number} lasts {number} months from its delivery.")
    told = tried(stage, story, k=20, max_cost_usd=0.000001, graph="naive")
    # What is under way when the ceiling is passed ends.
    assert told["usage"]["llm_calls"] == len(stage.sim.ledger.entries) == len(booked()) < 20
    unread = [each["reranked"] for each in told["passages"] if each["reranked"]["score"] is None]
    assert len(unread) == 20 - told["usage"]["llm_calls"]
    assert {each["reason"] for each in unread} == {"the query's cost ceiling was reached"}
    assert any("could not be scored: the query's cost ceiling" in issue for issue in told["issues"])
    stage.sim.reset()
    told = tried(stage, story, run="agentic", k=3, max_cost_usd=1e-9)
    assert [each.kind for each in stage.sim.ledger.entries] == ["decide_search"]
    assert told["ended_because"] == "the query's cost ceiling was reached"
    assert [each["query"] for each in told["searches"]]


def test_a_key_limited_to_workspaces_pays_too_and_stays_limited(stage: GroqStage, groq: Play) -> None:  # A4, A8
    story = filled(Story(TWO, play=groq))

    def limited() -> None:
        act_for(current_tenant(), [story.workspace_id])
        tried(stage, story)
        assert is_limited()

    copy_context().run(limited)
    assert len(booked()) == len(DOCUMENTS)


def test_the_calls_of_a_step_that_breaks_are_booked() -> None:  # A4
    query = QuerySnapshot(Story("Why?").query_id, 1, "Why?", "balanced", "groq", make_options())
    tools = Tools(None, default_embedder())  # pyright: ignore[reportArgumentType]
    steps = TrialSteps(StepContext(query, 0, (), {}, tools), settings().models.catalogue, asyncio.run)

    async def breaking(context: StepContext) -> StepResult:
        context.log.records.append(CallRecord("groq", "openai/gpt-oss-20b", "x", "0", 1, 1.0, Usage(1000, 100)))
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        steps.ask("plan_graph", breaking, {})
    assert [(call.step, call.prompt_tokens) for call in booked()] == [("plan_graph", 1000)]


def test_without_scores_only_what_is_named_asks_a_model(stage: GroqStage, groq: Play) -> None:  # S3.1
    story = filled(Story(TWO, play=groq))
    told = tried(stage, story, reranks=False, multi_query=0)
    assert (stage.sim.ledger.entries, told["usage"]["llm_calls"]) == ([], 0)
    told = tried(stage, story, reranks=False, multi_query=2)
    assert [each.kind for each in stage.sim.ledger.entries] == ["rewrite_question"]
    assert len(told["searches"]) == 3
    assert {each["reranked"] for each in told["passages"]} == {None}


def _by(passage: Told, search: int) -> Told:
    found = [each for each in passage["found_by"] if each["search"] == search and each["fused"]]
    return found[0] if found else {"fused": {"rank": 10**6}}


def _next(story: Story) -> tuple[str, int]:
    return _read(story, next_turn)


def _read(story: Story, look: Callable[[StepContext], Any]) -> Any:
    seen: list[Any] = []

    def body(context: StepContext) -> StepResult:
        seen.append(look(context))
        return StepResult.single({})

    story.run(f"probe-{len(story.rounds[story.round])}", body)
    return seen[0]
