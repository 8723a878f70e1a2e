"""Turns every error into a problem (RFC 9457), with one handler per family; none of them reveals internals.

On the paths of OpenAI's APIs, a problem also has OpenAI's error object.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from api.http.methods import allowed, options_response
from api.schemas.problem import MEDIA_TYPE, FieldError, Problem
from api.schemas.texts import HALF_A_PAIR
from citewell_verify.errors import CitewellError
from domain.errors.access import KeyRequired, Unauthenticated
from domain.errors.service import NotReady, Overload

RETRY_AFTER_S = 2
MAX_FIELD_ERRORS = 20
_MAX_FAULTS = 1_000
"""The faults that are looked at. A body of a megabyte can have half a million, and other requests wait meanwhile."""
_MAX_NAME_PARTS = 10
_KINDS = ("str", "int", "float", "bool")
_KINDS_OF = ("list[", "dict[", "function-", "constrained-")
_SHOULD_BE = "should be "
_NOUN = re.compile(r"^(?:Input|List|Dictionary|Tuple|Set|String|Value error,) ")
# The part of the request that a value came from is not part of a field's name.
_PLACES = ("body", "query", "path", "header")
_PLAIN_WORDS = {
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "string_unicode": HALF_A_PAIR,
    "dict_type": "should be a JSON object",
    "model_type": "should be a JSON object",
    "model_attributes_type": "should be a JSON object",
}
# The syntax of these bodies is valid, but FastAPI reports them only as "an error parsing the body".
_NO_JSON = {
    RecursionError: "it is nested too deeply",
    UnicodeDecodeError: "it is not UTF-8",
    ValueError: "a number has too many digits",
}
# Python's phrases changed between versions, but programs compare codes.
_CODES = {401: "key_required", 413: "content_too_large", 429: "rate_limited"}
_OPENAI_PATHS = ("/v1/chat/", "/v1/responses", "/v1/models", "/v1/guard/chat/", "/v1/guard/models")
_OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_OPENAI_CODES = {"workspace_not_found": "model_not_found"}
# The parameter that a problem without `errors` concerns.
_OPENAI_PARAMS = {
    "workspace_not_found": "model",
    "mode_unknown": "model",
    "conversation_elsewhere": "model",
    "question_invalid": "messages",
    "text_attached": "messages",
    "answer_schema_invalid": "response_format",
    "previous_response_not_found": "previous_response_id",
    "response_not_found": "response_id",
}
_IN_RESPONSES = {"messages": "input", "response_format": "text"}
"""The Responses API's name for the same parameter."""


class Unanswered(Exception):
    """A query that a client waited for has no answer yet or at all; the problem's `Location` is where to look later."""

    def __init__(self, status: int, code: str, detail: str, location: str) -> None:
        self.status, self.code, self.detail, self.location = status, code, detail, location
        super().__init__(detail)


class ProblemResponse(JSONResponse):
    """JSON in ASCII: a problem may quote input that UTF-8 cannot express, such as half a surrogate pair."""

    media_type = MEDIA_TYPE

    def render(self, content: Any) -> bytes:
        return json.dumps(content).encode("ascii")


def problem(
    path: str,
    status: int,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    **extensions: object,
) -> ProblemResponse:
    members = Problem(
        type=f"urn:citewell:problem:{code}",
        title=code.replace("_", " ").capitalize(),
        status=status,
        detail=detail,
        instance=path,
        code=code,
    ).model_dump(exclude_none=True)
    if is_openai(path):
        error = error_object(status, code, detail, extensions.get("errors"))
        if path.startswith("/v1/responses"):
            error["param"] = _IN_RESPONSES.get(error["param"], error["param"])
        extensions["error"] = error
        headers = {**(headers or {}), **retry_headers(status)}
    return ProblemResponse({**members, **extensions}, status_code=status, headers=headers)


def add_error_handlers(app: FastAPI) -> None:
    app.exception_handler(CitewellError)(_citewell_error)
    app.exception_handler(Unanswered)(_unanswered)
    app.exception_handler(RequestValidationError)(_validation_error)
    app.exception_handler(HTTPException)(_http_exception)


async def _citewell_error(request: Request, error: CitewellError) -> ProblemResponse:
    return problem(request.url.path, error.status, error.code, error.message, headers=_headers(error))


def _headers(error: CitewellError) -> dict[str, str] | None:
    match error:
        case Overload():
            return {"Retry-After": str(error.retry_after_s)}
        case NotReady():
            return {"Retry-After": str(RETRY_AFTER_S)}
        case KeyRequired():
            return {"WWW-Authenticate": "Bearer"}
        case Unauthenticated():
            return {"WWW-Authenticate": 'Bearer error="invalid_token"'}
        case _:
            return None


async def _unanswered(request: Request, error: Unanswered) -> ProblemResponse:
    return problem(request.url.path, error.status, error.code, error.detail, headers={"Location": error.location})


