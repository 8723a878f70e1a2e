"""Verifications of external answers, in both clients."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from citewell_client._calls import Pages
from citewell_client._requests import verifications as requests
from citewell_client._transport import AsyncTransport, Transport
from citewell_client._waiting import PATIENCE_S
from citewell_client.types import Batch, BatchAccepted, Source, Verification, VerificationHead, VerificationRequest


class Verifications(Transport):
    """Verifications, in the sync client."""

    def verify(
        self,
        answer: str,
        sources: Sequence[Source],
        question: str | None = None,
        checks: Sequence[str] | None = None,
        *,
        wait: float = PATIENCE_S,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> Verification:
        """Verify an answer of any origin against its sources, and wait for the result, at most `wait` seconds.

        Sources are texts (`{"text": …, "title": …}`) or documents of the server (`{"document_id": …}`), and [1] in the
        answer cites the first of them; `options` are further fields of the request, e.g. `callback_url`.
        """
        begun = self.send(requests.verify(answer, sources, question, checks, idempotency_key, options))
        return self.until_final(partial(requests.verification, begun["id"]), wait) if wait else begun

    def verification(self, verification_id: str, *, wait: float = 0) -> Verification:
        """Return a verification in its current state; with `wait` the server waits that many seconds (≤ 60) for the
        end."""
        return self.send(requests.verification(verification_id, wait))

    def verifications(self, *, status: str | None = None, limit: int | None = None) -> Iterator[VerificationHead]:
        """Yield all verifications without their texts, the newest first, or the first `limit` of them."""
        pages = Pages(partial(requests.verifications, status), limit)
        while not pages.over:
            yield from pages.take(self.send(pages.next()))

    def cancel_verification(self, verification_id: str) -> Verification:
        """Stop working on a verification."""
        return self.send(requests.cancel_verification(verification_id))

    def replay_verification(self, verification_id: str, *, idempotency_key: str | None = None) -> Verification:
        """Repeat a verification that failed, was cancelled or has parked steps, as a new one; see its `id`."""
        return self.send(requests.replay_verification(verification_id, idempotency_key))

    def verify_batch(
        self, items: Iterable[VerificationRequest], *, idempotency_key: str | None = None
    ) -> BatchAccepted:
        """Verify many answers; a `custom_id` in an item comes back with its result."""
        return self.send(requests.verify_batch(items, idempotency_key))

    def batch(self, batch_id: str) -> Batch:
        """Return the progress of a batch."""
        return self.send(requests.batch(batch_id))

    def batch_results(self, batch_id: str) -> list[Verification]:
        """Return the results of a batch so far."""
        return self.send(requests.batch_results(batch_id))


class AsyncVerifications(AsyncTransport):
    """Verifications, in the async client."""

    async def verify(
        self,
        answer: str,
        sources: Sequence[Source],
        question: str | None = None,
        checks: Sequence[str] | None = None,
        *,
        wait: float = PATIENCE_S,
        idempotency_key: str | None = None,
        **options: Any,
    ) -> Verification:
        """Verify an answer of any origin against its sources, and wait for the result, at most `wait` seconds.

        Sources are texts (`{"text": …, "title": …}`) or documents of the server (`{"document_id": …}`), and [1] in the
        answer cites the first of them; `options` are further fields of the request, e.g. `callback_url`.
        """
        begun = await self.send(requests.verify(answer, sources, question, checks, idempotency_key, options))
        return await self.until_final(partial(requests.verification, begun["id"]), wait) if wait else begun

    async def verification(self, verification_id: str, *, wait: float = 0) -> Verification:
        """Return a verification in its current state; with `wait` the server waits that many seconds (≤ 60) for the
        end."""
        return await self.send(requests.verification(verification_id, wait))

    async def verifications(
        self, *, status: str | None = None, limit: int | None = None
    ) -> AsyncIterator[VerificationHead]:
        """Yield all verifications without their texts, the newest first, or the first `limit` of them."""
        pages = Pages(partial(requests.verifications, status), limit)
        while not pages.over:
            for head in pages.take(await self.send(pages.next())):
                yield head

    async def cancel_verification(self, verification_id: str) -> Verification:
        """Stop working on a verification."""
        return await self.send(requests.cancel_verification(verification_id))

    async def replay_verification(self, verification_id: str, *, idempotency_key: str | None = None) -> Verification:
        """Repeat a verification that failed, was cancelled or has parked steps, as a new one; see its `id`."""
        return await self.send(requests.replay_verification(verification_id, idempotency_key))

    async def verify_batch(
        self, items: Iterable[VerificationRequest], *, idempotency_key: str | None = None
    ) -> BatchAccepted:
        """Verify many answers; a `custom_id` in an item comes back with its result."""
        return await self.send(requests.verify_batch(items, idempotency_key))

    async def batch(self, batch_id: str) -> Batch:
        """Return the progress of a batch."""
        return await self.send(requests.batch(batch_id))

    async def batch_results(self, batch_id: str) -> list[Verification]:
        """Return the results of a batch so far."""
        return await self.send(requests.batch_results(batch_id))
