"""A Python client of Citewell's HTTP API, sync and async; docs/client.md shows its use."""

from citewell_client._clients import AsyncCitewellClient, CitewellClient
from citewell_client._connection import key_of_environment
from citewell_client.errors import (
    ApiKeyUnusable,
    ApiProblem,
    Busy,
    CitewellError,
    Conflict,
    InputRefused,
    NotAllowed,
    NotFound,
    ServerUnreachable,
    WebhookInvalid,
    WebhookSecretInvalid,
)

__all__ = [
    "ApiKeyUnusable",
    "ApiProblem",
    "AsyncCitewellClient",
    "Busy",
    "CitewellClient",
    "CitewellError",
    "Conflict",
    "InputRefused",
    "NotAllowed",
    "NotFound",
    "ServerUnreachable",
    "WebhookInvalid",
    "WebhookSecretInvalid",
    "key_of_environment",
]
