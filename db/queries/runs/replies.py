"""Cached model replies: looked up and stored in bulk, deleted when old."""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from db.models import KeptReply
from db.round_trips import bytes_array, call, text_array

SWEEP = 5_000
"""The rows deleted per sweep, because a long statement would delay the other housekeeping."""


class Reply(NamedTuple):
    """A reply, the model that gave it, and the record of the call that produced it, if one began."""

    text: str
    model: str
    ended: Mapping[str, Any] | None = None


async def find_replies(
    begun: Mapping[bytes, Mapping[str, Any] | None], keep_s: float, new: Mapping[bytes, Reply] | None = None
) -> dict[bytes, Reply]:
    """Return the replies under these keys that are at most `keep_s` seconds old.

    For the other keys a call begins, and their `begun` values, columns of `BegunCall`, are stored, unless their step
    has stored its outcome meanwhile. `new` replies are stored too, as by `add_replies`. Raises Refused.
    """
    calls = [{"key": key.hex(), **call_} for key, call_ in begun.items() if call_ is not None]
    values = {
        "looked_up": bytes_array(begun),
        "begun": json.dumps(calls) if calls else None,
        **_columns(new or {}, keep_s),
    }
    return {key: Reply(*reply) for key, *reply in await call(_FIND, values)}


async def add_replies(replies: Mapping[bytes, Reply], keep_s: float) -> None:
    """Store replies; an existing reply stays until it is older than `keep_s` seconds. Raises Refused."""
    await call(_ADD, _columns(replies, keep_s))


def _columns(replies: Mapping[bytes, Reply], keep_s: float) -> dict[str, Any]:
    # The rows are sorted, so that two processes storing the same keys wait for each other instead of deadlocking.
    keys: Sequence[bytes] = sorted(replies)
    ended = [{"key": key.hex(), **call_} for key in keys if (call_ := replies[key].ended) is not None]
    return {
        "keys": bytes_array(keys),
        "texts": text_array(replies[key].text for key in keys),
        "models": text_array(replies[key].model for key in keys),
        "keep": keep_s,
        "ended": json.dumps(ended) if ended else None,
    }


_NEW = "%(keys)s::bytea[], %(texts)s::text[], %(models)s::text[]"
_FIND = f"""
    SELECT * FROM find_replies_v1(
        %(tenant)s::bigint, %(looked_up)s::bytea[], %(keep)s::float8, %(begun)s::json, {_NEW}, %(ended)s::json)
"""  # noqa: S608 - only constants are put together
_ADD = f"SELECT FROM keep_replies_v1(%(tenant)s::bigint, {_NEW}, %(keep)s::float8, %(ended)s::json)"


def drop_old_replies(session: Session, keep_s: float) -> int:
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
