"""Requests for the verification of external answers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from citewell_client._calls import (
    IDEMPOTENCY_KEY,
    JSON_TYPE,
    Call,
    Page,
    as_json,
    at,
    json_body,
    lines_of,
    object_of,
    page_of,
    without_none,
)
from citewell_client.types import Batch, BatchAccepted, Source, Verification, VerificationHead, VerificationRequest

_JSON_LINES = {"Content-Type": "application/jsonl"}


def verify(
    answer: str,
    sources: Sequence[Source],
    question: str | None,
    checks: Sequence[str] | None,
    idempotency_key: str | None,
    options: Mapping[str, Any],
) -> Call[Verification]:
    request = without_none(
        answer=answer,
        sources=list(sources),
        question=question,
        checks=None if checks is None else list(checks),
        **options,
    )
    headers = JSON_TYPE | {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
    return Call("POST", at("verifications"), object_of, headers=headers, body=json_body(request))


def verification(verification_id: str, wait: float) -> Call[Verification]:
    """Read the verification; the server waits up to `wait` seconds for its end."""
    return Call("GET", at("verifications", verification_id), object_of, {"wait": wait} if wait else {}, wait=wait)


def verifications(status: str | None, limit: int, cursor: str | None) -> Call[Page[VerificationHead]]:
    filters = without_none(status=status, limit=limit, cursor=cursor)
    return Call("GET", at("verifications"), page_of("verifications"), filters)


def cancel_verification(verification_id: str) -> Call[Verification]:
    return Call("DELETE", at("verifications", verification_id), object_of)


def replay_verification(verification_id: str, idempotency_key: str | None) -> Call[Verification]:
    headers = {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
    return Call("POST", at("verifications", verification_id, "replay"), object_of, headers=headers)


def verify_batch(requests: Iterable[VerificationRequest], idempotency_key: str | None) -> Call[BatchAccepted]:
    """Verify many answers: one JSON object per line."""
    lines = b"".join(as_json(request) + b"\n" for request in requests)
    headers = _JSON_LINES | {IDEMPOTENCY_KEY: idempotency_key or str(uuid4())}
    return Call("POST", at("verifications", "batches"), object_of, headers=headers, body={"content": lines})


def batch(batch_id: str) -> Call[Batch]:
    return Call("GET", at("verifications", "batches", batch_id), object_of)


def batch_results(batch_id: str) -> Call[list[Verification]]:
    return Call("GET", at("verifications", "batches", batch_id, "results"), lines_of)
