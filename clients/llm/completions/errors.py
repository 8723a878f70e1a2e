"""Maps every failure of a chat completion call to a ModelError.

Observed with the SDK over aiohttp: an HTTP status is an APIStatusError (498 and 499 have no class of their own); a
connection that fails before the headers is an APIConnectionError; a broken stream is a bare httpx error; invalid JSON
is a JSONDecodeError. The lean client raises aiohttp's errors, Refused for a status and Unreachable where nothing was
sent.
"""

import math
from typing import Any

import aiohttp
import groq
import httpx
from pydantic import BaseModel, ValidationError

from clients.llm.completions.transport import Refusal, Refused, Unreachable
from clients.llm.completions.usage import ReplyTooLong, read_usage
from clients.llm.completions.wire_format import Exchange, read_allowance, shown
from clients.llm.protocol import (
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
    NoFreeSlot,
)

FAILURES = (
    groq.GroqError,
    httpx.HTTPError,
    aiohttp.ClientError,
    Refused,
    Unreachable,
    ReplyTooLong,
    OSError,
    ValueError,
)
"""Exceptions of a failed call; OSError includes the TimeoutError of our own deadline."""

JSON_REFUSED = "json_validate_failed"
"""The code of a reply that the server refuses for its form; the error carries the model's words."""

_BY_CODE: dict[str, type[ModelError]] = {
    "insufficient_quota": ModelRefused,  # a 429 that lasts until the account is paid for
    JSON_REFUSED: ModelReplyInvalid,
    "model_decommissioned": ModelGone,
    "model_not_found": ModelGone,
}
_BY_STATUS: dict[int, type[ModelError]] = {
    408: ModelUnavailable,
    409: ModelUnavailable,
    422: ModelReplyInvalid,  # "hallucination/semantic": the model's fault, not the request's
    498: ModelUnavailable,  # capacity exceeded
    499: ModelUnavailable,  # cancelled on their side
}
_ADVICE: dict[int | str, str] = {
    401: "check {key}",
    403: "this key may not use the model",
    307: "check {url}",
    308: "check {url}",
    404: "check {url}",
    413: "the prompt and max_tokens together are over the limit of this account",
    "insufficient_quota": "the credit of the account is used up",
    "blocked_api_access": "the spend limit of the account is reached",
}


class _Detail(BaseModel):
    message: str
    code: str | None = None
    failed_generation: str | None = None


class _Body(BaseModel):
    error: _Detail
    usage: Any = None


def model_error(error: Exception, exchange: Exchange) -> ModelError:
    if refusal := refusal_of(error):
        return _from_refusal(refusal, exchange)
    if isinstance(_root(error), ReplyTooLong):
        return exchange.failed(ModelReplyInvalid, "the server sent more than was asked for; the rest was not read")
    if server := _out_of_reach(error):
        exchange.sent = False
        advice = f"check {exchange.dialect.url_setting}"
        return exchange.failed(ModelUnavailable, f"cannot reach {server} ({_cause(error)}); {advice}")
    match error:
        case TimeoutError():
            if not exchange.sent:
                return exchange.failed(NoFreeSlot, "no free slot in time")
            return exchange.failed(ModelUnavailable, "no complete reply in time")
        case groq.APIError() if not isinstance(error, groq.APIConnectionError):
            return exchange.failed(ModelUnavailable, f"the server stopped the reply: {error.message}")
        case ValueError():
            return exchange.failed(ModelReplyInvalid, "the server's answer is not a chat completion")
        case _:
            return exchange.failed(ModelUnavailable, f"the connection broke: {_cause(error)}")


def refusal_of(error: Exception) -> Refusal | None:
    """The answer with an error status, if that is what failed."""
    if isinstance(error, Refused):
        return error.refusal
    if not isinstance(error, groq.APIStatusError):
        return None
    answer = error.response
    key = error.request.headers.get("authorization", "").removeprefix("Bearer ")
    return Refusal(error.status_code, answer.reason_phrase, answer.headers, error.body, key)


def _out_of_reach(error: Exception) -> str | None:
    if isinstance(error, Unreachable):
        return error.server
    if isinstance(error, groq.APIConnectionError) and not _may_have_arrived(error):
        return error.request.url.netloc.decode()
    return None


def _from_refusal(refusal: Refusal, exchange: Exchange) -> ModelError:
    status, headers = refusal.status, refusal.headers
    body = _body(refusal)
    text = _message(refusal, body.error, exchange)
    # Some limits arrive as 429 although no retry can succeed: the request alone exceeds the limit.
    too_large = body.error.message.startswith("Request too large") or headers.get("x-should-retry") == "false"
    if status == 429 and not too_large and body.error.code not in _BY_CODE:
        wait = _seconds(headers.get("retry-after"))
        return ModelRateLimited(
            text, retry_after_s=wait, request_id=headers.get("x-request-id"), allowance=read_allowance(headers)
        )
    default = ModelUnavailable if status >= 500 else ModelRefused
    kind = _BY_CODE.get(body.error.code or "") or _BY_STATUS.get(status, default)
    return kind(
        text,
        status=status,
        code=body.error.code,
        usage=read_usage(body.usage, exchange.bounds, exchange.estimated),
        request_id=headers.get("x-request-id"),
        text=body.error.failed_generation,
        allowance=read_allowance(headers),
    )


def _body(refusal: Refusal) -> _Body:
    try:
        return _Body.model_validate(refusal.body)
    except ValidationError:  # a proxy's HTML page, for example
        return _Body(error=_Detail(message=refusal.reason or "no reason given"))


def _message(refusal: Refusal, detail: _Detail, exchange: Exchange) -> str:
    # A server may echo the rejected key, and reasons are shown to users.
    said = shown(detail.message.replace(refusal.key, "***") if refusal.key else detail.message)
    advice = _ADVICE.get(detail.code or "") or (_ADVICE.get(refusal.status) if detail.code not in _BY_CODE else None)
    if advice is None:
        return f"HTTP {refusal.status}: {said}"
    settings = exchange.dialect
    return f"HTTP {refusal.status}: {said} ({advice.format(key=settings.key_setting, url=settings.url_setting)})"


def _seconds(header: str | None) -> float | None:
    try:
        value = float(header or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _may_have_arrived(error: groq.APIConnectionError) -> bool:
    # The transport reports refused and dropped connections by the same class; the underlying OS error distinguishes
    # them.
    root = _root(error)
    return not isinstance(root, OSError) or isinstance(root, BrokenPipeError | ConnectionResetError)


def _cause(error: BaseException) -> str:
    root = _root(error)
    return str(root) or type(root).__name__


def _root(error: BaseException) -> BaseException:
    while error.__cause__:
        error = error.__cause__
    return error
