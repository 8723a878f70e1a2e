"""Work that Citewell does for a tool call: started, followed, and cancelled with the call."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from citewell_client import ApiProblem, AsyncCitewellClient, ServerUnreachable
from citewell_client.types import FINAL
from domain.answers.continuous_text import ContinuousText

PATIENCE_S = 300.0
_LOOK_S = 1.0
_CANCELLING_S = 5.0
_PROGRESS = {
    "citation.checked": "checked a citation",
    "sentence.verified": "a sentence is supported",
    "sentence.failed": "a sentence is not supported",
    "sentence.checked": "checked a sentence",
    "sentence.repaired": "repaired a sentence",
    "sentence.removed": "removed a sentence",
    "sentence.kept": "kept a sentence",
}


@asynccontextmanager
async def ended_with_the_call(cancel: Callable[[], Awaitable[object]]) -> AsyncGenerator[None]:
    try:
        yield
    except anyio.get_cancelled_exc_class():
        # Cancelling is a request as well, so it must not be cancelled itself.
        with anyio.move_on_after(_CANCELLING_S, shield=True), suppress(ApiProblem, ServerUnreachable):
            await cancel()
        raise


async def begun(start: Callable[[], Awaitable[Mapping[str, object]]]) -> str:
    """Start work and return its id, even if the call is cancelled meanwhile, because cancelling the work needs the
    id."""
    work: Mapping[str, object] = {}
    with anyio.CancelScope(shield=True):
        work = await start()
    return str(work["id"])


async def follow_query(client: AsyncCitewellClient, query_id: str, context: Context[Any, Any]) -> dict[str, Any]:
    """Report each stage and check of a question to the caller; return the finished question. Raises ToolError."""
    with anyio.move_on_after(PATIENCE_S):
        async with aclosing(client.events(query_id)) as events:
            done, text = 0, ContinuousText()
            async for event in events:
                # A sentence that has passed, with all sentences before it, is reported by its text.
                passed = text.take(event["type"], event["data"]).strip()
                if passed or event["type"] == "stage" or event["type"] in _PROGRESS:
                    done += 1
                    message = passed or _PROGRESS.get(event["type"]) or event["data"].get("stage")
                    await context.report_progress(done, message=message)
    return ended(dict(await client.query(query_id)), "question")


async def follow_verification(client: AsyncCitewellClient, found_id: str, context: Context[Any, Any]) -> dict[str, Any]:
    """Report each new stage of a verification to the caller; return it when it has ended. Raises ToolError."""
    stages: list[str] = []
    seen = await client.verification(found_id)
    with anyio.move_on_after(PATIENCE_S):
        while seen["status"] not in FINAL:
            if seen["stage"] not in stages:
                stages.append(seen["stage"])
                await context.report_progress(len(stages), message=seen["stage"])
            seen = await client.verification(found_id, wait=_LOOK_S)
    return ended(dict(seen), "verification")


def ended(work: dict[str, Any], kind: str) -> dict[str, Any]:
    if work["status"] == "succeeded":
        return work
    if work["status"] not in FINAL:
        raise ToolError(
            f"The {kind} is not finished after {PATIENCE_S:g} s and goes on as {work['id']}. Ask something narrower, "
            "or set deadline_s: then what is there in time is the result."
        )
    if work["status"] == "held":
        raise ToolError(
            f"A person has to release the answer to {work['id']} before anybody may see it; do not ask again."
        )
    error = work["error"]
    why = f"{error['message']} ({error['code']})" if error else "no reason was stored"
    raise ToolError(f"The {kind} {work['id']} {work['status']}: {why}. Trying again may help; the history says more.")
