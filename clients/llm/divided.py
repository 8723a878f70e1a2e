"""A ChatModel that only writes; what is to be judged, the offline provider judges (`models.judgements: offline`)."""

from collections.abc import AsyncIterator

from clients.llm.protocol import ChatModel, ModelReply, ModelRequest, StreamPart

_WRITTEN = frozenset({"fill_fields", "check_fields"})
"""What only a language model can do: the offline provider knows no fields of other people's forms."""


class DividedModel:
    """Asks `writer` for prose and `judge` for everything that has a schema.

    A small model writes well from three passages, and judges badly: it denies what it has just copied, takes one
    thing's figure for another's, and needs a call of a minute for each (docs/models.md).
    """

    def __init__(self, writer: ChatModel, judge: ChatModel) -> None:
        self._writer, self._judge = writer, judge

    @property
    def provider(self) -> str:
        return self._writer.provider

    def reserves(self, request: ModelRequest) -> int:
        return self._of(request).reserves(request)

    async def complete(self, request: ModelRequest) -> ModelReply:
        return await self._of(request).complete(request)

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        return self._writer.stream(request)

    async def aclose(self) -> None:
        await self._writer.aclose()
        await self._judge.aclose()

    def _of(self, request: ModelRequest) -> ChatModel:
        return self._writer if request.reply is None or request.prompt in _WRITTEN else self._judge
