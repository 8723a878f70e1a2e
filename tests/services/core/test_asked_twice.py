"""The same question asked twice: kept judgements are not paid for again, but the answer is written again (A5, S4.7)."""

from collections import Counter

import pytest

from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, Terms
from config.models import ModelSettings
from db.queries.runs import model_calls
from db.session import reading, transaction
from services.core.call_ledger import model_call_rows
from services.core.context import QuerySnapshot, StepContext, StepResult, Tools
from services.core.reply_store import StoredReplies
from services.generation.answer import extract_citations
from services.queries.results import read_history
from tests.clients.groq_stage import GroqStage
from tests.services.story import Scenario, Story

pytestmark = pytest.mark.usefixtures("database")

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
JUDGEMENTS = {"rerank_chunk", "extract_citations", "check_statement", "check_alignment", "check_answerability"}


def asked(
    stage: GroqStage,
    scope: str = "",
    *,
    question: str = "Within how many days must returns be made?",
    share_replies: bool = True,
    share_answers: bool = False,
) -> Story:
    """Ask a question of a document, check the draft, and wait until everything is kept."""
    models = ModelSettings(call_timeout_s=10, deadline_s=20, share_replies=share_replies, share_answers=share_answers)

    def play(scenario: Scenario) -> StepResult:
        async def played(gateway: ModelGateway) -> StepResult:
            result = await scenario(gateway)
            await story.log.settled()
            return result

        replies = StoredReplies(models.keep_replies_s)
        return stage.run(lambda model: played(ModelGateway(model, models, replies=replies, backoff_s=0.01)))

    story = Story(question, play=play)
    story.log.terms = Terms(scope=scope or str(story.query_id))
    story.add("policy.md", POLICY)
    story.retrieve().run("extract_citations", extract_citations)
    story.write().check()
    return story


def kinds(stage: GroqStage) -> Counter[str]:
    """The kinds of calls to the provider since the last time."""
    found = Counter(entry.kind for entry in stage.sim.ledger.entries)
    stage.sim.ledger.entries.clear()
    return found


def test_the_second_query_buys_no_judgement_but_writes_its_own_answer(stage: GroqStage) -> None:  # A5, S4.7
    first = asked(stage)
    bought = kinds(stage)
    assert bought.keys() >= JUDGEMENTS
    second = asked(stage)
    assert kinds(stage) == {"generate_answer": 1}
    assert second.asked() == first.asked()
    assert [record.prompt for record in second.log.records if not record.kept] == ["generate_answer"]
    assert second.rounds[0]["check_alignment", ""] == first.rounds[0]["check_alignment", ""]


def test_the_citations_of_a_repeated_question_are_those_that_were_paid_for(stage: GroqStage) -> None:  # S4.7
    first = asked(stage)
    assert kinds(stage)["extract_citations"] == 1
    second = asked(stage)
    assert kinds(stage)["extract_citations"] == 0
    (call,) = [record for record in second.log.records if record.prompt == "extract_citations"]
    assert call.kept
    extracted = second.outcome("extract_citations")
    assert extracted["citations"]
    assert extracted == first.outcome("extract_citations")
    assert [cited(story) for story in (second, first)] == [["doc_0::chunk_0"]] * 2


def test_the_citations_of_another_question_are_extracted_for_it(stage: GroqStage) -> None:  # S4.7
    asked(stage)
    kinds(stage)
    asked(stage, question="Is a receipt required for every return?")
    assert kinds(stage)["extract_citations"] == 1


def cited(story: Story) -> list[str]:
    """The chunks that the published answer cites."""
    story.assess()
    return [citation["chunk_id"] for citation in story.conclude()["citations"]]


def test_answers_are_shared_only_if_wanted(stage: GroqStage) -> None:  # S4.7
    asked(stage, share_answers=True)
    kinds(stage)
    second = asked(stage, share_answers=True)
    assert kinds(stage) == {}
    assert second.outcome("generate")["status"] == "complete"


def test_without_sharing_everything_is_bought_again(stage: GroqStage) -> None:
    asked(stage, share_replies=False)
    bought = kinds(stage)
    asked(stage, share_replies=False)
    assert kinds(stage) == bought


def test_a_step_that_is_run_again_finds_what_it_paid_for(stage: GroqStage) -> None:  # A5
    first = asked(stage, "the query", share_replies=False)
    kinds(stage)
    again = asked(stage, "the query", share_replies=False)
    assert kinds(stage) == {}
    assert again.outcome("generate") == first.outcome("generate")


def test_history_shows_kept_replies_and_usage_does_not_count_them(stage: GroqStage) -> None:  # A4
    asked(stage)
    story = asked(stage)
    store_calls(story)
    calls = read_history(story.query_id)["model_calls"]
    paid = [call for call in calls if not call["kept"]]
    assert [call["prompt"] for call in paid] == ["generate_answer"]
    assert len(calls) == len(story.log.records) > 4
    assert {(call["prompt_tokens"], call["cost_usd"]) for call in calls if call["kept"]} == {(0, 0.0)}
    with reading() as session:
        usage = model_calls.usage_of_query(session, story.query_id)
    assert (usage.llm_calls, usage.prompt_tokens) == (1, paid[0]["prompt_tokens"])


def store_calls(story: Story) -> None:
    """Store the story's calls as its steps would."""
    snapshot = QuerySnapshot(story.query_id, story.workspace_id, "", "", "groq", story.options)
    context = StepContext(snapshot, 0, ("",), {}, Tools.__new__(Tools), log=CallLog())
    with transaction() as session:
        rows = model_call_rows(story.log.records, context, "all", ModelSettings().catalogue)
        model_calls.add_model_calls(session, rows)
