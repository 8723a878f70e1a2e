"""S4.3: the stream of `POST /api/query`."""

import time
from collections.abc import AsyncIterator
from uuid import UUID

from fastapi.sse import KEEPALIVE_COMMENT

from api.adapters.seeds import streamed_answer
from api.answers.one_request import succeeded
from api.answers.waiting import follow, read_after_wait
from api.http.errors import Unanswered
from api.http.sse import data_event
from api.schemas.formats.citations import FinalEvent
from citewell_verify.errors import CitewellError
from config.settings import settings
from db.queries.runs.events import DRAFT
from services.generation.answer import common_prefix_length
from services.queries.results import read_query


class SentDraft:
    """The draft as a client has received it. Text cannot be taken back, so only additions are sent."""

    def __init__(self) -> None:
        self._draft = ""
        self._sent = ""

    def news(self, start: int, text: str) -> str:
        """Apply the event that the draft is now `draft[:start] + text`, and return the text to send, possibly none.

        The part of a restarted draft that is the same as before is not repeated.
        """
        self._draft = self._draft[:start] + text
        common = common_prefix_length(self._sent, self._draft)
        if common == len(self._draft):
            return ""
        self._sent = self._draft
        return self._draft[common:]


async def seed_events(query_id: UUID) -> AsyncIterator[bytes]:
    sent, spoke = False, time.monotonic()
    try:
        async for piece in _pieces(query_id):
            if piece:
                sent = True
                yield data_event({"type": "stream", "data": piece})
            elif time.monotonic() - spoke >= settings().stream.heartbeat_s:
                yield KEEPALIVE_COMMENT
            else:
                continue
            spoke = time.monotonic()
        query = succeeded(await read_after_wait(read_query, query_id))
    except (Unanswered, CitewellError) as error:
        yield data_event({"type": "error", "data": str(error)})
        return
    if not sent:
        # No draft is written when the documents have no answer; a client of the seed shows only streamed text.
        yield data_event({"type": "stream", "data": query["answer"]})
    yield data_event(FinalEvent.model_validate(streamed_answer(query)).model_dump(mode="json"))


async def _pieces(query_id: UUID) -> AsyncIterator[str]:
    draft = SentDraft()
    async for events in follow(query_id, 0):
        news = [draft.news(event.data["start"], event.data["text"]) for event in events if event.type == DRAFT]
        yield "".join(news)
