"""The sync and the async client."""

from collections.abc import Callable

from citewell_client._async_queries import AsyncQueries
from citewell_client._audits import AsyncAudits, Audits
from citewell_client._connection import ANSWER_S, Priority
from citewell_client._conversations import AsyncConversations, Conversations
from citewell_client._documents import AsyncDocuments, Documents
from citewell_client._feedback import AsyncFeedback, Feedback
from citewell_client._imports import AsyncImports, Imports
from citewell_client._keys import AsyncKeys, Keys
from citewell_client._people import AsyncMembers, AsyncPeople, Members, People
from citewell_client._queries import Queries
from citewell_client._sources import AsyncSources, Sources
from citewell_client._verifications import AsyncVerifications, Verifications
from citewell_client._webhook_endpoints import AsyncWebhooks, Webhooks
from citewell_client._workspaces import AsyncWorkspaces, Workspaces


class CitewellClient(Documents, Queries, Verifications, Audits):
    """A client of one server; a context manager. Every method raises ApiProblem or ServerUnreachable.

    `timeout` is the seconds within which the server must begin to answer. Requests that are safe to repeat are tried
    three times when the connection breaks or the server is busy. `priority` is "interactive" for a person who waits, or
    "batch"; within a tenant interactive requests go first. `after_each` is called after every response, in the thread
    of the request.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        timeout: float = ANSWER_S,
        *,
        priority: Priority | None = None,
        after_each: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(url, api_key, timeout, priority=priority, after_each=after_each)
        self.conversations = Conversations(self)
        self.webhooks = Webhooks(self)
        self.keys = Keys(self)
        self.people = People(self)
        self.members = Members(self)
        self.imports = Imports(self)
        self.sources = Sources(self)
        self.workspaces = Workspaces(self)
        self.feedback = Feedback(self)


class AsyncCitewellClient(AsyncDocuments, AsyncQueries, AsyncVerifications, AsyncAudits):
    """CitewellClient with awaitable methods; an async context manager."""

    def __init__(
        self, url: str, api_key: str | None = None, timeout: float = ANSWER_S, *, priority: Priority | None = None
    ) -> None:
        super().__init__(url, api_key, timeout, priority=priority)
        self.conversations = AsyncConversations(self)
        self.webhooks = AsyncWebhooks(self)
        self.keys = AsyncKeys(self)
        self.people = AsyncPeople(self)
        self.members = AsyncMembers(self)
        self.imports = AsyncImports(self)
        self.sources = AsyncSources(self)
        self.workspaces = AsyncWorkspaces(self)
        self.feedback = AsyncFeedback(self)
