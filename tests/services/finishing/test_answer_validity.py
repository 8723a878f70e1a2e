"""When a document changes or is deleted, the answers that cite it are found, judged, and reported (N7)."""

import json
import uuid
from typing import Any

import pytest
from sqlalchemy import delete, func, select, text

from config.serving import StandingSettings
from config.settings import Settings, settings
from db.models import (
    AnswerValidity,
    Chunk,
    Document,
    DocumentChange,
    DocumentStatus,
    Query,
    QueryKind,
    QueryStatus,
    WebhookMessage,
)
from db.queries.access.keys import get_or_add_tenant
from db.queries.runs.queries import mark_finished, mark_launched
from db.session import acting_for, reading, system_transaction, transaction
from domain.query.workspace_rules import ReviewRules
from services.audit import invalidation
from services.audit.invalidation import process_changes
from services.documents.documents import remove_document
from services.documents.indexing import put_in_force
from services.finishing.completion import finish
from services.queries.cancel_and_retry import retry_query
from services.queries.results import read_history, read_query
from tests.factories import make_chunk, make_document
from tests.services.given_story import GivenStory
from tests.services.story import Story, with_offline
from tests.webhooks import register

pytestmark = pytest.mark.usefixtures("database")

POLICY = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
LONGER = f"New edition. {POLICY} Gift cards are not refunded."
OTHER = "All returns must be made within 14 days of the purchase date. A receipt is required for every return."
FEES = "A restocking fee of 15 percent is deducted for electronics that have been opened."
QUESTION = "Within how many days must returns be made?"
NEVER_AGAIN = 3600.0


def offline(scenario: Any) -> Any:
    return with_offline(scenario, embeddings=False)


def standing(**over: Any) -> Settings:
    wanted = StandingSettings.model_validate({"settle_s": NEVER_AGAIN, **over})
    return settings().model_copy(update={"standing": wanted})


def answered(question: str = QUESTION, *documents: tuple[str, str]) -> Story:
    story = Story(question, play=offline)
    for filename, content in documents or (("policy.md", POLICY),):
        story.add(filename, content)
    story.retrieve().write().check().repair().finish()
    assert read_query(story.query_id)["citations"]
    return story


def document_of(story: Story, number: int = 0) -> uuid.UUID:
    return list(story.documents.values())[number]


def replaced(story: Story, content: str, filename: str = "policy.md", sha256: str | None = None) -> uuid.UUID:
    """Ingest another version, as a worker does."""
    with transaction() as session:
        count, version = session.execute(
            select(func.count(), func.max(Document.version)).where(Document.workspace_id == story.workspace_id)
        ).one()
        over = {"status": DocumentStatus.PROCESSING, "attempt": 1, "version": version + 1}
        over |= {"sha256": sha256} if sha256 else {}
        document = make_document(
            session, content, workspace=story.workspace, filename=filename, number=count + 10, **over
        )
        make_chunk(session, document, 0, len(content))
        document_id = document.id
    with transaction() as session:
        assert put_in_force(session, document_id, 1)
    return document_id


def state_of(story: Story) -> str:
    return read_query(story.query_id)["standing"]["state"]


def told(story: Story) -> list[str]:
    """The query's events about whether it still holds; the webhook's must be the same, in the same order."""
    events = [each["type"] for each in read_history(story.query_id)["events"] if each["type"].startswith("answer.")]
    with reading() as session:
        sent = session.scalars(
            select(WebhookMessage.type)
            .where(WebhookMessage.query_id == story.query_id)
            .order_by(WebhookMessage.created_at)
        ).all()
    assert list(sent) == events
    return events


@pytest.fixture(autouse=True)
def hook(database: str) -> None:
    assert database
    register("https://example.com/hook", "answer.*")


@pytest.mark.slow
def test_an_answer_stands_until_something_happens(hook: None) -> None:  # N7
    story = answered()
    assert read_query(story.query_id)["standing"] == {
        "state": "valid",
        "reason": None,
        "since": None,
        "verification": None,
    }
    assert process_changes(standing()) == 0
    assert told(story) == []


@pytest.mark.parametrize("is_deleted", [False, True])
def test_what_happened_while_an_answer_was_held_back_is_told_after_its_release(is_deleted: bool) -> None:  # 44, N7
    rules = ReviewRules(confidence_below=1.0, hold=True)
    other, story = answered(), Story(QUESTION, play=offline, review=rules)
    story.add("policy.md", POLICY)
    story.retrieve().write().check().repair().finish()
    assert read_query(story.query_id)["status"] == "held"
    if is_deleted:
        remove_document(document_of(story))
    else:
        replaced(story, OTHER)
    process_changes(standing())
    assert (read_query(story.query_id)["standing"], told(other)) == (None, [])
    with transaction() as session:
        assert finish(session, story.query_id, QueryStatus.SUCCEEDED, event={}, was_held=True)
    process_changes(standing())
    assert state_of(story) == "invalidated"
    assert (told(story), told(other)) == (["answer.invalidated"], [])
    process_changes(standing())
    assert told(story) == ["answer.invalidated"]


