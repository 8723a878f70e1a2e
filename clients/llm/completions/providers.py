"""The providers: Groq, and any server of OpenAI's chat completions. One instance per process, made after fork."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Literal

from clients.addresses import endpoint, key_headers, takes_messages
from clients.llm.completions.aiohttp_transport import LeanTransport
from clients.llm.completions.anthropic_messages import messages_body
from clients.llm.completions.learned_parameters import LearnedParameters
from clients.llm.completions.model import ChatCompletions, Server
from clients.llm.completions.request_body import COMPATIBLE, GROQ
from clients.llm.completions.sdk_transport import SdkTransport
from clients.llm.completions.transport import Transport
from config import ConfigurationInvalid
from config.models import ModelInfo

Client = Literal["sdk", "lean"]
Headers = Mapping[str, str]

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class GroqModel(ChatCompletions):
    """A ChatModel through the lean client or Groq's SDK.

    `base_url` is the server's root; a trailing `/openai/v1`, which other clients require, is accepted and removed.
    Raises ConfigurationInvalid, see `extra_headers`.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        catalogue: Mapping[str, ModelInfo],
        client: Client = "lean",
        redis_url: str | None = None,
    ) -> None:
        root = base_url.rstrip("/").removesuffix("/openai/v1")
        server = Server(_transport(client, api_key, root, extra_headers(catalogue)), GROQ)
        super().__init__(server, catalogue=catalogue, learned=LearnedParameters(base_url, redis_url))


def _transport(client: Client, api_key: str, root: str, of_models: Mapping[str, Headers]) -> Transport:
    if client == "sdk":
        if of_models:
            raise ConfigurationInvalid("models.client is 'sdk', which sends no extra_headers of models; use 'lean'")
        return SdkTransport(api_key, root)
    url = f"{root}/openai/v1/chat/completions"
    return LeanTransport(api_key, url, of_models=of_models)


class CompatibleModel(ChatCompletions):
    """A ChatModel. `base_url` is the part before `/chat/completions`, and may have a query.

    A server whose `base_url` ends in `/messages` is asked in Anthropic's form. With an empty key, no key is sent.

    The parameters that are learned of the server are shared through `redis_url`. Raises ConfigurationInvalid, see
    `extra_headers`.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        catalogue: Mapping[str, ModelInfo],
        redis_url: str | None = None,
        may_dial: Callable[[str, int], None] | None = None,
    ) -> None:
        transport = LeanTransport(
            api_key,
            endpoint(base_url, "chat/completions"),
            may_dial=may_dial,
            key_headers=key_headers(base_url, api_key),
            of_models=extra_headers(catalogue),
            form=messages_body if takes_messages(base_url) else dict,
        )
        learned = LearnedParameters(base_url, redis_url)
        super().__init__(Server(transport, COMPATIBLE), catalogue=catalogue, learned=learned)


def extra_headers(catalogue: Mapping[str, ModelInfo]) -> dict[str, Headers]:
    """The headers of each model that has any, with their values from the environment.

    Raises ConfigurationInvalid for an invalid header, and for a missing variable, which it names.
    """
    return {
        model: {name: _header(model, name, variable) for name, variable in info.extra_headers.items()}
        for model, info in catalogue.items()
        if info.extra_headers
    }


def _header(model: str, name: str, variable: str) -> str:
    setting = f"extra_headers of {model} in models.catalogue"
    value = os.environ.get(variable, "").strip()
    if not _HEADER.fullmatch(name):
        raise ConfigurationInvalid(f"{setting}: {name!r} is no name of a header")
    if not value:
        raise ConfigurationInvalid(f"{setting}: {name} takes its value from {variable}, which is not set")
    if not value.isascii() or not value.isprintable():
        raise ConfigurationInvalid(f"{setting}: {variable} has characters that no header may have")
    return value
