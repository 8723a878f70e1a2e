"""What a provider's server says of itself: whether it accepts the key, and which models it serves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpx

from clients.llm.completions.request_body import COMPATIBLE
from clients.llm.completions.server_words import server_words
from clients.llm.completions.wire_format import shown
from config.settings import Settings

TIMEOUT_S = 3.0
"""A person waits for the answer, and a server that is there answers at once."""

_OK, _NO_KEY, _NOT_ALLOWED = 200, 401, 403


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """`models` are the names it serves; `detail` is a sentence for users, unless the state is `ok`.

    `forbidden`: not with this key or from this place, which may concern the list alone. `unclear`: something answered,
    but not as a server of models does, which some gateways do not.
    """

    state: Literal["ok", "key_refused", "forbidden", "unreachable", "unclear"]
    models: tuple[str, ...] = ()
    detail: str = ""

    def serves(self, model: str) -> bool:
        return model in self.models or f"{model}:latest" in self.models


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A program that serves models on this machine. `address` is the part before `/chat/completions`."""

    name: str
    address: str
    start: str


OLLAMA = LocalServer("ollama", "http://127.0.0.1:11434/v1", "ollama serve")
LLAMA_CPP = LocalServer("llamacpp", "http://127.0.0.1:8080/v1", "llama-server -hf NAME --port 8080")
LOCAL_SERVERS = (OLLAMA, LLAMA_CPP)


def ask_provider(settings: Settings) -> ServerAnswer | None:
    if settings.provider == "offline":
        return None
    return ask_server(models_address(settings), settings.provider_key, settings.provider_key_name)


def models_address(settings: Settings) -> str:
    if settings.provider == "openai_compatible":
        return f"{settings.provider_url.rstrip('/')}/models"
    return f"{settings.provider_url.rstrip('/').removesuffix('/openai/v1')}/openai/v1/models"


def ask_server(address: str, key: str, key_name: str, *, timeout_s: float = TIMEOUT_S) -> ServerAnswer:
    """One `GET` of the list of models. `key_name` is the setting to correct when the key is refused."""
    try:
        answer = httpx.get(address, headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=timeout_s)
    except httpx.TimeoutException:
        return ServerAnswer("unreachable", detail=f"no answer from {_public(address)} within {timeout_s:g} s")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        reason = shown(str(error)) or type(error).__name__
        return ServerAnswer("unreachable", detail=f"cannot reach {_public(address)} ({reason})")
    if answer.status_code in (_NO_KEY, _NOT_ALLOWED):
        return _refused(answer, key, key_name)
    if answer.status_code != _OK:
        return ServerAnswer("unclear", detail=f"{_public(address)} answers HTTP {answer.status_code}: {_said(answer)}")
    models = _names(answer)
    if models is None:
        return ServerAnswer("unclear", detail=f"{_public(address)} does not list models")
    return ServerAnswer("ok", models)


def missing_models(answer: ServerAnswer, wanted: Sequence[str]) -> list[str]:
    return [model for model in dict.fromkeys(wanted) if answer.models and not answer.serves(model)]


def find_local_servers() -> dict[LocalServer, ServerAnswer]:
    asked = {server: ask_server(f"{server.address}/models", "", COMPATIBLE.key_setting) for server in LOCAL_SERVERS}
    return {server: answer for server, answer in asked.items() if answer.state == "ok"}


def _refused(answer: httpx.Response, key: str, key_name: str) -> ServerAnswer:
    if not key:
        return ServerAnswer("key_refused", detail=f"the server wants a key; set {key_name}")
    said = _said(answer).replace(key, "***")
    state = "key_refused" if answer.status_code == _NO_KEY else "forbidden"
    return ServerAnswer(state, detail=f"{key_name} is refused: HTTP {answer.status_code} {said}".rstrip())


def _said(answer: httpx.Response) -> str:
    return shown(server_words(answer.text).text) or answer.reason_phrase


def _names(answer: httpx.Response) -> tuple[str, ...] | None:
    # OpenAI's list has them as `data[].id`.
    try:
        listed: list[dict[str, Any]] = answer.json()["data"]
        return tuple(shown(str(each["id"])) for each in listed or [])
    except (ValueError, KeyError, TypeError):
        return None


def _public(address: str) -> str:
    try:
        return str(httpx.URL(address).copy_with(userinfo=b""))
    except (httpx.InvalidURL, UnicodeError):
        return "the configured address"