def test_a_new_version_with_all_cited_passages_makes_an_answer_stale() -> None:  # N7
    story = answered()
    # White space is no change of what is said.
    replaced(story, LONGER.replace(" within ", "\n  within "))
    process_changes(standing())
    found = read_query(story.query_id)["standing"]
    assert found["state"] == "stale"
    assert "new version" in found["reason"]
    assert told(story) == ["answer.stale"]


def test_a_new_version_without_a_cited_passage_invalidates_an_answer() -> None:  # N7
    story = answered()
    replaced(story, OTHER)
    process_changes(standing())
    assert state_of(story) == "invalidated"
    assert told(story) == ["answer.invalidated"]
    with reading() as session:
        sent = json.loads(session.scalars(select(WebhookMessage.payload)).one())
    assert sent["data"]["id"] == str(story.query_id)
    assert sent["data"]["document"] == {"id": str(document_of(story)), "filename": "policy.md"}
    assert sent["data"]["question"] == QUESTION
    assert POLICY not in json.dumps(sent)


def test_a_deleted_document_invalidates_the_answers_that_cite_it_and_no_others() -> None:  # N7
    story, untouched = answered(), answered()
    remove_document(document_of(story))
    process_changes(standing())
    assert (state_of(story), state_of(untouched)) == ("invalidated", "valid")
    assert "deleted" in read_query(story.query_id)["standing"]["reason"]
    assert (told(story), told(untouched)) == (["answer.invalidated"], [])


def test_a_document_that_nothing_cites_leaves_no_work() -> None:  # N7
    story = answered(QUESTION, ("policy.md", POLICY), ("fees.md", FEES))
    assert {each["filename"] for each in read_query(story.query_id)["citations"]} == {"policy.md"}
    replaced(story, "Another text about fees.", "fees.md")
    remove_document(document_of(story, 1))
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(DocumentChange)) == 0


def test_looking_again_tells_nobody_twice() -> None:  # N7, A5
    story = answered()
    replaced(story, OTHER)
    for _ in range(3):
        process_changes(standing(settle_s=0))
    # A second loss of the same answer is no news either.
    remove_document(document_of(story))
    process_changes(standing(settle_s=0))
    assert told(story) == ["answer.invalidated"]
    with reading() as session:
        changes = session.scalars(select(DocumentChange).order_by(DocumentChange.id)).all()
    assert [(each.found, each.passes, each.done_at is not None) for each in changes] == [(1, 2, True), (1, 2, True)]


def test_what_breaks_in_the_middle_is_done_once_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:  # N7, A5
    first = answered()
    second = Story(QUESTION, play=offline)
    copied = [_answered_beside(first, second)]
    replaced(first, OTHER)

    def dies(*_: Any) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr("services.audit.invalidation.answer_validity.advance_change", dies)
        process_changes(standing())
    assert (state_of(first), told(first)) == ("valid", [])
    # It waits, so that it does not block others.
    process_changes(standing())
    assert state_of(first) == "valid"
    due_now()
    # One citation at a time: each has a transaction of its own.
    monkeypatch.setattr("services.audit.invalidation._AT_A_TIME", 1)
    process_changes(standing())
    for story in (first, *copied):
        assert (state_of(story), told(story)) == ("invalidated", ["answer.invalidated"])


def _answered_beside(first: Story, second: Story) -> Story:
    """Give a second question the answer of the first: both cite the same document."""
    columns = 'round, text, original_text, abstained, abstain_reason, model, "references", removed_citations, edits'
    cited = (
        "position, number, document_id, document_name, doc_id, chunk_id, chunk_index, start_index, source, "
        "page_number, section, text_span, source_start, source_end, claim_text, answer_start, answer_end, "
        "citation_type, confidence_score, status, explanation"
    )
    with transaction() as session:
        key = session.scalar(
            text(
                f"INSERT INTO answers (query_id, {columns}) SELECT :new, {columns} FROM answers WHERE query_id = :old "
                "RETURNING id"
            ),
            {"new": second.query_id, "old": first.query_id},
        )
        session.execute(
            text(
                f"INSERT INTO citations (answer_id, {cited}) SELECT :key, {cited} FROM citations "
                "WHERE answer_id = (SELECT id FROM answers WHERE query_id = :old)"
            ),
            {"key": key, "old": first.query_id},
        )
        mark_finished(session, second.query_id, QueryStatus.SUCCEEDED)
    return second


