"""Whole stacks: real servers, API and worker processes, started by the supervisor as `citewell up` does."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from citewell.supervisor.home import temporary_home
from citewell.supervisor.supervisor import Supervisor
from config.settings import Settings
from tests.simulators.writer import Writer

# A machine may be busy, and the stack with what an earlier test has left it to do; less than a test has.
PATIENCE_S = 120.0


@dataclass(frozen=True)
class Stack:
    supervisor: Supervisor
    http: httpx.Client
    writer: Writer | None = None

    def add_text(self, filename: str, text: str, *, workspace: str) -> str:
        """Ingest a text and wait until it can be searched; return its id."""
        answer = self.http.post("/v1/documents", json={"filename": filename, "text": text, "workspace": workspace})
        return self.until_ready(answer.raise_for_status().json()["id"])

    def add_file(self, path: Path, *, workspace: str, metadata: dict[str, Any] | None = None) -> str:
        """Ingest a file and wait until it can be searched; return its id."""
        return self.until_ready(self.send_file(path.name, path.read_bytes(), workspace=workspace, metadata=metadata))

    def send_file(self, name: str, data: bytes, *, workspace: str, metadata: dict[str, Any] | None = None) -> str:
        """Upload a file; return its id."""
        form = {"workspace": workspace, "metadata": json.dumps(metadata or {})}
        answer = self.http.post("/v1/documents", files={"file": (name, data)}, data=form)
        return answer.raise_for_status().json()["id"]

    def until_ready(self, document_id: str) -> str:
        """Wait for an ingestion to succeed."""
        document = self.until_ended(document_id)
        assert document["status"] == "ready", document
        return document_id

    def until_ended(self, document_id: str) -> dict[str, Any]:
        """Wait for an ingestion to end, successfully or not; return the document."""
        deadline = time.monotonic() + PATIENCE_S
        while (document := self.http.get(f"/v1/documents/{document_id}").json())["status"] in {"queued", "processing"}:
            assert time.monotonic() < deadline, document
            time.sleep(0.05)
        return document

    def submit(self, question: str, **body: Any) -> str:
        answer = self.http.post("/v1/queries", json={"question": question, **body})
        assert answer.status_code == 202, answer.text
        return answer.json()["id"]

    def wait(self, query_id: str) -> dict[str, Any]:
        """Wait for a final state."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            # The API waits for a minute at most.
            query = self.http.get(f"/v1/queries/{query_id}", params={"wait": 60}).raise_for_status().json()
            if query["status"] in {"succeeded", "failed"}:
                return query
            assert query["status"] in {"queued", "running"}, query
            assert time.monotonic() < deadline, query

    def ask(self, question: str, **body: Any) -> dict[str, Any]:
        return self.wait(self.submit(question, **body))

    def history(self, query_id: str) -> dict[str, Any]:
        """Everything that was checked."""
        return self.http.get(f"/v1/queries/{query_id}/verifications").raise_for_status().json()

    def stored_text(self, document_id: str) -> str:
        """The text that offsets point into."""
        return self.http.get(f"/v1/documents/{document_id}/text").raise_for_status().text


@contextmanager
def running_stack(**environment: str) -> Generator[Stack]:
    """Start a stack. By default queries share no replies and late calls are not repeated: tests ask the same
    question twice, on busy machines, and count the calls."""
    with pytest.MonkeyPatch.context() as patch, temporary_home() as home:
        for name in ("GROQ_API_KEY", "GROQ_BASE_URL", "CITEWELL_DATABASE_URL", "CITEWELL_REDIS_URL"):
            patch.delenv(name, raising=False)
        own = {
            "CITEWELL_HOME": str(home),
            "CITEWELL_MODELS__SHARE_REPLIES": "false",
            "CITEWELL_MODELS__HEDGE_SHARE": "0",
        }
        for name, value in {**own, **environment}.items():
            patch.setenv(name, value)
        with (
            Supervisor(Settings(), port=0) as supervisor,
            httpx.Client(base_url=supervisor.url, timeout=90) as http,
        ):
            yield Stack(supervisor, http)


@contextmanager
def offline_stack() -> Generator[Stack]:
    """Start a stack without a key; it may call receivers on this machine, with short retries and long timeouts for
    their answers. It checks for changed documents often, and soon for a second time. Behind the guard's proxy is
    `writer`."""
    with (
        Writer() as writer,
        running_stack(
            CITEWELL_GUARD__UPSTREAM_URL=f"{writer.origin}/v1",
            CITEWELL_GUARD__UPSTREAM_KEY="sk-upstream",
            CITEWELL_GUARD__UPSTREAM_SILENCE_S="1.5",
            CITEWELL_WEBHOOKS__ALLOWED_NETWORKS='["127.0.0.0/8"]',
            CITEWELL_WEBHOOKS__SCHEDULE_S="[0, 0.5, 0.5]",
            CITEWELL_WEBHOOKS__DEADLINE_S="300",
            CITEWELL_STANDING__CHECK_S="0.5",
            CITEWELL_STANDING__SETTLE_S="2",
        ) as stack,
    ):
        yield replace(stack, writer=writer)
