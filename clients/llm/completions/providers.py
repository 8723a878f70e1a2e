"""The providers: Groq, and any server of OpenAI's chat completions. One instance per process, made after fork."""

from collections.abc import Mapping
from typing import Literal

from clients.llm.completions.aiohttp_transport import LeanTransport
from clients.llm.completions.model import ChatCompletions, Server
from clients.llm.completions.request_body import COMPATIBLE, GROQ
from clients.llm.completions.sdk_transport import SdkTransport
from clients.llm.completions.transport import Transport
from config.models import ModelInfo

Client = Literal["sdk", "lean"]


class GroqModel(ChatCompletions):
    """A ChatModel through the lean client or Groq's SDK.

    `base_url` is the server's root; a trailing `/openai/v1`, which other clients require, is accepted and removed.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        catalogue: Mapping[str, ModelInfo],
        concurrency: int,
        client: Client = "lean",
    ) -> None:
        root = base_url.rstrip("/").removesuffix("/openai/v1")
        server = Server(_transport(client, api_key, root, concurrency), GROQ)
        super().__init__(server, catalogue=catalogue)


def _transport(client: Client, api_key: str, root: str, concurrency: int) -> Transport:
    if client == "sdk":
        return SdkTransport(api_key, root, concurrency=concurrency)
    return LeanTransport(api_key, f"{root}/openai/v1/chat/completions", concurrency=concurrency)


class CompatibleModel(ChatCompletions):
    """A ChatModel. `base_url` is the part before `/chat/completions`; an empty key sends none."""

    def __init__(self, api_key: str, base_url: str, *, catalogue: Mapping[str, ModelInfo], concurrency: int) -> None:
        transport = LeanTransport(api_key, f"{base_url.rstrip('/')}/chat/completions", concurrency=concurrency)
        super().__init__(Server(transport, COMPATIBLE), catalogue=catalogue)
