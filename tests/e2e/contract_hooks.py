"""Hooks for the request generator: the format of batch bodies, and the time that a question needs.

Named by SCHEMATHESIS_HOOKS.
"""

import json
from typing import Any, cast

import schemathesis

_ENOUGH_S = 60.0


@schemathesis.serializer("application/jsonl", "application/x-ndjson")
def lines(_: schemathesis.SerializationContext, value: Any) -> bytes:
    """A JSON value per line; anything but a list is sent as it is, to be refused."""
    if isinstance(value, (str, bytes)):
        return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return "\n".join(map(json.dumps, items)).encode()


@schemathesis.hook  # pyright: ignore[reportUnknownMemberType]
def before_call(_: schemathesis.HookContext, case: Any, _kwargs: Any) -> None:
    """A question without time is refused with 503 while another one is running, which is no fault."""
    if not isinstance(case.body, dict):
        return
    body = cast("dict[str, Any]", case.body)
    deadline = body.get("deadline_s")
    if isinstance(deadline, float) and 0 < deadline < _ENOUGH_S:
        body["deadline_s"] = _ENOUGH_S
