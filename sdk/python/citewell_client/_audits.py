"""Audits, in both clients. `of` is the kind of resource that the id belongs to: `queries` or `verifications`."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal
from uuid import uuid4

from citewell_client._calls import IDEMPOTENCY_KEY, JSON_TYPE, Call, at, json_body, object_of, without_none
from citewell_client._requests.verifications import verification
from citewell_client._transport import AsyncTransport, Transport
from citewell_client._waiting import PATIENCE_S
from citewell_client.types import Audit, AuditCheck, Verification

Of = Literal["queries", "verifications"]
_PAGE = 500


def _audit(of: str, query_id: str, after: int, limit: int) -> Call[Audit]:
    return Call("GET", at(of, query_id, "audit"), object_of, {"after": after, "limit": limit})


def _check_audit(of: str, query_id: str, head: str | None) -> Call[AuditCheck]:
    return Call("GET", at(of, query_id, "audit", "check"), object_of, without_none(head=head))


def _reverify(of: str, query_id: str, idempotency_key: str | None, options: Mapping[str, Any]) -> Call[Verification]:
    headers = JSON_TYPE | {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
    return Call(
        "POST", at(of, query_id, "reverify"), object_of, headers=headers, body=json_body(without_none(**options))
    )


class Audits(Transport):
    """Audits, in the sync client."""

    def audit(self, query_id: str, *, of: Of = "queries", after: int = 0, limit: int = _PAGE) -> Audit:
        """Return a page of the chain of records that proves a result."""
        return self.send(_audit(of, query_id, after, limit))

    def check_audit(self, query_id: str, head: str | None = None, *, of: Of = "queries") -> AuditCheck:
        """Recompute every hash on the server; `head` is a head that you kept, to compare with."""
        return self.send(_check_audit(of, query_id, head))

    def reverify(
        self,
        query_id: str,
        *,
        of: Of = "queries",
        wait: float = PATIENCE_S,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> Verification:
        """Verify a stored answer again on its original evidence, and wait for the result; see its `comparison`.

        `options` are fields of the request: `model`, `preset`, `citation_confidence`, `checks`, `callback_url`.
        """
        begun = self.send(_reverify(of, query_id, idempotency_key, options))
        return self.until_final(partial(verification, begun["id"]), wait) if wait else begun


class AsyncAudits(AsyncTransport):
    """Audits, in the async client."""

    async def audit(self, query_id: str, *, of: Of = "queries", after: int = 0, limit: int = _PAGE) -> Audit:
        """Return a page of the chain of records that proves a result."""
        return await self.send(_audit(of, query_id, after, limit))

    async def check_audit(self, query_id: str, head: str | None = None, *, of: Of = "queries") -> AuditCheck:
        """Recompute every hash on the server; `head` is a head that you kept, to compare with."""
        return await self.send(_check_audit(of, query_id, head))

    async def reverify(
        self,
        query_id: str,
        *,
        of: Of = "queries",
        wait: float = PATIENCE_S,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> Verification:
        """Verify a stored answer again on its original evidence, and wait for the result; see its `comparison`.

        `options` are fields of the request: `model`, `preset`, `citation_confidence`, `checks`, `callback_url`.
        """
        begun = await self.send(_reverify(of, query_id, idempotency_key, options))
        return await self.until_final(partial(verification, begun["id"]), wait) if wait else begun
