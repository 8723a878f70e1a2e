"""A Python client of the HTTP API, sync and async; docs/client.md shows its use.

It needs neither a database nor workers on its machine.
"""

from citewell.client._clients import AsyncCitewellClient, CitewellClient
from citewell.client._connection import key_of_environment
from citewell.client.errors import ApiKeyUnusable, ApiProblem, ServerUnreachable, WebhookInvalid

__all__ = [
    "ApiKeyUnusable",
    "ApiProblem",
    "AsyncCitewellClient",
    "CitewellClient",
    "ServerUnreachable",
    "WebhookInvalid",
    "key_of_environment",
]
