"""The audit of a query: sealed when it ends; every change of what it rests on is found and named (N6)."""

import hashlib
import json
import uuid
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError

from db.models import AuditChain, QueryKind, QueryStatus, WebhookMessage
from db.queries.verifications import audits
from db.session import reading, system_transaction, transaction
from domain.errors.missing import AuditNotFound
from services.finishing.completion import check_audit, finish, read_audit
from services.queries.results import read_history, read_query
from tests.factories import make_query
from tests.services.audited_story import AuditedGivenStory, AuditedStory
from tests.services.story import Play
from tests.webhooks import register

pytestmark = pytest.mark.usefixtures("database")

POLICY = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
Records = list[dict[str, Any]]


def answered(groq: Play) -> AuditedStory:
    story = AuditedStory("Within how many days must returns be made?", play=groq)
    story.add("policy.md", POLICY)
    story.retrieve().write().check().repair().finish()
    return story


def chain_of(query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER) -> Records:
    return [each["record"] for each in read_audit(query_id, kind, after=0, limit=1000)["chain"]]


def of_kind(records: Records, kind: str) -> Records:
    return [record for record in records if record["kind"] == kind]


def sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def changed(
    statement: str, query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER
) -> list[tuple[str, str, list[str]]]:
    """Change rows directly; return (kind, what, fields) of what the check then finds."""
    with system_transaction() as session:
        session.execute(text(statement), {"q": query_id})
    checked = check_audit(query_id, kind)
    assert checked["intact"] == (not checked["differences"])
    return [(each["kind"], each["what"], each["fields"]) for each in checked["differences"]]


def test_everything_that_proves_an_answer_is_in_its_chain(groq: Play) -> None:  # N6
    story = answered(groq)
    records, query = chain_of(story.query_id), read_query(story.query_id)
    assert query["audit"] == {"head": check_audit(story.query_id, QueryKind.ANSWER)["head"], "records": len(records)}
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert of_kind(records, "request")[0]["question_sha256"] == sha256(story.question)
    [source] = of_kind(records, "source")
    assert (source["sha256"], source["version"], source["end"]) == (sha256(POLICY), 1, len(POLICY))
    calls, history = of_kind(records, "call"), read_history(story.query_id)
    assert [call["reply_sha256"] for call in calls] == [sha256(each["reply_text"]) for each in history["model_calls"]]
    assert all(len(call["prompt_sha256"]) == 64 for call in calls)
    prompts = of_kind(records, "prompt")
    assert {each["name"] for each in prompts} == {call["prompt"] for call in calls}
    assert all(each["sha256"].startswith(each["version"]) for each in prompts)
    assert of_kind(records, "answer")[0]["sha256"] == sha256(query["answer"])
    outcomes = {(each["step"], each["item"]) for each in of_kind(records, "outcome")}
    assert outcomes == {(each["step"], each["item"]) for each in history["steps"]}
    assert len(of_kind(records, "verdict")) == len(query["verification"]["sentences"])
    assert records[-1]["status"] == "succeeded"


