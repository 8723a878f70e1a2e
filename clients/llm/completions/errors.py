"""Maps every failure of a chat completion call to a ModelError.

Observed with the SDK over aiohttp: an HTTP status is an APIStatusError (498 and 499 have no class of their own); a
connection that fails before the headers is an APIConnectionError; a broken stream is a bare httpx error; invalid JSON
is a JSONDecodeError. The lean client raises aiohttp's errors, Refused for an error status and Unreachable if nothing
was sent.
"""

import re

import aiohttp
import groq
import httpx

from clients.llm.completions.request_body import GROQ
from clients.llm.completions.server_words import ServerWords, named_wait_s, server_words
from clients.llm.completions.transport import Refusal, Refused, Unreachable
from clients.llm.completions.usage import ReplyTooLong, read_usage
from clients.llm.completions.wire_format import Exchange, read_allowance, shown
from clients.llm.protocol import (
    NO_FREE_SLOT,
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimedOut,
    ModelUnavailable,
    NoFreeSlot,
    ServerUnreachable,
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
    JSON_REFUSED: ModelReplyInvalid,
    "model_decommissioned": ModelGone,
    "model_not_found": ModelGone,
}
_BY_STATUS: dict[int, type[ModelError]] = {
    408: ModelUnavailable,
    409: ModelUnavailable,
    498: ModelUnavailable,  # capacity exceeded
    499: ModelUnavailable,  # cancelled on their side
}
_RATE_LIMITED, _NOT_FOUND, _UNPROCESSABLE = 429, 404, 422
_FIRST_SERVER_ERROR = 500
_ADVICE: dict[int, str] = {
    301: "check {url}",
    302: "check {url}",
    303: "check {url}",
    307: "check {url}",
    308: "check {url}",
    401: "check {key}",
    403: "this key may not use the model",
    404: "check {url}",
    413: "the prompt and max_tokens together are over the limit of this account",
}
_CONTEXT_ADVICE = (
    "the prompt is longer than the server's context: lower rerank.context_tokens, or start the server with a larger "
    "context, which Ollama calls num_ctx, llama.cpp --ctx-size and vLLM --max-model-len"
)
_ADVICE_ON_MONEY = {
    "insufficient_quota": "the credit of the account is used up",
    "blocked_api_access": "the spend limit of the account is reached",
}

# These refusals last until the account is paid for. Rate limits mention such words, too, so the codes of rate limits
# are looked for first.
_MONEY = re.compile(r"quota|billing|credit|(?<!load.)(?<!load)balance(?!r)|payment|recharge|arrear|(?<!su)spend")
_PASSING_CODE = re.compile(r"rate.?limit|too.?many|throttl|overload|capacity")
_CONTEXT = re.compile(
    r"context.?(length|size|window)|(prompt|input)s?`? (is|are) too long"
    r"|too many (input )?tokens|tokens.{0,40}must be <="
)
# This matches the word on its own, not in a path: a server that does not know a path repeats it.
_MODEL = re.compile(r"(?<![\w/.])(models?|deployment)(?![\w/])")


def model_error(error: Exception, exchange: Exchange) -> ModelError:
    if refusal := refusal_of(error):
        return _from_refusal(refusal, exchange)
    if isinstance(_root(error), ReplyTooLong):
        return exchange.failed(ModelReplyInvalid, "the server sent more than was asked for; the rest was not read")
    if server := _out_of_reach(error):
        exchange.sent = False
        advice = f"check {exchange.dialect.url_setting}"
        return exchange.failed(ServerUnreachable, f"cannot reach {server} ({_cause(error)}); {advice}")
    match error:
        case TimeoutError() if not exchange.sent:
            return exchange.failed(NoFreeSlot, NO_FREE_SLOT)
        case TimeoutError() | httpx.ReadTimeout() | groq.APITimeoutError():
            return exchange.failed(ModelTimedOut, exchange.why_late)
        case groq.APIError() if not isinstance(error, groq.APIConnectionError):
            return exchange.failed(ModelUnavailable, f"the server stopped the reply: {error.message}")
        case ValueError():
            return exchange.failed(ModelReplyInvalid, "the server's answer is not a chat completion")
        case _:
            return exchange.failed(ModelUnavailable, f"the connection broke: {_cause(error)}")


def refusal_of(error: Exception) -> Refusal | None:
    """The answer with an error status, if the failure is such an answer; else None."""
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
    if isinstance(error, groq.APIConnectionError) and not _was_silent(error) and not _may_have_arrived(error):
        return error.request.url.netloc.decode()
    return None


