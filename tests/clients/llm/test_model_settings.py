"""What the catalogue adds to the requests of a model, and the addresses of Azure."""

import asyncio
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from aiohttp import web
from pydantic import SecretStr, ValidationError

from clients.addresses import endpoint, key_headers
from clients.embeddings.openai_compatible import EndpointEmbedder
from clients.llm.completions.providers import CompatibleModel
from clients.llm.factory import check_provider, make_model
from clients.llm.servers import models_address
from config.models import EmbeddingModel, ModelInfo, ModelSettings
from config.settings import ConfigurationInvalid, Settings
from tests.clients.llm.test_lean import CHECK, COMPOSE, END, MODEL, WHOLE, event, failure, last, play, served
from verify_material.rows import for_all_rows

BASE = "http://127.0.0.1:9/openai/deployments/judge?api-version=2024-10-21"


def asked(streamed: bool = False, key: str = "", **info: Any) -> tuple[web.Request, dict[str, Any]]:
    """The request that a server gets from a model with these entries of the catalogue, and its JSON."""
    requests: list[tuple[web.Request, dict[str, Any]]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        requests.append((request, await request.json()))
        if not streamed:
            return web.json_response(WHOLE)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(event("ok") + END)
        return response

    play(answer, lambda model: last(model, COMPOSE) if streamed else model.complete(CHECK), key=key, **info)
    return requests[-1]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_model_gets_its_own_parameters_and_null_leaves_one_out(streamed: bool) -> None:
    extra = {"think": False, "options": {"num_ctx": 16_384}, "temperature": None, "top_k": 20}
    _, body = asked(streamed, extra_body=extra)
    assert (body["think"], body["options"], body["top_k"]) == (False, {"num_ctx": 16_384}, 20)
    assert "temperature" not in body
    assert body["max_tokens"] == 600


@pytest.mark.parametrize("name", ["model", "messages", "stream"])
def test_a_models_own_parameters_replace_nothing_of_the_request_itself(name: str) -> None:
    with pytest.raises(ValidationError, match=f"may not replace {name}"):
        ModelInfo(extra_body={name: "x"})


@for_all_rows("effort", ["none", "minimal", "low", "medium", "high", "xhigh", "max"])
def test_an_effort_is_sent_in_the_words_of_the_server(effort: str) -> None:
    _, body = asked(reasoning_effort=effort)
    assert body["reasoning_effort"] == effort


def test_what_is_no_word_is_no_effort() -> None:
    with pytest.raises(ValidationError):
        ModelInfo(reasoning_effort="as much as you can")


def test_a_header_takes_its_value_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_TOKEN", "planted-value")
    request, _ = asked(key="sk-own", extra_headers={"x-team": "TEAM_TOKEN"})
    assert request.headers["x-team"] == "planted-value"
    assert request.headers["authorization"] == "Bearer sk-own"


def test_a_value_of_a_header_that_a_server_repeats_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM_TOKEN", "planted-value")

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.json_response({"error": {"message": "no team has planted-value"}}, status=403)

    error = play(answer, lambda model: failure(model.complete(CHECK)), extra_headers={"x-team": "TEAM_TOKEN"})
    assert "no team has ***" in str(error)


def configured(**info: Any) -> Settings:
    catalogue = {MODEL: ModelInfo(**info)}
    models = ModelSettings(provider="openai_compatible", base_url="http://127.0.0.1:9/v1", catalogue=catalogue)
    return Settings(models=models)


@pytest.mark.parametrize(
    ("headers", "value", "told"),
    [
        ({"x-team": "TEAM_TOKEN"}, None, "TEAM_TOKEN, which is not set"),
        ({"x team": "TEAM_TOKEN"}, "a", "'x team' is no name of a header"),
        ({"x-team": "TEAM_TOKEN"}, "a\nb", "TEAM_TOKEN has characters"),
    ],
)
def test_a_header_that_cannot_be_sent_is_told_before_anything_is(
    headers: dict[str, str], value: str | None, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value:
        monkeypatch.setenv("TEAM_TOKEN", value)
    for check in (check_provider, make_model):
        with pytest.raises(ConfigurationInvalid, match=told):
            check(configured(extra_headers=headers))


@pytest.mark.parametrize(
    ("base", "headers"),
    [
        ("https://api.example.com/v1", {"authorization": "Bearer k"}),
        (BASE, {"api-key": "k"}),
        ("https://x.openai.azure.com/openai/v1/", {"authorization": "Bearer k", "api-key": "k"}),
    ],
)
def test_a_key_is_sent_as_its_server_takes_it(base: str, headers: dict[str, str]) -> None:
    assert key_headers(base, "k") == headers
    assert key_headers(base, "") == {}


def test_the_query_of_an_address_stays_behind_its_path() -> None:
    assert endpoint("http://h/v1/", "models") == "http://h/v1/models"
    assert endpoint(BASE, "chat/completions") == BASE.replace("?", "/chat/completions?")
    models = ModelSettings(provider="openai_compatible", base_url=BASE)
    assert models_address(Settings(models=models)) == BASE.replace("?", "/models?")


def test_a_deployment_of_azure_is_asked_with_its_query_and_header() -> None:
    requests: list[web.Request] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        requests.append(request)
        return web.json_response(WHOLE)

    async def ask() -> None:
        async with served(answer, "/openai/deployments/judge") as url:
            model = CompatibleModel("k", f"{url}/?api-version=2024-10-21", catalogue={})
            await model.complete(CHECK)
            await model.aclose()

    asyncio.run(ask())
    assert requests[0].query["api-version"] == "2024-10-21"
    assert requests[0].headers["api-key"] == "k"
    assert "authorization" not in requests[0].headers


def test_embeddings_are_asked_for_with_the_query_and_the_header() -> None:
    requests: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            requests.append((self.path, self.headers["api-key"]))
            content = json.dumps({"data": [{"index": 0, "embedding": [3.0, 4.0]}]}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.handle_request, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}/openai/deployments/e?api-version=1"
        model = EmbeddingModel(
            provider="openai_compatible", model="e", base_url=base, api_key=SecretStr("k"), dimension=2
        )
        vectors = EndpointEmbedder(model).encode_queries(["a"])
    assert vectors.tolist() == [pytest.approx([0.6, 0.8])]
    assert requests == [("/openai/deployments/e/embeddings?api-version=1", "k")]
