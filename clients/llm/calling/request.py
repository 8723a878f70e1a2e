"""A question to the models, independent of which one answers, and the reading of its reply."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from citewell_verify.prompting.judgements import Judgement, Reply
from citewell_verify.prompting.reply_reading import ReplyUnreadable, read_reply
from clients.llm.calling.reply_cache import Task
from clients.llm.protocol import (
    CallLog,
    ChatModel,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelUnavailable,
    PromptText,
)

T = TypeVar("T")
R = TypeVar("R", bound=Reply)


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """`fetch` makes one call; `read` turns a reply into the value or raises ModelReplyInvalid.

    `key` is the cache key of a usable reply, None for no caching. `on_text` receives a text as it grows. `text` is the
    task's prompt with its fields, rendered once for all attempts.
    """

    task: Task
    text: PromptText
    fetch: Callable[[ModelRequest], Coroutine[Any, Any, ModelReply]]
    read: Callable[[ModelReply], T]
    log: CallLog
    item: str = ""
    key: bytes | None = None
    on_text: Callable[[str], None] | None = None

    def request(self, model: str, max_tokens: int, timeout_s: float, *, fault: str = "") -> ModelRequest:
        """The request to `model`. `fault` is what was wrong with an earlier reply; it is shown to the model, because at
        temperature 0 the same prompt would mostly buy the same reply.
        """
        return ModelRequest(
            prompt=self.task.name,
            fields=self.text.fields,
            model=model,
            max_tokens=max_tokens,
            timeout_s=timeout_s,
            temperature=self.task.temperature,
            reply=self.task.reply if isinstance(self.task, Judgement) else None,
            text=self.text.asked_again(fault) if fault and isinstance(self.task, Judgement) else self.text,
        )


def read_judgement(schema: type[R], reply: ModelReply) -> R:
    """The reply, validated against its schema. Raises ModelReplyInvalid."""
    try:
        return read_reply(schema, reply.text)
    except ReplyUnreadable as error:
        raise ModelReplyInvalid(
            f"the reply does not fit: {error}",
            usage=reply.usage,
            request_id=reply.request_id,
            text=reply.text,
            allowance=reply.allowance,
        ) from None


async def read_stream(model: ChatModel, request: ModelRequest, on_text: Callable[[str], None] | None) -> ModelReply:
    """Read a stream to its end; `on_text` gets the whole text so far each time it grows. Raises ModelError."""
    text, reply = "", None
    async for part in model.stream(request):
        reply = part.reply
        text = part.text if part.restarts else text + part.text
        if on_text and part.text:
            on_text(text)
    if reply is None:
        raise ModelUnavailable("the stream ended without its last part")
    return reply
