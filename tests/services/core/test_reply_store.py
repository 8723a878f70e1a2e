"""Kept replies in Postgres: batched, separate per tenant, and deleted when old."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from clients.llm.calling.reply_cache import CachedReply
from config.settings import settings
from db.models import DEFAULT_TENANT
from db.queries.access.keys import get_or_add_tenant
from db.queries.runs import replies
from db.queries.runs.replies import drop_old_replies
from db.round_trips import call
from db.session import acting_for, dispose, system_transaction
from services.core.reply_store import STORE_WITHIN_S, StoredReplies
from workers.background.reconciler import tidy

pytestmark = pytest.mark.usefixtures("database")

DAY_S = 86_400.0
KEYS = [bytes([number]) * 32 for number in range(40)]
REPLIES = {key: CachedReply(f'{{"score": {key[0]}}}', "m") for key in KEYS}


@pytest.fixture
def stranger() -> int:
    with system_transaction() as session:
        return get_or_add_tenant(session, "stranger", "whsec_")


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries to Postgres about kept replies."""
    names: list[str] = []

    async def note(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        found = re.search(r"(\w+)_replies", statement)
        assert found
        names.append(found[1])
        return await call(statement, values)

    monkeypatch.setattr(replies, "call", note)
    return names


async def put_all(store: StoredReplies) -> None:
    await asyncio.gather(*(store.put(key, reply) for key, reply in REPLIES.items()))


async def get_each(store: StoredReplies) -> dict[bytes, CachedReply]:
    found: dict[bytes, CachedReply] = {}
    for each in await asyncio.gather(*(store.get([key]) for key in KEYS)):
        found.update(each)
    return found


async def test_what_comes_together_is_stored_and_found_by_one_statement(called: list[str]) -> None:
    store = StoredReplies(DAY_S)
    await put_all(store)
    assert await get_each(store) == REPLIES
    assert called == ["keep", "find"]


async def test_what_waits_to_be_stored_goes_with_the_next_look(called: list[str]) -> None:
    store = StoredReplies(DAY_S)
    waiting = [asyncio.ensure_future(store.put(key, REPLIES[key])) for key in KEYS[:3]]
    await asyncio.sleep(0)
    assert await store.get([KEYS[3]]) == {}
    await asyncio.gather(*waiting)
    assert await StoredReplies(DAY_S).get(KEYS) == {key: REPLIES[key] for key in KEYS[:3]}
    assert called == ["find", "find"]


async def test_one_tenant_never_sees_the_others_replies(stranger: int) -> None:  # A8
    async def get_for(tenant: int) -> dict[bytes, CachedReply]:
        with acting_for(tenant):
            return await get_each(store)

    store = StoredReplies(DAY_S)
    await put_all(store)
    assert await asyncio.gather(get_for(DEFAULT_TENANT), get_for(stranger)) == [REPLIES, {}]
    with acting_for(stranger):
        await store.put(KEYS[0], CachedReply("theirs", "m"))
    theirs = {KEYS[0]: CachedReply("theirs", "m")}
    assert await asyncio.gather(get_for(DEFAULT_TENANT), get_for(stranger)) == [REPLIES, theirs]


async def test_the_first_reply_under_a_key_stays() -> None:
    store = StoredReplies(DAY_S)
    await store.put(KEYS[0], CachedReply("first", "m"))
    await store.put(KEYS[0], CachedReply("second", "m"))
    assert await store.get([KEYS[0]]) == {KEYS[0]: CachedReply("first", "m")}


async def test_who_stops_waiting_stops_nobody_else() -> None:
    store = StoredReplies(DAY_S)
    leaving, staying = (asyncio.ensure_future(store.put(key, REPLIES[key])) for key in KEYS[:2])
    await asyncio.sleep(0)
    leaving.cancel()
    await staying
    assert (await get_each(store)).keys() == set(KEYS[:2])


def aged(days: int) -> None:
    with system_transaction() as session:
        session.execute(text("UPDATE kept_replies SET created_at = now() - make_interval(days => :d)"), {"d": days})


async def test_an_old_reply_is_not_found_and_removed_by_whoever_tidies(
    stranger: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = StoredReplies(DAY_S)
    await put_all(store)
    with acting_for(stranger):
        await store.put(KEYS[0], REPLIES[KEYS[0]])
    aged(days=2)
    assert await get_each(StoredReplies(DAY_S)) == {}
    assert await get_each(StoredReplies(3 * DAY_S)) == REPLIES
    monkeypatch.setattr("db.queries.runs.replies.SWEEP", 30)
    with system_transaction() as session:
        assert drop_old_replies(session, 3 * DAY_S) == 0
        assert drop_old_replies(session, DAY_S) == 30
    monkeypatch.setenv("CITEWELL_MODELS__KEEP_REPLIES_S", "3600")
    settings.cache_clear()
    tidy()
    assert await get_each(StoredReplies(3 * DAY_S)) == {}


async def test_when_a_reply_was_last_used_is_known_to_the_hour() -> None:
    def used(set_back: str = "0") -> list[Any]:
        with system_transaction() as session:
            session.execute(text("UPDATE kept_replies SET used_at = used_at - CAST(:by AS interval)"), {"by": set_back})
            return [*session.scalars(text("SELECT DISTINCT now() - used_at < interval '10 minutes' FROM kept_replies"))]

    store = StoredReplies(DAY_S)
    await put_all(store)
    assert used(set_back="2 hours") == [False]
    await get_each(store)
    assert used() == [True]
    assert used(set_back="30 minutes") == [False]
    await get_each(store)
    assert used() == [False]


async def test_without_postgres_what_was_paid_is_held_and_stored_with_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # A5
    url = settings().database_url.get_secret_value()

    def use(database: str) -> None:
        dispose()
        monkeypatch.setenv("CITEWELL_DATABASE_URL", database)
        settings.cache_clear()

    store, other = StoredReplies(DAY_S), StoredReplies(DAY_S)
    use("postgresql+psycopg://nobody@127.0.0.1:1/none")
    await put_all(store)
    assert await get_each(store) == REPLIES
    assert await get_each(other) == {}
    use(url)
    await store.put(KEYS[0], REPLIES[KEYS[0]])
    assert await get_each(other) == REPLIES
    dispose()


async def test_a_reply_that_cannot_be_stored_loses_none_beside_it() -> None:
    broken = {KEYS[3]: CachedReply("a NUL \x00 in it", "m"), KEYS[7]: CachedReply("half a pair \ud83d", "m")}

    store = StoredReplies(DAY_S)
    with capture_logs() as lines:
        await asyncio.gather(*(store.put(key, reply) for key, reply in {**REPLIES, **broken}.items()))
    assert await get_each(StoredReplies(DAY_S)) == {key: REPLIES[key] for key in KEYS if key not in broken}
    assert [line["event"] for line in lines] == ["reply_not_stored"] * 2


async def test_what_there_is_no_room_for_is_dropped_aloud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.core.reply_store.MOST_HELD", 30)

    with capture_logs() as lines:
        await put_all(StoredReplies(DAY_S))
    assert [line["event"] for line in lines] == ["reply_dropped"] * (len(KEYS) - 30)


async def test_a_store_that_breaks_is_empty_and_raises_nothing() -> None:
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


async def test_nothing_that_was_paid_for_waits_for_more(called: list[str]) -> None:  # F10
    """A killed process loses what it has not stored."""

    store, began = StoredReplies(DAY_S), asyncio.get_running_loop().time()
    stored = [asyncio.ensure_future(store.put(KEYS[0], REPLIES[KEYS[0]]))]
    while "keep" not in called:
        await asyncio.sleep(STORE_WITHIN_S / 4)
        if asyncio.get_running_loop().time() < began + 10 * STORE_WITHIN_S:
            more = KEYS[len(stored)]
            stored.append(asyncio.ensure_future(store.put(more, REPLIES[more])))
    await asyncio.gather(*stored)
    assert len(stored) < len(KEYS)


async def test_a_reply_is_sent_once_however_many_come_while_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    add = replies.add_replies

    async def slowly(rows: Mapping[bytes, replies.Reply], keep_s: float) -> None:
        sent.extend(rows)
        await asyncio.sleep(0.1)
        await add(rows, keep_s)

    monkeypatch.setattr("services.core.reply_store.replies.add_replies", slowly)
    store = StoredReplies(DAY_S)
    stopped = asyncio.ensure_future(store.put(KEYS[0], REPLIES[KEYS[0]]))
    await asyncio.sleep(0.05)
    stopped.cancel()
    await asyncio.gather(put_all(store), put_all(store))
    assert await get_each(StoredReplies(DAY_S)) == REPLIES
    assert len(sent) == len(set(sent)) == len(KEYS)
