"""Kept replies in Postgres: gathered, each tenant's its own, and gone when they are old."""

import asyncio
import time
from collections.abc import Generator, Mapping
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from clients.llm.kept import KeptReply
from config.settings import settings
from db.models import DEFAULT_TENANT
from db.queries import replies
from db.queries.keys import get_or_add_tenant
from db.queries.replies import drop_old_replies
from db.session import acting_for, dispose, engine, system_transaction
from services.replies import StoredReplies
from workers.reconciler import tidy

pytestmark = pytest.mark.usefixtures("database")

DAY_S = 86_400.0
KEYS = [bytes([number]) * 32 for number in range(40)]
REPLIES = {key: KeptReply(f'{{"score": {key[0]}}}', "m") for key in KEYS}


@pytest.fixture
def stranger() -> int:
    with system_transaction() as session:
        return get_or_add_tenant(session, "stranger", "whsec_")


@pytest.fixture
def statements() -> Generator[list[str]]:
    """What is said to Postgres about kept replies."""
    said: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "kept_replies" in statement:
            said.append(statement.split()[0])

    event.listen(engine(), "before_cursor_execute", note)
    yield said
    event.remove(engine(), "before_cursor_execute", note)


async def put_all(store: StoredReplies) -> None:
    await asyncio.gather(*(store.put(key, reply) for key, reply in REPLIES.items()))


async def get_each(store: StoredReplies) -> dict[bytes, KeptReply]:
    found: dict[bytes, KeptReply] = {}
    for each in await asyncio.gather(*(store.get([key]) for key in KEYS)):
        found.update(each)
    return found


def test_what_comes_together_is_stored_and_found_by_one_statement(statements: list[str]) -> None:
    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        await put_all(store)
        assert await get_each(store) == REPLIES

    asyncio.run(scenario())
    assert statements == ["INSERT", "SELECT"]


def test_one_tenant_never_sees_the_others_replies(stranger: int) -> None:  # A8
    async def both_at_once(store: StoredReplies) -> tuple[object, object]:
        async def get_for(tenant: int) -> dict[bytes, KeptReply]:
            with acting_for(tenant):
                return await get_each(store)

        ours, theirs = await asyncio.gather(get_for(DEFAULT_TENANT), get_for(stranger))
        return ours, theirs

    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        await put_all(store)
        assert await both_at_once(store) == (REPLIES, {})
        with acting_for(stranger):
            await store.put(KEYS[0], KeptReply("theirs", "m"))
        ours, theirs = await both_at_once(store)
        assert (ours, theirs) == (REPLIES, {KEYS[0]: KeptReply("theirs", "m")})

    asyncio.run(scenario())


def test_the_first_reply_under_a_key_stays() -> None:
    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        await store.put(KEYS[0], KeptReply("first", "m"))
        await store.put(KEYS[0], KeptReply("second", "m"))
        assert await store.get([KEYS[0]]) == {KEYS[0]: KeptReply("first", "m")}

    asyncio.run(scenario())


def test_who_stops_waiting_stops_nobody_else() -> None:
    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        leaving, staying = (asyncio.ensure_future(store.put(key, REPLIES[key])) for key in KEYS[:2])
        await asyncio.sleep(0)
        leaving.cancel()
        await staying
        assert (await get_each(store)).keys() == set(KEYS[:2])

    asyncio.run(scenario())


def aged(days: int) -> None:
    with system_transaction() as session:
        session.execute(text("UPDATE kept_replies SET created_at = now() - make_interval(days => :d)"), {"d": days})


