"""The sync client."""

from collections.abc import Callable

from citewell.client._audits import Audits
from citewell.client._connection import ANSWER_S, Priority
from citewell.client._documents import Documents
from citewell.client._imports import Imports
from citewell.client._keys import Keys
from citewell.client._queries import Queries
from citewell.client._verifications import Verifications
from citewell.client._webhook_endpoints import Webhooks


class CitewellClient(Documents, Queries, Verifications, Audits):
    """Talks to one server; a context manager. Every method raises ApiProblem or ServerUnreachable.

    `timeout` are the seconds within which the server must begin to answer. What can be repeated safely is tried three
    times when the connection breaks or the server is busy. `priority` says who asks: "interactive", a person who waits,
    or "batch"; within a tenant people go first. `after_each` is called after every response, from the thread that made
    the request.
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
        self.webhooks = Webhooks(self)
        self.keys = Keys(self)
        self.imports = Imports(self)
