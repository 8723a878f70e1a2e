"""Kept replies: looked up and stored many at a time, removed when they are old."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from db.models import KeptReply

SWEEP = 5_000
"""Rows removed per look: a statement that takes long would hold up the rest of the tidying."""


class Reply(NamedTuple):
    """A reply and the model that gave it."""

    text: str
    model: str


def find_replies(session: Session, keys: Iterable[bytes], keep_s: float) -> dict[bytes, Reply]:
    """The replies under `keys` that are not older than `keep_s` seconds."""
    rows = session.execute(_FIND, {"keys": list(keys), "keep": keep_s}).all()
    stale = [row.key for row in rows if row.is_stale]
    if stale:
        session.execute(_TOUCH, {"keys": stale})
    return {row.key: Reply(row.reply_text, row.model) for row in rows}


_FIND = text("""
    SELECT key, reply_text, model, used_at < now() - interval '1 hour' AS is_stale
    FROM kept_replies WHERE key = ANY(:keys) AND created_at > now() - make_interval(secs => :keep)
""")
# Rows that another process just touches are left to it: two that wait for each other's rows would both fail.
_TOUCH = text("""
    UPDATE kept_replies SET used_at = now() WHERE key IN (
        SELECT key FROM kept_replies WHERE key = ANY(:keys) FOR UPDATE SKIP LOCKED)
""")


def add_replies(session: Session, replies: Mapping[bytes, Reply], keep_s: float) -> None:
    """Store replies; the first one under a key stays until it is older than `keep_s` seconds."""
    # Sorted, so that two processes that store the same keys wait for each other instead of deadlocking.
    keys: Sequence[bytes] = sorted(replies)
    session.execute(
        _ADD,
        {
            "keys": keys,
            "texts": [replies[key].text for key in keys],
            "models": [replies[key].model for key in keys],
            "keep": keep_s,
        },
    )


_ADD = text("""
    INSERT INTO kept_replies (key, reply_text, model)
    SELECT * FROM unnest(CAST(:keys AS bytea[]), CAST(:texts AS text[]), CAST(:models AS text[]))
    ON CONFLICT (tenant_id, key) DO UPDATE
    SET reply_text = excluded.reply_text, model = excluded.model, created_at = now()
    WHERE kept_replies.created_at <= now() - make_interval(secs => :keep)
""")


def drop_old_replies(session: Session, keep_s: float) -> int:
    """Delete replies older than `keep_s` seconds, the oldest first and SWEEP at most; return how many."""
    old = (
        select(KeptReply.tenant_id, KeptReply.key)
        .where(KeptReply.created_at < func.now() - timedelta(seconds=keep_s))
        .order_by(KeptReply.created_at)
        .limit(SWEEP)
        .cte()
    )
    removed = session.execute(
        delete(KeptReply)
        .where(KeptReply.tenant_id == old.c.tenant_id, KeptReply.key == old.c.key)
        .returning(KeptReply.key)
    )
    return len(removed.all())