def test_an_old_reply_is_not_found_and_removed_by_whoever_tidies(
    stranger: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fill() -> None:
        store = StoredReplies(DAY_S)
        await put_all(store)
        with acting_for(stranger):
            await store.put(KEYS[0], REPLIES[KEYS[0]])

    asyncio.run(fill())
    aged(days=2)
    assert asyncio.run(get_each(StoredReplies(DAY_S))) == {}
    assert asyncio.run(get_each(StoredReplies(3 * DAY_S))) == REPLIES
    monkeypatch.setattr("db.queries.replies.SWEEP", 30)
    with system_transaction() as session:
        assert drop_old_replies(session, 3 * DAY_S) == 0
        assert drop_old_replies(session, DAY_S) == 30
    monkeypatch.setenv("CITEWELL_MODELS__KEEP_REPLIES_S", "3600")
    settings.cache_clear()
    tidy()
    assert asyncio.run(get_each(StoredReplies(3 * DAY_S))) == {}


def test_when_a_reply_was_last_used_is_known_to_the_hour(statements: list[str]) -> None:
    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        await put_all(store)
        with system_transaction() as session:
            session.execute(text("UPDATE kept_replies SET used_at = now() - interval '2 hours'"))
        statements.clear()
        await get_each(store)
        await get_each(store)

    asyncio.run(scenario())
    assert statements == ["SELECT", "UPDATE", "SELECT"]


def test_without_postgres_what_was_paid_is_held_and_stored_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:  # A5
    url = settings().database_url.get_secret_value()

    def use(database: str) -> None:
        dispose()
        monkeypatch.setenv("CITEWELL_DATABASE_URL", database)
        settings.cache_clear()

    async def scenario() -> None:
        store, other = StoredReplies(DAY_S), StoredReplies(DAY_S)
        use("postgresql+psycopg://nobody@127.0.0.1:1/none")
        await put_all(store)
        assert await get_each(store) == REPLIES
        assert await get_each(other) == {}
        use(url)
        await store.put(KEYS[0], REPLIES[KEYS[0]])
        assert await get_each(other) == REPLIES

    asyncio.run(scenario())
    dispose()


def test_a_reply_that_cannot_be_stored_loses_none_beside_it() -> None:  # smell 7
    broken = {KEYS[3]: KeptReply("a NUL \x00 in it", "m"), KEYS[7]: KeptReply("half a pair \ud83d", "m")}

    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        with capture_logs() as lines:
            await asyncio.gather(*(store.put(key, reply) for key, reply in {**REPLIES, **broken}.items()))
        assert await get_each(StoredReplies(DAY_S)) == {key: REPLIES[key] for key in KEYS if key not in broken}
        assert [line["event"] for line in lines] == ["reply_not_stored"] * 2

    asyncio.run(scenario())


def test_what_there_is_no_room_for_is_dropped_aloud(monkeypatch: pytest.MonkeyPatch) -> None:  # smell 7
    monkeypatch.setattr("services.replies.MOST_HELD", 30)

    async def scenario() -> None:
        with capture_logs() as lines:
            await put_all(StoredReplies(DAY_S))
        assert [line["event"] for line in lines] == ["reply_dropped"] * (len(KEYS) - 30)

    asyncio.run(scenario())


def test_a_store_that_breaks_is_empty_and_raises_nothing() -> None:  # smell 8
    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        await put_all(store)
        with system_transaction() as session:
            session.execute(text("ALTER TABLE kept_replies RENAME COLUMN used_at TO other"))
        try:
            assert await store.get(KEYS) == {}
        finally:
            with system_transaction() as session:
                session.execute(text("ALTER TABLE kept_replies RENAME COLUMN other TO used_at"))
        assert await store.get(KEYS) == REPLIES

    asyncio.run(scenario())


def test_a_reply_that_comes_alone_does_not_wait_for_others(
    monkeypatch: pytest.MonkeyPatch, statements: list[str]
) -> None:  # F10
    """A process that is killed loses what it has not stored; what comes while others are stored is one statement."""
    monkeypatch.setattr("services.replies.STORE_WITHIN_S", 3600.0)

    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        await store.put(KEYS[0], REPLIES[KEYS[0]])
        rest = [asyncio.ensure_future(store.put(key, REPLIES[key])) for key in KEYS[1:]]
        await asyncio.sleep(0.05)
        assert not any(each.done() for each in rest)
        for each in rest:
            each.cancel()

    asyncio.run(scenario())
    assert statements == ["INSERT"]


def test_a_reply_is_sent_once_however_many_come_while_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    add = replies.add_replies

    def slowly(session: Session, rows: Mapping[bytes, replies.Reply], keep_s: float) -> None:
        sent.extend(rows)
        time.sleep(0.1)
        add(session, rows, keep_s)

    async def scenario() -> None:
        store = StoredReplies(DAY_S)
        stopped = asyncio.ensure_future(store.put(KEYS[0], REPLIES[KEYS[0]]))
        await asyncio.sleep(0.05)
        stopped.cancel()
        await asyncio.gather(put_all(store), put_all(store))
        assert await get_each(StoredReplies(DAY_S)) == REPLIES

    monkeypatch.setattr("services.replies.replies.add_replies", slowly)
    asyncio.run(scenario())
    assert len(sent) == len(set(sent)) == len(KEYS)
