"""Requests about audits; `of` is the resource of the id: `queries` or `verifications`."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from citewell.client._calls import IDEMPOTENCY_KEY, JSON_TYPE, Call, at, given, json_body, object_of
from citewell.wire import Audit, AuditCheck, Verification


def audit(of: str, query_id: str, after: int, limit: int) -> Call[Audit]:
    return Call("GET", at(of, query_id, "audit"), object_of, {"after": after, "limit": limit})


def check_audit(of: str, query_id: str, head: str | None) -> Call[AuditCheck]:
    return Call("GET", at(of, query_id, "audit", "check"), object_of, given(head=head))


def reverify(of: str, query_id: str, idempotency_key: str | None, options: Mapping[str, Any]) -> Call[Verification]:
    headers = JSON_TYPE | {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
    return Call("POST", at(of, query_id, "reverify"), object_of, headers=headers, body=json_body(given(**options)))
