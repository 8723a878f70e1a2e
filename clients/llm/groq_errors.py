"""Every way in which a call to Groq breaks, as one of our ModelErrors.

Seen with the SDK over aiohttp: an HTTP status is an APIStatusError (498 and 499 have no class of their own); a
connection that fails before the headers is an APIConnectionError; a stream that breaks is a bare httpx error; what is
not JSON is a JSONDecodeError.
"""

import math

import groq
import httpx
from pydantic import BaseModel, ValidationError

from clients.llm.groq_wire import Exchange, WireUsage, shown
from clients.llm.protocol import (
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
)

FAILURES = (groq.GroqError, httpx.HTTPError, OSError, ValueError)
"""What a call raises when it breaks; OSError includes the TimeoutError of our own deadline."""

_BY_CODE: dict[str, type[ModelError]] = {
    "json_validate_failed": ModelReplyInvalid,
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
    401: "check GROQ_API_KEY",
    403: "this key may not use the model",
    404: "check GROQ_BASE_URL",
    413: "the prompt and max_tokens together are over the limit of this account",
    "blocked_api_access": "the spend limit of the account is reached",
}


class _Detail(BaseModel):
    message: str
    code: str | None = None
    failed_generation: str | None = None


class _Body(BaseModel):
    error: _Detail
    usage: WireUsage | None = None


def model_error(error: Exception, exchange: Exchange) -> ModelError:
    """Return the ModelError for `error`, one of FAILURES, that ended `exchange`."""
    match error:
        case groq.APIStatusError():
            return _from_status(error)
        case TimeoutError():
            where = "no complete reply in time" if exchange.sent else "no free slot in time"
            return exchange.failed(ModelUnavailable, where)
        case groq.APIConnectionError():
            exchange.sent = _may_have_arrived(error)
            if exchange.sent:
                return exchange.failed(ModelUnavailable, f"the connection broke: {_cause(error)}")
            server = error.request.url.netloc.decode()
            return exchange.failed(ModelUnavailable, f"cannot reach {server} ({_cause(error)}); check GROQ_BASE_URL")
        case groq.APIError():
            return exchange.failed(ModelUnavailable, f"the server stopped the reply: {error.message}")
        case ValueError():
            return exchange.failed(ModelReplyInvalid, "the server's answer is not a chat completion")
        case _:
            return exchange.failed(ModelUnavailable, f"the connection broke: {_cause(error)}")


def _from_status(error: groq.APIStatusError) -> ModelError:
    status, headers = error.status_code, error.response.headers
    body = _body(error)
    text = _message(error, body.error)
    # Some limits are told as 429 though no retry can ever succeed: the request alone is over the limit.
    too_large = body.error.message.startswith("Request too large") or headers.get("x-should-retry") == "false"
    if status == 429 and not too_large:
        wait = _seconds(headers.get("retry-after"))
        return ModelRateLimited(text, retry_after_s=wait, request_id=headers.get("x-request-id"))
    default = ModelUnavailable if status >= 500 else ModelRefused
    kind = _BY_CODE.get(body.error.code or "") or _BY_STATUS.get(status, default)
    return kind(
        text,
        status=status,
        code=body.error.code,
        usage=body.usage.usage() if body.usage else None,
        request_id=headers.get("x-request-id"),
        text=body.error.failed_generation,
    )


def _body(error: groq.APIStatusError) -> _Body:
    try:
        return _Body.model_validate(error.body)
    except ValidationError:  # a proxy's HTML page, for example
        return _Body(error=_Detail(message=error.response.reason_phrase or "no reason given"))


def _message(error: groq.APIStatusError, detail: _Detail) -> str:
    # A server may echo the key that it refuses; reasons are shown to users.
    key = error.request.headers.get("authorization", "").removeprefix("Bearer ")
    said = shown(detail.message.replace(key, "***") if key else detail.message)
    advice = _ADVICE.get(detail.code or "") or (_ADVICE.get(error.status_code) if detail.code not in _BY_CODE else None)
    return f"HTTP {error.status_code}: {said}" + (f" ({advice})" if advice else "")


def _seconds(header: str | None) -> float | None:
    try:
        value = float(header or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _may_have_arrived(error: groq.APIConnectionError) -> bool:
    # The transport calls a refused and a dropped connection by the same name; what the system said tells them apart.
    root = _root(error)
    return not isinstance(root, OSError) or isinstance(root, BrokenPipeError | ConnectionResetError)


def _cause(error: BaseException) -> str:
    root = _root(error)
    return str(root) or type(root).__name__


def _root(error: BaseException) -> BaseException:
    while error.__cause__:
        error = error.__cause__
    return error
