"""Errors of the client.

CitewellError
├── ApiProblem: the server refused the request
│   ├── NotAllowed (401, 403), NotFound (404), Conflict (409), InputRefused (400, 413, 415, 422)
│   └── Busy (429, 503)
├── ServerUnreachable: there was no answer
├── ApiKeyUnusable
└── WebhookInvalid, WebhookSecretInvalid
"""

import re
import time
from datetime import UTC
from email.utils import parsedate_to_datetime

import httpx

_SECONDS = re.compile(r"[0-9]{1,12}")
# There was no answer, and a retry may find the server back.
_PASSING = (httpx.NetworkError, httpx.ConnectTimeout, httpx.RemoteProtocolError)


class CitewellError(Exception):
    """The base class of the client's errors."""


class ApiKeyUnusable(CitewellError, ValueError):
    """The API key has characters that no key can have."""

    def __init__(self) -> None:
        super().__init__("The API key has characters that no key has; check CITEWELL_API_KEY.")


class WebhookSecretInvalid(CitewellError, ValueError):
    """The secret is not that of a webhook; the message does not repeat it."""

    def __init__(self) -> None:
        super().__init__("The secret of a webhook is `whsec_` and 24 to 64 bytes in base64.")


class WebhookInvalid(CitewellError):
    """The message is not genuine, or too old; the text says what is wrong with it."""


class ServerUnreachable(CitewellError):
    """No Citewell server answers at the address; the message names the address and what to do.

    `passing` is true when a retry makes sense.
    """

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class ApiProblem(CitewellError):
    """The server refused the request: the HTTP `status`, and `code` and `detail` of the problem.

    `retry_after` is in seconds, None when the server does not name a time.
    """

    def __init__(self, status: int, code: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after


class NotAllowed(ApiProblem):
    """The key is missing or not valid, or does not open the requested resource (401, 403)."""


class NotFound(ApiProblem):
    """The resource does not exist, or this key may not see it (404)."""


class Conflict(ApiProblem):
    """The state of the resource does not allow the request (409)."""


class InputRefused(ApiProblem):
    """The request is not valid (400, 413, 415, 422); `detail` says what to correct."""


class Busy(ApiProblem):
    """The server has too much to do, or this key has asked too often (429, 503)."""


_BY_STATUS: dict[int, type[ApiProblem]] = {
    400: InputRefused,
    401: NotAllowed,
    403: NotAllowed,
    404: NotFound,
    409: Conflict,
    413: InputRefused,
    415: InputRefused,
    422: InputRefused,
    429: Busy,
    503: Busy,
}


def unreachable(url: str, error: httpx.RequestError) -> ServerUnreachable:
    """Return the error for a request without an answer."""
    why = str(error) or type(error).__name__
    return ServerUnreachable(
        f"cannot reach a server at {url} ({why}); start one with `citewell up` or check the address",
        passing=isinstance(error, _PASSING),
    )


def problem_of(response: httpx.Response) -> ApiProblem:
    """Return the problem in a response whose body was read."""
    try:
        body = response.json()
        code, detail = str(body["code"]), str(body["detail"])
    except (ValueError, TypeError, KeyError):
        return not_citewell(response)
    kind = _BY_STATUS.get(response.status_code, ApiProblem)
    return kind(response.status_code, code, detail, _retry_after_s(response.headers.get("retry-after", "")))


def not_citewell(response: httpx.Response) -> ApiProblem:
    """Return the problem for a server that answers, but not as Citewell does."""
    url, status = str(response.url.join("/")).rstrip("/"), response.status_code
    return ApiProblem(status, "not_citewell", f"{url} does not answer as Citewell (HTTP status {status})")


def _retry_after_s(value: str) -> float | None:
    """Return the seconds that a server names, as a number or a date; None for anything else."""
    if _SECONDS.fullmatch(value.strip()):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    # A proxy may send a date; one without a zone is in GMT.
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - time.time())
