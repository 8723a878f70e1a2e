"""Citewell as its users see it: questions over HTTP."""

import json
import time
from types import TracebackType
from typing import Any, Self

import aiohttp

from benchmarks.rivals.loop import Outcome
from benchmarks.rivals.work import KEPT, QUESTION, RETRIEVED

# The other systems report errors and do not correct them, so Citewell does the same here. docs/internals/performance.md
# says what it would do otherwise.
_QUERY = {
    "question": QUESTION,
    "retrieval": {"k": RETRIEVED},
    "rerank": {"top_k": KEPT},
    "verification": {"repair": "citations", "max_crag_attempts": 0},
}
_VERDICTS = ("sentence.verified", "sentence.checked")
_FINAL = ("final", "failed", "cancelled")  # the names of last events
_ENDED = ("succeeded", "failed", "cancelled")  # and the states that they report


class Client:
    """`follow` reads the events of each question; otherwise the client waits for the end."""

    def __init__(self, url: str, *, follow: bool) -> None:
        self._url, self._follow = url, follow
        timeout = aiohttp.ClientTimeout(total=150)
        self._session = aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(limit=0), timeout=timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def ask(self) -> Outcome:
        """Ask once. Raises RuntimeError when the question does not succeed."""
        async with self._session.post("/v1/queries", json=_QUERY) as response:
            if response.status != 202:
                raise RuntimeError(f"{response.status}: {(await response.text())[:200]}")
            query_id = (await response.json())["id"]
        query, first_at = await (self._followed(query_id) if self._follow else self._waited(query_id))
        if query["status"] != "succeeded":
            raise RuntimeError(f"{query['status']}: {query['error']}")
        found = query["verification"]
        # An answer that was withheld has no claims; the reason names the sentence of the draft that was the cause.
        flagged = found["unverified_claims"] or found["issues"]
        return Outcome(flagged, first_at, grounded=found["is_grounded"])

    async def _waited(self, query_id: str) -> tuple[dict[str, Any], None]:
        while True:
            async with self._session.get(f"/v1/queries/{query_id}", params={"wait": 60}) as response:
                query = await response.json()
            if query["status"] in _ENDED:
                return query, None

    async def _followed(self, query_id: str) -> tuple[dict[str, Any], float | None]:
        """Return the query, and when its first sentence was found to be supported."""
        first_at, event = None, ""
        async with self._session.get(f"/v1/queries/{query_id}/events") as response:
            async for line in response.content:
                name, _, value = line.decode().rstrip().partition(": ")
                if name == "event":
                    event = value
                elif name == "data" and event in _VERDICTS and first_at is None:
                    first_at = time.monotonic() if json.loads(value)["status"] == "supported" else None
                elif name == "data" and event in _FINAL:
                    return json.loads(value)["query"], first_at
        raise RuntimeError("the stream ended before the question did")
