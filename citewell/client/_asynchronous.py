"""The async client."""

from citewell.client._async_queries import AsyncQueries
from citewell.client._audits import AsyncAudits
from citewell.client._connection import ANSWER_S, Priority
from citewell.client._documents import AsyncDocuments
from citewell.client._imports import AsyncImports
from citewell.client._keys import AsyncKeys
from citewell.client._verifications import AsyncVerifications
from citewell.client._webhook_endpoints import AsyncWebhooks


class AsyncCitewellClient(AsyncDocuments, AsyncQueries, AsyncVerifications, AsyncAudits):
    """CitewellClient with awaitable methods; an async context manager."""

    def __init__(
        self, url: str, api_key: str | None = None, timeout: float = ANSWER_S, *, priority: Priority | None = None
    ) -> None:
        super().__init__(url, api_key, timeout, priority=priority)
        self.webhooks = AsyncWebhooks(self)
        self.keys = AsyncKeys(self)
        self.imports = AsyncImports(self)
