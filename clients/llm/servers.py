"""Asks a provider's server about itself: whether it accepts the key, and which models it serves."""

import socket
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import httpx

from clients.addresses import endpoint, key_headers
from clients.llm.completions.aiohttp_transport import MayDial, proxy_for, trusted_certificates
from clients.llm.completions.request_body import COMPATIBLE
from clients.llm.completions.server_words import server_words
from clients.llm.completions.wire_format import shown
from config.settings import Settings

TIMEOUT_S = 3.0
"""This is short, because a person waits for the answer, and a server that runs answers at once."""

_OK, _NO_KEY, _NOT_ALLOWED = 200, 401, 403


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A server's answer. `models` are the names of the models that it serves; `detail` is a sentence for users, unless
    the state is `ok`.

    `forbidden`: the server refuses this key or this place, maybe for the list alone. `unclear`: something answered, but
    not in the way of a server of models; some gateways do so, too.
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

    def is_at(self, address: str) -> bool:
        try:
            given, own = httpx.URL(address), httpx.URL(self.address)
        except (httpx.InvalidURL, UnicodeError):
            return False
        return given.port == own.port and given.host in (own.host, *_THIS_MACHINE)


_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
LOCAL_SERVERS = (
    LocalServer("ollama", "http://127.0.0.1:11434/v1", "ollama serve"),
    LocalServer("llamacpp", "http://127.0.0.1:8080/v1", "llama-server -hf NAME --port 8080"),
    LocalServer("lmstudio", "http://127.0.0.1:1234/v1", "lms server start"),
)
"""The usual addresses of the programs that serve models on a person's machine."""


def ask_provider(settings: Settings) -> ServerAnswer | None:
    if settings.provider == "offline":
        return None
    return ask_server(models_address(settings), settings.provider_key, settings.provider_key_name)


def models_address(settings: Settings) -> str:
    if settings.provider == "openai_compatible":
        return endpoint(settings.provider_url, "models")
    return f"{settings.provider_url.rstrip('/').removesuffix('/openai/v1')}/openai/v1/models"


def ask_server(
    address: str, key: str, key_name: str, *, timeout_s: float = TIMEOUT_S, may_dial: MayDial | None = None
) -> ServerAnswer:
    """Ask for the list of models with one `GET`. `key_name` is the setting to correct when the key is refused; it is
    empty for a key that was typed in. `may_dial`: see `judge_of_dialled`."""
    try:
        answer = _get(address, key_headers(address, key), timeout_s, may_dial)
    except httpx.TimeoutException:
        return ServerAnswer("unreachable", detail=f"no answer from {_public(address)} within {timeout_s:g} s")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, OSError) as error:
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


def _get(address: str, headers: Mapping[str, str], timeout_s: float, may_dial: MayDial | None) -> httpx.Response:
    """The answer to a `GET`. With `may_dial` the name is resolved once, and the address that was judged is dialled; if
    there is a proxy, the proxy decides instead. Raises OSError for a name that is unknown or leads to a forbidden
    address, and httpx's errors.
    """
    url = httpx.URL(address)
    if may_dial is None or proxy_for(url.scheme, url.host):
        return httpx.get(url, headers=headers, timeout=timeout_s)
    port = url.port or (443 if url.scheme == "https" else 80)
    dialled = [str(entry[4][0]) for entry in socket.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)]
    for ip in dialled:
        may_dial(ip, port)
    headers = {**headers, "host": url.netloc.decode("ascii")}
    with httpx.Client(timeout=timeout_s, trust_env=False, verify=trusted_certificates()) as client:
        pinned = client.build_request(
            "GET", url.copy_with(host=dialled[0]), headers=headers, extensions={"sni_hostname": url.host}
        )
        return client.send(pinned)


def context_window(settings: Settings, model: str, may_dial: MayDial | None = None) -> int | None:
    """The number of tokens that the server reads and writes at once with this model; None if it does not say."""
    address = settings.provider_url.rstrip("/")
    root = address.removesuffix("/v1")
    headers = {"Authorization": f"Bearer {settings.provider_key}"} if settings.provider_key else {}
    for place in (f"{root}/props", f"{root}/api/ps", f"{root}/api/v0/models", f"{address}/models"):
        try:
            told = _get(place, headers, TIMEOUT_S, may_dial).raise_for_status().json()
            window = _window(told, model)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if isinstance(window, int) and window > 0:
            return window
    return None


def _window(told: dict[str, Any], model: str) -> Any:
    # llama.cpp's `props` has no list; its figure is that of one slot.
    listed: list[dict[str, Any]] = told.get("data") or told.get("models") or []
    named = [entry for entry in listed if (entry.get("id") or entry.get("name")) in (model, f"{model}:latest")]
    entry: dict[str, Any] = named[0] if named else told.get("default_generation_settings") or {}
    known: dict[str, Any] = {**(entry.get("meta") or {}), **entry}
    return next((known[name] for name in _WINDOWS if known.get(name)), None)


_WINDOWS = ("loaded_context_length", "n_ctx", "max_model_len", "context_length", "context_window")
"""The names for the context window in LM Studio, llama.cpp, vLLM, Ollama and Groq."""


def missing_models(answer: ServerAnswer, wanted: Sequence[str]) -> list[str]:
    return [model for model in dict.fromkeys(wanted) if answer.models and not answer.serves(model)]


def find_local_servers(servers: Sequence[LocalServer] | None = None) -> dict[LocalServer, ServerAnswer]:
    """The answers of these servers, by default those of this machine, which are all asked for their models at once."""
    asked = LOCAL_SERVERS if servers is None else tuple(servers)

    def ask(server: LocalServer) -> ServerAnswer:
        return ask_server(endpoint(server.address, "models"), "", COMPATIBLE.key_setting)

    with ThreadPoolExecutor(max(1, len(asked))) as threads:
        return dict(zip(asked, threads.map(ask, asked), strict=True))


def _refused(answer: httpx.Response, key: str, key_name: str) -> ServerAnswer:
    if not key:
        return ServerAnswer("key_refused", detail="the server wants a key" + (f"; set {key_name}" if key_name else ""))
    said = _said(answer).replace(key, "***")
    state = "key_refused" if answer.status_code == _NO_KEY else "forbidden"
    status = f"HTTP {answer.status_code} {said}".rstrip()
    detail = f"{key_name} is refused: {status}" if key_name else f"the key is refused: {status}"
    return ServerAnswer(state, detail=detail)


def _said(answer: httpx.Response) -> str:
    return shown(server_words(answer.text).text) or answer.reason_phrase


def _names(answer: httpx.Response) -> tuple[str, ...] | None:
    """The names of the models in OpenAI's list, `data[].id`; None for anything else."""
    try:
        listed: list[dict[str, Any]] = answer.json()["data"]
        return tuple(shown(str(model["id"])) for model in listed or [])
    except (ValueError, KeyError, TypeError):
        return None


def _public(address: str) -> str:
    try:
        return str(httpx.URL(address).copy_with(userinfo=b""))
    except (httpx.InvalidURL, UnicodeError):
        return "the configured address"