def _from_refusal(refusal: Refusal, exchange: Exchange) -> ModelError:
    status, headers = refusal.status, refusal.headers
    words = server_words(refusal.body)
    wait_s = named_wait_s(headers, refusal.body)
    kind = _kind(refusal, words, wait_s, exchange)
    text = exchange.masked(_message(refusal, words, kind, exchange))
    request_id, allowance = headers.get("x-request-id"), read_allowance(headers)
    if kind is ModelRateLimited:
        return ModelRateLimited(text, retry_after_s=wait_s, request_id=request_id, allowance=allowance)
    generated = words.fields.get("failed_generation")
    return kind(
        text,
        status=status,
        code=words.code,
        usage=read_usage(words.usage, exchange.bounds, exchange.estimated),
        request_id=request_id,
        text=generated if isinstance(generated, str) else None,
        allowance=allowance,
        retry_after_s=wait_s,
    )


def _kind(refusal: Refusal, words: ServerWords, wait_s: float | None, exchange: Exchange) -> type[ModelError]:
    status, said = refusal.status, words.text.lower()
    if by_code := next((_BY_CODE[code] for code in words.codes if code in _BY_CODE), None):
        return by_code
    if status != _RATE_LIMITED and _is_over_context(words):
        return ModelRefused
    if status >= _RATE_LIMITED and _is_about_money(words, status, wait_s):
        return ModelRefused
    if status == _RATE_LIMITED:
        # Some limits arrive as 429 although no retry can succeed: the request alone exceeds the limit.
        too_large = said.startswith("request too large") or refusal.headers.get("x-should-retry") == "false"
        return ModelRefused if too_large else ModelRateLimited
    if status == _NOT_FOUND and (exchange.model.lower() in said or _MODEL.search(said) or _MODEL.search(_names(words))):
        return ModelGone
    if status == _UNPROCESSABLE and exchange.dialect is GROQ:
        return ModelReplyInvalid  # "hallucination/semantic": the model's fault, not the request's
    return _BY_STATUS.get(status, ModelUnavailable if status >= _FIRST_SERVER_ERROR else ModelRefused)


def _names(words: ServerWords) -> str:
    """The codes, split into words: `DeploymentNotFound` is about a deployment."""
    return re.sub(r"not_?found|_", " ", " ".join(words.codes))


def _is_over_context(words: ServerWords) -> bool:
    """True if the prompt is longer than the server takes; an error about a rate limit is not counted."""
    codes = " ".join(words.codes)
    return not _PASSING_CODE.search(codes) and bool(_CONTEXT.search(codes) or _CONTEXT.search(words.text.lower()))


def _is_about_money(words: ServerWords, status: int, wait_s: float | None) -> bool:
    codes = " ".join(words.codes)
    if any(code in _ADVICE_ON_MONEY for code in words.codes):
        return True
    if wait_s is not None or _PASSING_CODE.search(codes):
        return False
    if _MONEY.search(codes):
        return True
    # Words alone decide only if nothing else says that the failure passes.
    said = words.text.lower()
    return status == _RATE_LIMITED and bool(_MONEY.search(said)) and not _PASSING_CODE.search(said)


def _message(refusal: Refusal, words: ServerWords, kind: type[ModelError], exchange: Exchange) -> str:
    # A server may echo the rejected key, and reasons are shown to users.
    said = words.text or refusal.reason or "no reason given"
    said = shown(said.replace(refusal.key, "***") if refusal.key else said)
    advice = next((_ADVICE_ON_MONEY[code] for code in words.codes if code in _ADVICE_ON_MONEY), None)
    if advice is None and _is_over_context(words):
        advice = _CONTEXT_ADVICE
    if advice is None and kind is not ModelGone:
        advice = _ADVICE.get(refusal.status)
    if advice is None:
        return f"HTTP {refusal.status}: {said}"
    settings = exchange.dialect
    return f"HTTP {refusal.status}: {said} ({advice.format(key=settings.key_setting, url=settings.url_setting)})"


def _may_have_arrived(error: groq.APIConnectionError) -> bool:
    # The transport reports refused and dropped connections by the same class; the underlying OS error distinguishes
    # them.
    root = _root(error)
    return not isinstance(root, OSError) or isinstance(root, BrokenPipeError | ConnectionResetError)


def _was_silent(error: BaseException | None) -> bool:
    # This is the SDK's timeout; that of the lean client is a TimeoutError.
    while error is not None and not isinstance(error, httpx.ReadTimeout):
        error = error.__cause__
    return error is not None


def _cause(error: BaseException) -> str:
    root = _root(error)
    return str(root) or type(root).__name__


def _root(error: BaseException) -> BaseException:
    while error.__cause__:
        error = error.__cause__
    return error