def due_now() -> None:
    with transaction() as session:
        session.execute(text("UPDATE document_changes SET due_at = now()"))


def test_one_change_that_breaks_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:  # N7, A5
    broken, sound = answered(), answered()
    replaced(broken, LONGER)
    replaced(sound, LONGER)
    store, refused = invalidation.add_reverification, broken.query_id

    def add(*arguments: Any) -> None:
        if arguments[2].id == refused:
            raise RuntimeError("it cannot be verified")
        store(*arguments)

    monkeypatch.setattr("services.audit.invalidation.add_reverification", add)
    assert process_changes(standing(reverify=True)) == 1
    assert (state_of(broken), state_of(sound)) == ("valid", "stale")


def test_an_answer_that_was_being_written_is_found_even_if_nothing_else_cites_the_document() -> None:  # N7
    story = Story(QUESTION, play=offline)
    story.add("policy.md", POLICY)
    story.retrieve().write()
    replaced(story, OTHER)
    process_changes(standing())
    story.check().repair().finish()
    assert {each["document_id"] for each in read_query(story.query_id)["citations"]} == {str(document_of(story))}
    due_now()
    process_changes(standing())
    assert (state_of(story), told(story)) == ("invalidated", ["answer.invalidated"])


@pytest.mark.parametrize("reverify", [False, True])
def test_a_change_that_is_seen_after_a_later_one_is_not_passed_over(reverify: bool) -> None:  # N7
    story = _cites_two()
    remove_document(document_of(story))
    replaced(story, f"{FEES} More.", "fees.md")
    with transaction() as session:
        # Numbers are drawn before the commit: as if the deletion had not been seen, and had come to nothing yet.
        earlier, later = session.scalars(select(DocumentChange).order_by(DocumentChange.id)).all()
        assert earlier.document_id == document_of(story)
        session.execute(
            text(
                "INSERT INTO answer_standings (query_id, state, reason, change_id, document_id, filename) "
                "VALUES (:query, 'stale', 'x', :change, :document, 'fees.md')"
            ),
            {"query": story.query_id, "change": later.id, "document": later.document_id},
        )
    process_changes(standing(reverify=reverify))
    assert (state_of(story), told(story)) == ("invalidated", ["answer.invalidated"])
    due_now()
    process_changes(standing(reverify=reverify))
    assert told(story) == ["answer.invalidated"]


def test_an_answer_that_was_being_written_meanwhile_is_found_later() -> None:  # N7
    first, late = answered(), Story(QUESTION, play=offline)
    replaced(first, OTHER)
    process_changes(standing())
    _answered_beside(first, late)
    assert state_of(late) == "valid"
    due_now()
    process_changes(standing())
    assert state_of(late) == "invalidated"
    assert told(first) == told(late) == ["answer.invalidated"]


def _cites_two() -> Story:
    both = f"{POLICY[:61]} [†1]. {FEES[:-1]} [†2]."
    story = Story(QUESTION, play=offline)
    keys = [story.add("policy.md", POLICY), story.add("fees.md", FEES)]
    story.retrieve()
    story.set("generate", {"status": "complete", "text": both, "model": "m"})
    story.rounds[0]["select", ""]["selected"] = keys
    story.check().repair().finish()
    assert {each["filename"] for each in read_query(story.query_id)["citations"]} == {"policy.md", "fees.md"}
    return story


def test_what_is_lost_in_one_document_is_not_made_good_by_another() -> None:  # N7
    story = _cites_two()
    remove_document(document_of(story))
    replaced(story, f"{FEES} More.", "fees.md")
    process_changes(standing())
    assert (state_of(story), told(story)) == ("invalidated", ["answer.invalidated"])


def test_an_answer_is_valid_again_with_the_version_that_it_cites() -> None:  # N7
    story = answered()
    with reading() as session:
        sha256 = session.get_one(Document, document_of(story)).sha256
    replaced(story, OTHER)
    process_changes(standing())
    replaced(story, POLICY, sha256=sha256)
    process_changes(standing())
    assert (state_of(story), told(story)) == ("valid", ["answer.invalidated", "answer.revalidated"])


def test_when_the_version_in_force_goes_so_does_what_cites_an_older_one() -> None:  # N7
    story = answered()
    newer = replaced(story, LONGER)
    process_changes(standing())
    remove_document(newer)
    process_changes(standing())
    assert (state_of(story), told(story)) == ("invalidated", ["answer.stale", "answer.invalidated"])


def reverifications(story: Story) -> list[uuid.UUID]:
    return [uuid.UUID(each["id"]) for each in read_history(story.query_id)["reverifications"]]


def verified(query_id: uuid.UUID) -> dict[str, Any]:
    with transaction() as session:
        mark_launched(session, query_id, 0)
    return GivenStory.of(query_id, offline).verified()


