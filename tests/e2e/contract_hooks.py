"""What the generator of requests has to be told: how bodies of batches are written. Named by SCHEMATHESIS_HOOKS."""

import json
from typing import Any, cast

import schemathesis


@schemathesis.serializer("application/jsonl", "application/x-ndjson")
def lines(_: schemathesis.SerializationContext, value: Any) -> bytes:
    """A JSON value per line; what is no list is sent as it is, to be refused."""
    if isinstance(value, (str, bytes)):
        return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return "\n".join(map(json.dumps, items)).encode()
