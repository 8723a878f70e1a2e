"""Audits, in both clients. `of` is the resource of the id: `queries` or `verifications`."""

from functools import partial
from typing import Any, Literal

from citewell.client._requests import audits as requests
from citewell.client._requests.verifications import verification
from citewell.client._transport import AsyncTransport, Transport
from citewell.client._waiting import PATIENCE_S
from citewell.wire import Audit, AuditCheck, Verification

Of = Literal["queries", "verifications"]
_PAGE = 500


class Audits(Transport):
    """Audits, in the sync client."""

    def audit(self, query_id: str, *, of: Of = "queries", after: int = 0, limit: int = _PAGE) -> Audit:
        """A page of the chain of records that proves a result."""
        return self.send(requests.audit(of, query_id, after, limit))

    def check_audit(self, query_id: str, head: str | None = None, *, of: Of = "queries") -> AuditCheck:
        """Recompute every hash on the server; `head` is one that you kept."""
        return self.send(requests.check_audit(of, query_id, head))

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
        begun = self.send(requests.reverify(of, query_id, idempotency_key, options))
        return self.until_final(partial(verification, begun["id"]), wait) if wait else begun


class AsyncAudits(AsyncTransport):
    """Audits, in the async client."""

    async def audit(self, query_id: str, *, of: Of = "queries", after: int = 0, limit: int = _PAGE) -> Audit:
        """A page of the chain of records that proves a result."""
        return await self.send(requests.audit(of, query_id, after, limit))

    async def check_audit(self, query_id: str, head: str | None = None, *, of: Of = "queries") -> AuditCheck:
        """Recompute every hash on the server; `head` is one that you kept."""
        return await self.send(requests.check_audit(of, query_id, head))

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
        begun = await self.send(requests.reverify(of, query_id, idempotency_key, options))
        return await self.until_final(partial(verification, begun["id"]), wait) if wait else begun