async def _validation_error(request: Request, error: RequestValidationError) -> ProblemResponse:
    faults: Sequence[dict[str, Any]] = error.errors()
    if faults[0]["type"] == "json_invalid" and _field(faults[0]["loc"]) == "body":
        why = faults[0].get("ctx", {}).get("error", faults[0]["msg"])
        return problem(request.url.path, 400, "json_invalid", f"The body is not valid JSON: {why}.")
    told = _told(faults[:_MAX_FAULTS])[:MAX_FIELD_ERRORS]
    errors = [FieldError(field=field, message=message).model_dump() for field, message in told]
    detail = "; ".join(f"{e['field']}: {e['message']}" for e in errors)
    return problem(request.url.path, 422, "request_invalid", detail, errors=errors)


def _told(faults: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return each field with what is wrong with it, once.

    A value that may be of several types has a fault for each of them. If one of these is within the value, the value is
    of that type, and the other types say nothing.
    """
    by_field: dict[str, list[str]] = {}
    for fault in faults:
        by_field.setdefault(_field(fault["loc"]), []).append(_message(fault))
    in_order = sorted(by_field)

    def has_inner(field: str) -> bool:
        # Names with the same beginning stand side by side.
        beginning = f"{field}."
        place = bisect_left(in_order, beginning)
        return place < len(in_order) and in_order[place].startswith(beginning)

    return [(field, _alternatives(messages)) for field, messages in by_field.items() if not has_inner(field)]


def _alternatives(messages: Sequence[str]) -> str:
    """ "should be a text" and "should be a list" as one sentence; other messages side by side."""
    # If the type of the value is right, only what is wrong with the value matters.
    different = dict.fromkeys(message for message in messages if not message.startswith(_SHOULD_BE))
    if different:
        return "; ".join(different)
    *others, last = (message.removeprefix(_SHOULD_BE) for message in dict.fromkeys(messages))
    return f"{_SHOULD_BE}{', '.join(others)} or {last}" if others else f"{_SHOULD_BE}{last}"


def _field(location: Sequence[object]) -> str:
    names = location[1:] if location and location[0] in _PLACES else location
    # A bare number is a position in a body that could not be parsed.
    known = [name for name in names if not _is_kind(name)] if any(isinstance(name, str) for name in names) else []
    parts = [str(name)[:100] for name in known[:_MAX_NAME_PARTS]]
    if len(known) > len(parts):
        parts.append("…")
    return ".".join(parts) or "body"


def _is_kind(name: object) -> bool:
    """Return whether `name` is one of several types that a value was compared with, and not the name of a field."""
    return name in _KINDS or str(name).startswith(_KINDS_OF)


def _message(error: Mapping[str, Any]) -> str:
    if error["type"] == "too_long" and isinstance(error.get("input"), str):
        # pydantic says "items after validation" about a text that other checks process first.
        return f"should have at most {error['ctx']['max_length']} characters"
    return _PLAIN_WORDS.get(error["type"]) or _NOUN.sub("", str(error["msg"])).replace(" after validation", "")


async def _http_exception(request: Request, error: HTTPException) -> Response:
    status, headers = HTTPStatus(error.status_code), error.headers
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        if request.method == "OPTIONS":
            return options_response(request)
        # Each route of a path knows only its own methods.
        headers = {**(headers or {}), **allowed(request)}
    path = request.url.path
    if why := next((why for cause, why in _NO_JSON.items() if isinstance(error.__cause__, cause)), None):
        return problem(path, 400, "json_invalid", f"The body is not valid JSON: {why}.")
    detail = str(error.detail)
    if detail == status.phrase:
        detail = {
            HTTPStatus.NOT_FOUND: f"There is nothing at {path}; /docs shows what there is.",
            HTTPStatus.METHOD_NOT_ALLOWED: f"{request.method} is not possible here; /docs shows what is.",
        }.get(status, status.description or status.phrase)
    return problem(path, status.value, code_of(status), detail, headers=headers)


def code_of(status: int) -> str:
    return _CODES.get(status) or HTTPStatus(status).phrase.lower().replace(" ", "_")


def is_openai(path: str) -> bool:
    return path.startswith(_OPENAI_PATHS)


def error_object(status: int, code: str, message: str, fields: Any = None) -> dict[str, Any]:
    """OpenAI's error object; `fields` are the problem's `errors`, if it has any."""
    faults: list[Mapping[str, str]] = fields or []
    field = faults[0]["field"] if faults else "body"
    return {
        "message": message,
        "type": _OPENAI_TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error"),
        "param": _OPENAI_PARAMS.get(code) if field == "body" else field,
        "code": _OPENAI_CODES.get(code, code),
    }


def retry_headers(status: int) -> dict[str, str]:
    """Stop OpenAI's clients from repeating a request after a 5xx: each repetition would be a new question with its
    costs."""
    return {"X-Should-Retry": "false"} if status in (500, 502, 504) else {}
