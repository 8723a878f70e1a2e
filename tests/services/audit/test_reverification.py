"""A stored answer is verified again, on the evidence that it was written from (N6)."""

import uuid
from functools import partial
from time import monotonic
from typing import Any

import pytest

from config.settings import settings
from db.models import QueryKind, QueryStatus
from db.queries.access.idempotency import Repeatable
from db.queries.access.keys import get_or_add_tenant
from db.queries.runs.queries import get_query, mark_launched
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.missing import QueryNotFound
from domain.errors.requests import ModelNotAllowed
from domain.errors.state import NotReverifiable
from services.audit.reverification import Reverification, reverify
from services.finishing.completion import check_audit, finish
from services.queries.results import read_history, read_query
from tests.clients.groq_stage import GroqStage
from tests.factories import make_query
from tests.services.audited_story import NoModels
from tests.services.given_story import GivenStory
from tests.services.story import Play, Story, with_offline
from workers.execution.step_run import terms_of

pytestmark = pytest.mark.usefixtures("database")

POLICY = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
FEES = "A restocking fee of 15 percent is deducted for electronics that have been opened."
OFFLINE = partial(with_offline, embeddings=False)


def answered(question: str = "Within how many days must returns be made?") -> Story:
    story = Story(question, play=OFFLINE, min_evidence_score=0.0)
    story.add("policy.md", POLICY)
    story.add("fees.md", FEES)
    story.retrieve().write().check().repair().finish()
    assert read_query(story.query_id)["citations"]
    return story


def again(query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER, **asked: Any) -> uuid.UUID:
    return reverify(query_id, kind, Reverification(**asked), settings()).query_id


def verified(query_id: uuid.UUID, play: Play = OFFLINE) -> dict[str, Any]:
    with transaction() as session:
        mark_launched(session, query_id, 0)
    return GivenStory.of(query_id, play).verified()


def states(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["old"]["status"], each["new"]["status"]) for each in result["comparison"]["sentences"]]


def test_an_answer_that_holds_is_judged_as_before_on_its_old_evidence() -> None:  # N6
    story = answered()
    query = read_query(story.query_id)
    # A search would find the newer text, which is not used.
    story.add("newer.md", "All returns must be made within 90 days of the purchase date.")
    result = verified(again(story.query_id))
    assert (result["answer"], result["reverifies"]) == (query["answer"], str(story.query_id))
    # Number N is what the answer cites as N, followed by the other passages it was written from.
    assert [each["title"] for each in result["sources"]] == ["policy.md", "fees.md"]
    assert result["sources"][0]["id"] == f"1:{query['citations'][0]['chunk_id']}"
    assert set(states(result)) == {("supported", "supported")}
    assert result["comparison"]["changed"] == 0
    assert result["comparison"]["of"] == str(story.query_id)
    assert (result["changed"], result["edits"]) == (False, [])
    assert check_audit(uuid.UUID(result["id"]), QueryKind.VERIFICATION)["intact"]


def test_a_new_judge_may_say_otherwise_and_the_history_shows_it(groq: Play) -> None:  # N6
    story = answered()
    # The old verifier is made to have believed what is not there.
    result = verified(again(story.query_id, citation_confidence=1.0))
    assert ("supported", "supported") not in states(result)
    assert result["comparison"]["changed"] == len(result["comparison"]["sentences"])
    later = verified(again(story.query_id), groq)
    assert later["comparison"]["old_verifier"] == "offline"
    assert later["comparison"]["new_verifier"] == "groq"
    [first, second] = read_history(story.query_id)["reverifications"]
    assert [first["id"], second["id"]] == [result["id"], later["id"]]
    assert (first["status"], first["changed"]) == ("succeeded", result["comparison"]["changed"])
    # The answer itself stays what it was.
    assert check_audit(story.query_id, QueryKind.ANSWER)["intact"]


@pytest.mark.usefixtures("groq_configured")
def test_the_model_that_is_asked_for_is_the_one_that_judges(stage: GroqStage, groq: Play) -> None:  # N6
    story = GivenStory.of(again(answered().query_id, model="openai/gpt-oss-120b"), groq)
    with transaction() as session:
        mark_launched(session, story.query_id, 0)
    story.log.terms = terms_of(story.context(NoModels(), ()), monotonic())
    result = story.verified()
    assert {entry.model for entry in stage.sim.ledger.entries} == {"openai/gpt-oss-120b"}
    assert result["comparison"]["new_verifier"].startswith("groq/openai/gpt-oss-120b/")


def test_a_given_answer_is_verified_again_on_its_own_sources() -> None:  # N6, N2
    old = GivenStory("Returns must be made within 60 days [1].", POLICY, play=OFFLINE)
    before = old.verified()
    result = verified(again(old.query_id, QueryKind.VERIFICATION))
    assert (result["answer"], result["sources"]) == (before["answer"], before["sources"])
    assert [each[0] for each in states(result)] == [each["status"] for each in before["sentences"]]
    assert result["comparison"]["changed"] == 0
    # It had been repaired; the re-verification only judges.
    assert before["changed"] is True
    assert result["changed"] is False


def test_without_all_of_its_evidence_an_answer_is_not_judged() -> None:  # N6
    story = answered()
    story.delete_document(max(story.documents))
    with pytest.raises(NotReverifiable, match="1 of the passages"):
        again(story.query_id)


def test_only_what_has_an_answer_is_verified_again() -> None:  # N6
    with transaction() as session:
        waiting, failed = make_query(session), make_query(session)
        finish(session, failed.id, QueryStatus.FAILED, error={"code": "x", "message": "y"})
    for query in (waiting, failed):
        with pytest.raises(NotReverifiable, match="status"):
            again(query.id)
    story = Story("Who is the king of Norway?", play=OFFLINE)
    story.retrieve().finish()
    with pytest.raises(NotReverifiable, match="does not know"):
        again(story.query_id)
    with pytest.raises(ModelNotAllowed):
        again(answered().query_id, model="none")
    with pytest.raises(QueryNotFound):
        again(uuid.uuid4())


def test_the_same_key_verifies_once_and_strangers_not_at_all() -> None:  # N6, A3, A8
    story = answered()
    request = Repeatable("key", "digest")
    first, second = (
        reverify(story.query_id, QueryKind.ANSWER, Reverification(), settings(), request) for _ in range(2)
    )
    assert (first.query_id, first.repeated, second.repeated) == (second.query_id, False, True)
    with reading() as session:
        assert get_query(session, first.query_id).reverifies == story.query_id
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger), pytest.raises(QueryNotFound):
        again(story.query_id)
