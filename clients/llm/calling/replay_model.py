"""A model that only repeats recorded answers: for replays, which contact no provider (N6)."""

from collections.abc import AsyncIterator, Mapping

from clients.llm.calling.reply_cache import CachedReply
from clients.llm.protocol import ModelRefused, ModelReply, ModelRequest, StreamPart, Usage


class RecordedModel:
    """A ChatModel. `replies` are keyed by the SHA-256 of the prompt (PromptText); other prompts are refused, and
    counted in `unanswered`.
    """

    def __init__(self, provider: str, replies: Mapping[str, CachedReply]) -> None:
        self._provider = provider
        self._replies = replies
        self.unanswered = 0

    @property
    def provider(self) -> str:
        return self._provider

    def reserves(self, request: ModelRequest) -> int:
        # A replay makes no call.
        del request
        return 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply to this prompt. Raises ModelRefused when there is none."""
        kept = self._replies.get(request.text.sha256)
        if kept is None:
            self.unanswered += 1
            raise ModelRefused(f"no reply to this question of {request.prompt} was recorded")
        return ModelReply(kept.text, kept.model, Usage(), "stop")

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """The recorded reply as one part. Raises ModelRefused."""
        reply = await self.complete(request)
        yield StreamPart(text=reply.text)
        yield StreamPart(reply=reply)

    async def aclose(self) -> None: ...
