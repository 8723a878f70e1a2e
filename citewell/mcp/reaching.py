"""Connects tools to their Citewell server with the caller's key, and explains failures."""

import ipaddress
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from mcp.server.mcpserver.exceptions import ToolError

from citewell.supervisor.state import running_server
from citewell_client import ApiProblem, AsyncCitewellClient, ServerUnreachable
from citewell_verify.errors import CitewellError
from config.settings import ConfigurationInvalid, settings
from domain.keys import looks_like_a_key

_DEFAULT_URL = "http://127.0.0.1:8000"
_BEARER = "bearer "
_HINTS = {
    "document_not_found": "list_documents shows which documents there are.",
    "workspace_not_found": "list_documents without a workspace shows which workspaces have documents.",
    "conversation_not_found": "Ask with conversation_id `new`, or without one.",
    "document_not_read": "list_documents shows its status; try again when that is `ready`.",
    "rate_limited": "Wait, then try again.",
    "backlog_full": "Wait, then try again.",
    "overloaded": "Wait, then try again.",
}
_KEY_HINT = "Whoever runs this MCP server sets a key with the scopes `ask` and `read` as CITEWELL_API_KEY."


@dataclass(frozen=True, slots=True)
class Reach:
    """The Citewell server, and the key for callers that send none; without `lends_key` they must send their own.

    `url` None is the server that runs on this home, looked up at every call, because it may be started later than this
    process.
    """

    url: str | None
    key: str | None
    lends_key: bool = True

    @asynccontextmanager
    async def client(self, headers: Mapping[str, str] | None) -> AsyncGenerator[AsyncCitewellClient]:
        try:
            key = self._key_for(headers or {})
            url = self.url
            if url is None:
                running = running_server(settings().home)
                url = running.url if running else _DEFAULT_URL
            # A person is waiting for the model that calls this tool.
            async with AsyncCitewellClient(url, key, priority="interactive") as client:
                yield client
        except ApiProblem as problem:
            hint = _KEY_HINT if problem.status in (401, 403) else _HINTS.get(problem.code, "")
            when = f" Retry after {problem.retry_after:g} s." if problem.retry_after else ""
            said = f"{problem.detail}{when} {hint}".strip()
            raise ToolError(f"{said} (HTTP {problem.status} {problem.code})") from problem
        except (ServerUnreachable, ConfigurationInvalid) as error:
            raise ToolError(f"{error}. CITEWELL_URL says which server is meant.") from error
        except CitewellError as error:
            raise ToolError(error.message) from error

    def _key_for(self, headers: Mapping[str, str]) -> str | None:
        authorization = headers.get("authorization", "")
        bearer = authorization[len(_BEARER) :] if authorization.lower().startswith(_BEARER) else ""
        for sent in (bearer.strip(), headers.get("x-api-key", "").strip()):
            # A Citewell on loopback treats anything else as a missing key, and then requires none.
            if looks_like_a_key(sent):
                return sent
        if not self.lends_key:
            raise ToolError("Send a key of Citewell (cw_…) with every request, as `Authorization: Bearer`.")
        return self.key


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
