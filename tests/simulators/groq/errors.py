"""The provider's errors, word for word."""

from dataclasses import dataclass, field


@dataclass(eq=False)
class ApiError(Exception):
    """An error answer."""

    status: int
    message: str
    type: str = "invalid_request_error"
    code: str | None = None
    failed_generation: str | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def body(self) -> dict[str, object]:
        """The JSON body; fields that are None are absent."""
        extras = {"code": self.code, "failed_generation": self.failed_generation}
        present = {name: value for name, value in extras.items() if value is not None}
        return {"error": {"message": self.message, "type": self.type, **present}}


def wrong_key() -> ApiError:
    return ApiError(401, "Invalid API Key", code="invalid_api_key")


def forbidden(model: str) -> ApiError:
    message = f"The model `{model}` is blocked at the project level."
    return ApiError(403, message, "permissions_error", "model_permission_blocked_project")


def spend_cap() -> ApiError:
    return ApiError(
        400, "API access is blocked: the spend limit of the organization is reached.", code="blocked_api_access"
    )


def no_credit() -> ApiError:
    """OpenAI's answer when the account has no credit left."""
    message = "You exceeded your current quota, please check your plan and billing details."
    return ApiError(429, message, "insufficient_quota", "insufficient_quota")


def unknown_url(method: str, path: str) -> ApiError:
    message = (
        f"Unknown request URL: {method} {path}. Please check the URL for typos, or see the docs at "
        "https://console.groq.com/docs/"
    )
    return ApiError(404, message, code="unknown_url")


def model_not_found(model: str) -> ApiError:
    message = f"The model `{model}` does not exist or you do not have access to it."
    return ApiError(404, message, code="model_not_found")


def model_decommissioned(model: str) -> ApiError:
    message = f"The model `{model}` has been decommissioned and is no longer supported."
    return ApiError(400, message, code="model_decommissioned")


def invalid(message: str) -> ApiError:
    return ApiError(400, message)


def context_exceeded() -> ApiError:
    message = "Please reduce the length of the messages or completion."
    return ApiError(400, message, code="context_length_exceeded")


def json_validate_failed(generated: str) -> ApiError:
    message = "Failed to validate JSON. Please adjust your prompt. See 'failed_generation' for more details."
    return ApiError(400, message, code="json_validate_failed", failed_generation=generated)


def hallucination() -> ApiError:
    return ApiError(422, "The model produced output that could not be processed.")


def too_large(model: str, org: str, kind: str, limit: int, requested: int) -> ApiError:
    message = (
        f"Request too large for model `{model}` in organization `{org}` service tier `on_demand` on {kind}: "
        f"Limit {limit}, Requested {requested}, please reduce your message size and try again."
    )
    return ApiError(413, message, "tokens", "rate_limit_exceeded")


def output_too_large(model: str, org: str, limit: int, requested: int) -> ApiError:
    """The same as a 429 that no retry can cure: limits on output tokens."""
    error = too_large(model, org, "output tokens per minute (OTPM)", limit, requested)
    return ApiError(429, error.message, error.type, error.code, headers={"x-should-retry": "false"})


def rate_limited(message: str, about: str, retry_after: str | None) -> ApiError:
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return ApiError(429, message, about, "rate_limit_exceeded", headers=headers)


def capacity_exceeded() -> ApiError:
    message = "The flex tier is currently at capacity. Please try again later."
    return ApiError(498, message, "capacity_exceeded", "capacity_exceeded")


def cancelled() -> ApiError:
    return ApiError(499, "The request was cancelled.", "request_cancelled")


def internal() -> ApiError:
    return ApiError(500, "Internal Server Error", "internal_server_error")


def unavailable() -> ApiError:
    return ApiError(503, "Service Unavailable", "internal_server_error", "service_unavailable")
