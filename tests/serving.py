"""An application on a real socket, in a thread of the test process."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI

from api.app import create_app
from workers.celery_app import app as celery


@contextmanager
def serving(app: FastAPI, **options: Any) -> Generator[str]:
    """Serve `app` on a free port of 127.0.0.1, with these further `options` of uvicorn; yield its address."""
    # Without its lifespan: that would take over the logging and the thread pool of the test process.
    config = uvicorn.Config(
        app,
        http="api.patience:PatientProtocol",
        ws="none",
        server_header=False,
        log_config=None,
        lifespan="off",
        timeout_graceful_shutdown=3,
        **options,
    )
    server = uvicorn.Server(config)
    # The protocol is named, because otherwise asyncio lets each response wait 40 ms for the client's acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="api")
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def api_url(redis_url: str) -> Generator[str]:
    """The API, once for all tests; it reads its settings with every request, but the broker's address only once."""
    celery.conf.update(broker_url=redis_url, result_backend=redis_url)
    with serving(create_app()) as url:
        yield url