@pytest.mark.parametrize(
    ("content", "state", "events"),
    [
        (LONGER, "valid", ["answer.stale", "answer.revalidated"]),
        # Other words, the same thing: as text it would be lost.
        (f"Second edition. {POLICY.replace('All returns', 'All the returns')}", "valid", None),
        (OTHER, "invalidated", ["answer.stale", "answer.invalidated"]),
    ],
)
def test_with_reverify_the_current_version_decides(content: str, state: str, events: list[str] | None) -> None:  # N7
    story = answered()
    replaced(story, content)
    assert process_changes(standing(reverify=True)) == 1
    assert process_changes(standing(reverify=True)) == 0
    assert state_of(story) == "stale"
    [new_id] = reverifications(story)
    result = verified(new_id)
    assert result["answer"] == read_query(story.query_id)["answer"]
    with reading() as session:
        [source] = session.execute(text("SELECT text FROM given_sources WHERE query_id = :q"), {"q": new_id}).scalars()
    assert source == content
    found = read_query(story.query_id)["standing"]
    assert (found["state"], found["verification"]) == (state, str(new_id))
    assert told(story) == (events or ["answer.stale", "answer.revalidated"])
    if state == "invalidated":
        with reading() as session:
            sent = [json.loads(each)["data"] for each in session.scalars(select(WebhookMessage.payload))]
        [lost] = next(each["sentences"] for each in sent if each["sentences"])
        assert lost["old"] == "supported"
        assert lost["new"] != "supported"


def test_verifications_of_answers_are_not_verified_again_themselves() -> None:  # N7
    story = answered()
    replaced(story, LONGER)
    process_changes(standing(reverify=True))
    verified(reverifications(story)[0])
    replaced(story, OTHER)
    assert process_changes(standing(reverify=True)) == 1
    with reading() as session:
        counted = select(func.count()).where(Query.kind == QueryKind.VERIFICATION)
        assert session.scalar(counted) == 2
        assert session.scalars(select(AnswerValidity.query_id)).all() == [story.query_id]


def test_a_verification_that_a_later_change_overtook_decides_nothing() -> None:  # N7
    story = answered()
    replaced(story, LONGER)
    process_changes(standing(reverify=True))
    replaced(story, OTHER)
    process_changes(standing(reverify=True))
    first, second = reverifications(story)
    verified(first)
    assert state_of(story) == "stale"
    verified(second)
    assert (state_of(story), told(story)) == ("invalidated", ["answer.stale", "answer.invalidated"])


def test_a_verification_that_fails_leaves_the_answer_stale() -> None:  # N7, N4
    story = answered()
    replaced(story, LONGER)
    process_changes(standing(reverify=True))
    with transaction() as session:
        finish(session, reverifications(story)[0], QueryStatus.FAILED, error={"code": "x", "message": "y"})
    found = read_query(story.query_id)["standing"]
    assert found["state"] == "stale"
    assert "could not be verified" in found["reason"]


def test_the_replay_of_a_verification_that_failed_decides_in_its_place() -> None:  # N7, N4
    story = answered()
    replaced(story, LONGER)
    process_changes(standing(reverify=True))
    [failed] = reverifications(story)
    with transaction() as session:
        finish(session, failed, QueryStatus.FAILED, error={"code": "x", "message": "y"})
    again = retry_query(failed, QueryKind.VERIFICATION, settings()).query_id
    result = verified(again)
    assert result["comparison"]["of"] == str(story.query_id)
    found = read_query(story.query_id)["standing"]
    assert (found["state"], found["verification"]) == ("valid", str(again))
    assert reverifications(story) == [failed, again]
    assert told(story) == ["answer.stale", "answer.revalidated"]


def test_no_more_answers_are_verified_again_than_allowed() -> None:  # N7
    first = answered()
    second = _answered_beside(first, Story(QUESTION, play=offline))
    replaced(first, OTHER)
    assert process_changes(standing(reverify=True, max_per_change=1)) == 1
    # Without a model it is judged by its text.
    assert sorted([state_of(first), state_of(second)]) == ["invalidated", "stale"]


def test_the_changes_of_one_tenant_concern_no_other() -> None:  # N7, A8
    story = answered()
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger):
        other = answered()
        replaced(other, OTHER)
    process_changes(standing())
    assert (state_of(story), told(story)) == ("valid", [])
    with acting_for(stranger):
        assert state_of(other) == "invalidated"


def test_a_change_that_cannot_be_judged_for_lack_of_chunks_is_judged_by_its_text() -> None:  # N7
    story = answered()
    newer = replaced(story, OTHER)
    with transaction() as session:
        session.execute(delete(Chunk).where(Chunk.document_id == newer))
    assert process_changes(standing(reverify=True)) == 0
    assert state_of(story) == "invalidated"
