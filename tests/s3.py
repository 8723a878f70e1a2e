"""An S3-compatible server on this machine, and buckets on it."""

from collections.abc import Generator

import httpx
import pytest
from moto.server import ThreadedMotoServer
from obstore.store import S3Store

SECRET = "the-secret-of-the-store"


@pytest.fixture(scope="module")
def endpoint() -> Generator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def empty_bucket(endpoint: str, name: str) -> S3Store:
    """The only bucket of the server, without objects."""
    httpx.post(f"{endpoint}/moto-api/reset")
    httpx.put(f"{endpoint}/{name}")
    return S3Store(
        name,
        endpoint=endpoint,
        access_key_id="key",
        secret_access_key=SECRET,
        region="us-east-1",
        client_options={"allow_http": True},
    )
