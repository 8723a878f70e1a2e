"""A client of the HTTP API for Python, sync and async; docs/client.md shows what it can do.

It needs neither a database nor workers on the machine it runs on.
"""

from citewell.client._asynchronous import AsyncCitewellClient
from citewell.client._connection import key_of_environment
from citewell.client._synchronous import CitewellClient
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
