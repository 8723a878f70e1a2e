"""Any server of OpenAI's chat completions: vLLM, Ollama, llama.cpp, gateways. One instance per process."""

from collections.abc import Mapping

from clients.llm.completions.aiohttp_transport import LeanTransport
from clients.llm.completions.model import ChatCompletions, Server
from clients.llm.completions.wire_format import COMPATIBLE
from config.models import ModelInfo


class CompatibleModel(ChatCompletions):
    """A ChatModel. `base_url` is the part before `/chat/completions`; an empty key sends none."""

    def __init__(self, api_key: str, base_url: str, *, catalogue: Mapping[str, ModelInfo], concurrency: int) -> None:
        transport = LeanTransport(api_key, f"{base_url.rstrip('/')}/chat/completions", concurrency=concurrency)
        super().__init__(Server(transport, COMPATIBLE), catalogue=catalogue)
