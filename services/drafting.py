"""Telling those who watch a query what its model writes, while it writes. A draft is not checked yet."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from db.queries.events import DRAFT
from services.step import StepContext


@asynccontextmanager
async def telling_drafts(context: StepContext) -> AsyncGenerator[Callable[[str], None]]:
    """Yield a function that takes the whole text so far, each time that it has changed.

    An event says that the draft is now `draft[:start] + text`: after a broken stream a model starts again from less.
    """
    draft = _Draft(context)
    teller = asyncio.create_task(draft.tell_every(context.tools.draft_every_s))
    try:
        yield draft.write
    finally:
        teller.cancel()
        await asyncio.gather(teller, return_exceptions=True)
    await draft.tell()


class _Draft:
    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._written = ""
        self._told = ""

    def write(self, text: str) -> None:
        # What JSON columns cannot hold would break the step over a mere draft.
        self._written = text.replace("\x00", "").encode("utf-8", "replace").decode()

    async def tell_every(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            # A cancelled thread would still write, and then the next draft might overtake it.
            await asyncio.shield(self.tell())

    async def tell(self) -> None:
        written = self._written
        if written == self._told:
            return
        start = same_start(self._told, written)
        self._told = written
        event = {"round": self._context.round, "start": start, "text": written[start:]}
        await asyncio.to_thread(self._context.tell, [(DRAFT, event)])


def same_start(before: str, after: str) -> int:
    """How many characters both texts begin with."""
    if after.startswith(before):
        return len(before)
    pairs = enumerate(zip(before, after, strict=False))
    return next((i for i, (old, new) in pairs if old != new), min(len(before), len(after)))
