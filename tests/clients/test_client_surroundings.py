"""Proxies and certificates between a client and its server come from the environment, for both clients."""

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest
from aiohttp import web

from clients.llm.completions.providers import Client, GroqModel
from clients.llm.protocol import ModelError, ModelReply
from config.models import ModelSettings
from tests.clients.llm.test_lean import CHECK, WHOLE

CLIENTS: list[Client] = ["lean", "sdk"]
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


class Place:
    """A local server that records requests and answers every completion."""

    def __init__(self, trust: ssl.SSLContext | None = None) -> None:
        self.asked: list[str] = []
        self._trust = trust

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request.headers["host"])
        return web.json_response(WHOLE)

    async def serve(self, client: Client, url: str = "", proxy: str = "") -> tuple[ModelReply, ModelReply]:
        """Two calls of a client to `url`, or to this server."""
        runner = web.ServerRunner(web.Server(self._answer))
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=self._trust)
        await site.start()
        port = runner.addresses[0][1]
        with pytest.MonkeyPatch.context() as environment:
            if proxy:
                environment.setenv(proxy, f"127.0.0.1:{port}")
            own = f"{'https' if self._trust else 'http'}://localhost:{port}"
            model = GroqModel("key", url or own, catalogue={}, client=client)
            try:
                return await model.complete(CHECK), await model.complete(CHECK)
            finally:
                await model.aclose()
                await runner.cleanup()


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize("proxy", ["HTTP_PROXY", "ALL_PROXY"])
@pytest.mark.parametrize("client", CLIENTS)
async def test_a_call_goes_through_the_proxy_of_the_environment(client: Client, proxy: str) -> None:
    place = Place()
    await place.serve(client, "http://models.invalid", proxy)
    assert place.asked == ["models.invalid"] * 2


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for `localhost`, with its key."""
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "cert.pem", folder / "key.pem"
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl")
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-keyout", str(key), "-out", str(made), "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(command, check=True, capture_output=True)
    return made


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_server_is_trusted_by_the_certificates_of_the_environment_alone(
    client: Client, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    place = Place(context)
    with pytest.raises(ModelError, match="certificate"):
        await place.serve(client)
    assert place.asked == []
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert [reply.text for reply in await place.serve(client)] == ["{}", "{}"]


def test_our_own_client_is_the_default() -> None:
    assert ModelSettings().client == "lean"