def test_pages_of_a_chain_join_and_anybody_can_compute_it(groq: Play) -> None:  # N6
    story = answered(groq)
    after: int | None = 0
    pages: Records = []
    while after is not None:
        page = read_audit(story.query_id, QueryKind.ANSWER, after=after, limit=7)
        pages += page["chain"]
        after = page["next_after"]
    last = ""
    for each in pages:
        record = json.dumps(each["record"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        last = sha256(last + record)
        assert last == each["hash"]
    assert read_query(story.query_id)["audit"] == {"head": last, "records": len(pages)}


TAMPERING = {
    "UPDATE queries SET question = 'Another?' WHERE id = :q": ("request", ["question_sha256"]),
    "UPDATE queries SET options = options || '{\"k\": 1}' WHERE id = :q": ("request", ["options_sha256"]),
    "UPDATE queries SET finished_at = now() WHERE id = :q": ("result", ["finished_at"]),
    "UPDATE chunks SET text = text || '!' WHERE :q = :q": ("source", ["sha256"]),
    "UPDATE model_calls SET reply_text = '{}' WHERE query_id = :q AND step = 'check_alignment'": (
        "call",
        ["reply_sha256"],
    ),
    "UPDATE model_calls SET model = 'other' WHERE query_id = :q AND step = 'check_alignment'": ("call", ["model"]),
    """UPDATE step_outcomes SET value = jsonb_set(value, '{verdict,confidence}', '0.5')
       WHERE query_id = :q AND step = 'check_statements'""": ("outcome", ["sha256"]),
    "UPDATE answers SET text = 'Within 60 days.' WHERE query_id = :q": ("answer", ["sha256"]),
    "UPDATE citations SET text_span = 'x' WHERE answer_id = (SELECT id FROM answers WHERE query_id = :q)": (
        "citation",
        ["sha256"],
    ),
    "UPDATE verifications SET confidence = 1.0, issues = '[\"no\"]' WHERE query_id = :q": (
        "verification",
        ["scores_sha256"],
    ),
    "UPDATE citation_checks SET explanation = 'x' WHERE :q = :q": ("verification", ["checks_sha256"]),
    "UPDATE verification_sentences SET status = 'unsupported' WHERE :q = :q": ("verdict", ["status"]),
}


@pytest.mark.parametrize("statement", TAMPERING)
def test_what_is_changed_behind_its_back_is_named(groq: Play, statement: str) -> None:  # N6
    story = answered(groq)
    assert check_audit(story.query_id, QueryKind.ANSWER)["intact"]
    kind, fields = TAMPERING[statement]
    assert changed(statement, story.query_id) == [(kind, "changed", fields)]


def test_what_is_taken_away_is_named(groq: Play) -> None:  # N6
    story = answered(groq)
    assert changed("DELETE FROM citations WHERE :q = :q", story.query_id) == [("citation", "missing", [])]


def test_a_chain_can_neither_be_changed_nor_deleted_but_goes_with_its_query(groq: Play) -> None:  # N6
    story = answered(groq)
    for statement in (
        "UPDATE audit_chains SET head = 'x' WHERE query_id = :q",
        "DELETE FROM audit_chains WHERE query_id = :q",
        "TRUNCATE audit_chains",
    ):
        with pytest.raises(DBAPIError, match="append-only"), system_transaction() as session:
            session.execute(text(statement), {"q": story.query_id})
    with transaction() as session:
        session.execute(text("DELETE FROM queries WHERE id = :q"), {"q": story.query_id})
        assert session.scalars(select(AuditChain.query_id)).all() == []


DAMAGE = {
    "records[3] = 'garbage'": (3, "unreadable"),
    "hashes = substr(hashes, 1, 64)": (3, "prompt"),
    "hashes = ''": (1, "request"),
    "records = '{}', hashes = ''": (None, "head"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_chain_is_broken_and_can_still_be_read(groq: Play, damage: str) -> None:  # N6
    story = answered(groq)
    with system_transaction() as session:
        # As the owner of the tables can.
        session.execute(text("ALTER TABLE audit_chains DISABLE TRIGGER append_only"))
        session.execute(text(f"UPDATE audit_chains SET {damage} WHERE query_id = :q"), {"q": story.query_id})
        session.execute(text("ALTER TABLE audit_chains ENABLE TRIGGER append_only"))
    first = check_audit(story.query_id, QueryKind.ANSWER)["differences"][0]
    assert (first["seq"], first["kind"], first["what"]) == (*DAMAGE[damage], "broken")
    page = read_audit(story.query_id, QueryKind.ANSWER, after=0, limit=1000)
    assert page["next_after"] is None
    assert all(each["record"]["seq"] for each in page["chain"])


def test_a_source_that_came_with_a_request_is_missed(groq: Play) -> None:  # N6, N2
    story = AuditedGivenStory("Returns must be made within 30 days [1].", POLICY, "Something else.", play=groq)
    story.verified()
    statement = "DELETE FROM given_sources WHERE query_id = :q AND number = 2"
    assert changed(statement, story.query_id, QueryKind.VERIFICATION) == [("source", "missing", [])]


def test_a_head_that_was_kept_finds_a_chain_that_was_made_anew(groq: Play) -> None:  # N6
    story = answered(groq)
    kept = read_query(story.query_id)["audit"]["head"]
    assert check_audit(story.query_id, QueryKind.ANSWER, kept)["intact"]
    [difference] = check_audit(story.query_id, QueryKind.ANSWER, "0" * 64)["differences"]
    assert (difference["kind"], difference["what"]) == ("head", "broken")


def test_erased_replies_and_deleted_documents_leave_a_chain_that_holds(groq: Play) -> None:  # N6, A8
    story = answered(groq)
    calls = len(of_kind(chain_of(story.query_id), "call"))
    with system_transaction() as session:
        assert audits.erase_old_replies(session, 3600) == 0
        assert audits.erase_old_replies(session, 0) == 1
        assert audits.erase_old_replies(session, 0) == 0
    assert {each["reply_text"] for each in read_history(story.query_id)["model_calls"]} == {None}
    story.delete_document(next(iter(story.documents)))
    checked = check_audit(story.query_id, QueryKind.ANSWER)
    assert (checked["intact"], checked["erased"]) == (True, calls + 1)


def test_a_call_that_is_stored_late_changes_nothing(groq: Play) -> None:  # N6
    story = answered(groq)
    copied = """
        INSERT INTO model_calls (query_id, round, step, item, provider, model, prompt, prompt_version, attempt,
            prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, estimated, cost_usd, duration_ms)
        SELECT query_id, round, step, item, provider, model, prompt, prompt_version, attempt, 0, 0, 0, 0, false, 0, 0
        FROM model_calls WHERE query_id = :q LIMIT 1
    """
    with transaction() as session:
        session.execute(text(copied), {"q": story.query_id})
    checked = check_audit(story.query_id, QueryKind.ANSWER)
    assert (checked["intact"], checked["later"]) == (True, 1)


def test_a_verification_of_a_given_answer_has_a_chain(groq: Play) -> None:  # N6, N2
    story = AuditedGivenStory("Returns must be made within 60 days [1].", POLICY, "Something else.", play=groq)
    assert story.verified()["audit"]["records"] == len(records := chain_of(story.query_id, QueryKind.VERIFICATION))
    assert [each["sha256"] for each in of_kind(records, "source")] == [sha256(POLICY), sha256("Something else.")]
    statement = "UPDATE given_sources SET text = 'x' WHERE query_id = :q AND number = 2"
    found = changed(statement, story.query_id, QueryKind.VERIFICATION)
    assert found == [("source", "changed", ["end", "sha256"])]


@pytest.mark.parametrize(
    ("status", "why"), [(None, "is queued"), ("cancelled", "was cancelled"), ("old", "kept no audit")]
)
def test_without_a_chain_there_is_a_reason(status: str | None, why: str) -> None:  # N6
    with transaction() as session:
        query = make_query(session)
        if status == "cancelled":
            finish(session, query.id, QueryStatus.CANCELLED)
    if status == "old":
        with transaction() as session:
            session.execute(text("UPDATE queries SET status = 'failed', finished_at = now()"))
    assert read_query(query.id)["audit"] is None
    for look in (lambda: check_audit(query.id, QueryKind.ANSWER), lambda: chain_of(query.id)):
        with pytest.raises(AuditNotFound, match=why):
            look()


def test_a_query_that_failed_has_one_and_the_webhook_tells_the_head() -> None:  # N6, A6
    register("https://example.com/hook", "query.*")
    with transaction() as session:
        query = make_query(session)
        finish(session, query.id, QueryStatus.FAILED, error={"code": "gave_up", "message": "It stopped."})
    with reading() as session:
        told = json.loads(session.scalars(select(WebhookMessage.payload)).one())
    assert told["data"]["audit"] == read_query(query.id)["audit"]
    assert chain_of(query.id)[-1]["error_sha256"]
