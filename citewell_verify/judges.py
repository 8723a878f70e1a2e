"""The judge of a verification without a server: any language model behind one method, or the offline rules."""

from collections.abc import AsyncIterator, Mapping
from functools import cache
from typing import Any, Protocol

from clients.embeddings import default_embedder
from clients.llm.gateway import ModelGateway
from clients.llm.offline import OfflineModel
from clients.llm.protocol import ModelRefused, ModelReply, ModelRequest, StreamPart, Usage
from config.models import ModelSettings

_PROVIDER = "judge"
_PATIENCE_S = 600.0
"""The time for one reply: a model on the caller's own processor may be slow."""


class Judge(Protocol):
    """A language model that judges statements."""

    async def reply(self, system: str, user: str, schema: Mapping[str, Any]) -> str:
        """Return the model's reply to the two messages: a JSON object that follows the JSON `schema`.

        What it raises is not tried again. The statement is then `not_checked`, with the error as its reason.
        """
        ...


class JudgeModel:
    """A `Judge` as the model of a gateway, which reads and checks its replies."""

    provider = _PROVIDER

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def reserves(self, request: ModelRequest) -> int:
        # This does not limit its calls: only the judge itself does.
        return 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        prompt = request.text.rendered
        schema = request.reply.model_json_schema() if request.reply else {}
        try:
            text = await self._judge.reply(prompt.system, prompt.user, schema)
        except Exception as error:
            raise ModelRefused(f"the judge raised {type(error).__name__}: {error}") from error
        return ModelReply(text=text, model=_PROVIDER, usage=Usage(), finish_reason="stop")

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        raise ModelRefused("a judge writes no prose")

    async def aclose(self) -> None: ...


def gateway_of(judge: Judge | None) -> ModelGateway:
    """Return the gateway to `judge`; without one to the offline rules, which load their weights once per process."""
    if judge is None:
        return _offline()
    return ModelGateway(JudgeModel(judge), ModelSettings(call_timeout_s=_PATIENCE_S, deadline_s=_PATIENCE_S))


@cache
def _offline() -> ModelGateway:
    return ModelGateway(OfflineModel(default_embedder()), ModelSettings(provider="offline"))
