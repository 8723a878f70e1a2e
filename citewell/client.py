"""A small synchronous client of the HTTP API."""

import ipaddress
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, cast

import httpx

from citewell.wire import FINAL, Accepted, Document, History, Quality, Query, QueryHead

_LOOK_S = 1.0
_CONNECT_S = 5.0
_ANSWER_S = 30.0


class ServerUnreachable(Exception):
    """No Citewell server answers at the address; the message says which, and what to do."""


class ApiProblem(Exception):
    """The server refused the request: `status` of HTTP, `code` and `detail` of the problem."""

    def __init__(self, status: int, code: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after


class CitewellClient:
    """Talks to one server; a context manager. Every method raises ApiProblem or ServerUnreachable.

    `after_each` is called after every request, from the thread that made it.
    """

    def __init__(self, url: str, after_each: Callable[[], None] | None = None) -> None:
        self.url = url.rstrip("/")
        self._after_each = after_each
        try:
            host = httpx.URL(self.url).host
            # A proxy for the internet cannot reach a server on this machine.
            self._http = httpx.Client(base_url=self.url, timeout=_patience(0), trust_env=not _is_local(host))
        except httpx.InvalidURL as error:
            raise ServerUnreachable(
                f"{url!r} is no address of a server ({error}); it looks like http://host:8000"
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def upload(
        self, path: Path, *, filename: str, workspace: str, metadata: str = "{}", source: str = "command-line"
    ) -> Accepted:
        """Send a file; `metadata` is a JSON object as text. Raises OSError when the file cannot be read."""
        with path.open("rb") as file:
            fields = {"workspace": workspace, "metadata": metadata, "source": source}
            return cast("Accepted", self._call("POST", "/v1/documents", data=fields, files={"file": (filename, file)}))

    def document(self, document_id: str) -> Document:
        """A document's status and progress."""
        return cast("Document", self._call("GET", f"/v1/documents/{document_id}"))

    def documents(self, workspace: str | None = None) -> list[Document]:
        """The newest documents."""
        params = {"workspace": workspace} if workspace else {}
        return cast("list[Document]", self._call("GET", "/v1/documents", params=params)["documents"])

    def document_text(self, document_id: str, start: int = 0, end: int | None = None) -> str:
        """The stored text that citations point into, from `start` to `end` (code points)."""
        params = {"start": start} | ({} if end is None else {"end": end})
        return self._send("GET", f"/v1/documents/{document_id}/text", params=params).text

    def delete_document(self, document_id: str) -> None:
        """Delete a document with its passages."""
        self._send("DELETE", f"/v1/documents/{document_id}")

    def submit(self, question: str, *, workspace: str = "default", mode: str = "balanced", **options: Any) -> Accepted:
        """Ask; `options` are further fields of the request, e.g. `model` or `retrieval={"k": 20}`."""
        body = {"question": question, "workspace": workspace, "mode": mode, **options}
        # In ASCII: what is no text is for the server to refuse, with its reason.
        content, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        return cast("Accepted", self._call("POST", "/v1/queries", content=content, headers=headers))

    def query(self, query_id: str, *, wait: float = 0) -> Query:
        """The query as far as it is known; with `wait` the server waits that many seconds (≤ 60) for the end."""
        params = {"wait": wait} if wait else {}
        return cast("Query", self._call("GET", f"/v1/queries/{query_id}", params=params, timeout=_patience(wait)))

    def wait(self, query_id: str, seconds: float, on_look: Callable[[Query], None] | None = None) -> Query:
        """Wait for a final state, at most `seconds`; `on_look` sees the query about once per second.

        A server whose database is away for a moment is asked again until the time is up.
        """
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            try:
                query = self.query(query_id, wait=max(0.0, min(_LOOK_S, left)))
            except ApiProblem as problem:
                if problem.retry_after is None or problem.retry_after >= left:
                    raise
                time.sleep(problem.retry_after)
                continue
            if on_look is not None:
                on_look(query)
            if query["status"] in FINAL or left <= 0:
                return query

    def verify(self, asked: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Verify an answer against its sources (fields as in the API); wait at most `seconds` for the result."""
        content, headers = json.dumps(asked).encode(), {"Content-Type": "application/json"}
        accepted = self._call("POST", "/v1/verifications", content=content, headers=headers)
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            wait = max(0.0, min(_LOOK_S, left))
            result = self._call("GET", f"/v1/verifications/{accepted['id']}", params={"wait": wait})
            if result["status"] in FINAL or left <= 0:
                return result

    def queries(self, workspace: str | None = None, limit: int = 20) -> list[QueryHead]:
        """The newest queries."""
        params = {"limit": limit} | ({"workspace": workspace} if workspace else {})
        return cast("list[QueryHead]", self._call("GET", "/v1/queries", params=params)["queries"])

    def quality(self, workspace: str | None, limit: int, labels: Sequence[Mapping[str, Any]] = ()) -> Quality:
        """The metrics over the newest `limit` verified queries; `labels` are objects of query_id and grounded."""
        asked = {"limit": limit, "labels": list(labels)} | ({"workspace": workspace} if workspace else {})
        return cast("Quality", self._call("POST", "/v1/quality", json=asked))

    def history(self, query_id: str) -> History:
        """The whole verification history of a query."""
        return cast("History", self._call("GET", f"/v1/queries/{query_id}/verifications"))

    def _call(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        response = self._send(method, path, **request)
        try:
            return response.json()
        except ValueError:
            raise ApiProblem(response.status_code, "not_citewell", f"{self.url} does not answer as Citewell") from None

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            response = self._http.request(method, path, **request)
        except httpx.RequestError as error:
            why = str(error) or type(error).__name__
            raise ServerUnreachable(
                f"cannot reach a server at {self.url} ({why}); start one with `citewell up` or check the address"
            ) from None
        if self._after_each is not None:
            self._after_each()
        if response.is_success:
            return response
        raise _problem_of(response, self.url)


def _patience(wait: float) -> httpx.Timeout:
    return httpx.Timeout(_ANSWER_S + wait, connect=_CONNECT_S)


def _problem_of(response: httpx.Response, url: str) -> ApiProblem:
    try:
        told = response.json()
        code, detail = str(told["code"]), str(told["detail"])
    except (ValueError, TypeError, KeyError):
        code, detail = "not_citewell", f"{url} does not answer as Citewell (HTTP status {response.status_code})"
    retry_after = response.headers.get("retry-after", "")
    return ApiProblem(response.status_code, code, detail, float(retry_after) if retry_after.isdecimal() else None)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
