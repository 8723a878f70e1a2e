"""Idempotency-Key: the header that makes a request safe to repeat (A3)."""

import hashlib
from typing import Annotated

from fastapi import Depends, Header, Request

from db.queries.access.idempotency import Repeatable
from domain.errors import IdempotencyKeyInvalid

REPLAYED = {"Idempotent-Replayed": "true"}
_MOST = 255


async def _repeatable(
    request: Request,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="1 to 255 visible ASCII characters, e.g. a UUID. A repetition within 24 hours gets the first "
            "response again; another path or body under the same key is refused. `wait` may differ.",
            json_schema_extra={"pattern": f"^[!-~]{{1,{_MOST}}}$"},
        ),
    ] = None,
) -> Repeatable | None:
    if idempotency_key is None:
        return None
    if not (1 <= len(idempotency_key) <= _MOST and all("!" <= character <= "~" for character in idempotency_key)):
        raise IdempotencyKeyInvalid
    # The client's waiting time does not affect the result, and a repetition may wait longer.
    query = "&".join(part for part in request.url.query.split("&") if part.partition("=")[0] != "wait")
    digest = hashlib.sha256(f"{request.url.path}?{query}\n".encode())
    digest.update(await request.body())
    return Repeatable(idempotency_key, digest.hexdigest())


MaybeRepeated = Annotated[Repeatable | None, Depends(_repeatable)]
