"""Errors of the client."""

import time

import httpx

from clients.http_responses import retry_after_s
from domain.errors import BadInput

# There was no answer, and a retry may find the server back.
_PASSING = (httpx.NetworkError, httpx.ConnectTimeout, httpx.RemoteProtocolError)


class ApiKeyUnusable(BadInput):
    """The API key has characters that no key has; check CITEWELL_API_KEY."""


class WebhookInvalid(Exception):
    """The message is not genuine, or too old; the text says what is wrong with it."""


class ServerUnreachable(Exception):
    """No Citewell server answers at the address; the message names it and what to do.

    `passing` is true when a retry makes sense.
    """

    def __init__(self, message: str, *, passing: bool = False) -> None:
        super().__init__(message)
        self.passing = passing


class ApiProblem(Exception):
    """The server refused the request: the HTTP `status`, and `code` and `detail` of the problem.

    `retry_after` is in seconds, None when the server does not name a time.
    """

    def __init__(self, status: int, code: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after


def unreachable(url: str, error: httpx.RequestError) -> ServerUnreachable:
    """The error for a request without an answer."""
    why = str(error) or type(error).__name__
    return ServerUnreachable(
        f"cannot reach a server at {url} ({why}); start one with `citewell up` or check the address",
        passing=isinstance(error, _PASSING),
    )


def problem_of(response: httpx.Response) -> ApiProblem:
    """The problem in a response whose body was read."""
    try:
        body = response.json()
        code, detail = str(body["code"]), str(body["detail"])
    except (ValueError, TypeError, KeyError):
        return not_citewell(response)
    retry_after = retry_after_s(response.headers.get("retry-after", ""), time.time())
    return ApiProblem(response.status_code, code, detail, retry_after)


def not_citewell(response: httpx.Response) -> ApiProblem:
    """The problem with a server that answers, but not like Citewell."""
    url, status = str(response.url.join("/")).rstrip("/"), response.status_code
    return ApiProblem(status, "not_citewell", f"{url} does not answer as Citewell (HTTP status {status})")
