"""Adds what OpenAI's clients expect of an error to a problem."""

from collections.abc import Mapping
from typing import Any

_PATHS = ("/v1/chat/", "/v1/models")
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_CODES = {"workspace_not_found": "model_not_found"}
# The parameter that a problem without `errors` concerns.
_PARAMS = {"workspace_not_found": "model", "mode_unknown": "model", "question_invalid": "messages"}


def is_openai(path: str) -> bool:
    return path.startswith(_PATHS)


def error_object(status: int, code: str, message: str, fields: Any = None) -> dict[str, Any]:
    """OpenAI's error object; `fields` are the problem's `errors`, if it has any."""
    found: list[Mapping[str, str]] = fields or []
    return {
        "message": message,
        "type": _TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error"),
        "param": found[0]["field"] if found else _PARAMS.get(code),
        "code": _CODES.get(code, code),
    }


def retry_headers(status: int) -> dict[str, str]:
    """Stop OpenAI's clients from repeating a request on a 5xx: each repetition would be a new question with its
    costs."""
    return {"X-Should-Retry": "false"} if status in (500, 502, 504) else {}
