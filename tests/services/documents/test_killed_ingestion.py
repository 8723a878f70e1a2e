"""A long document whose worker is killed with kill -9 goes on behind its last stored batch."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
from fpdf import FPDF
from sqlalchemy import text

from citewell_verify.embeddings.protocol import Vectors
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.session import transaction
from services.documents.documents import NewDocument, accept_document, read_document
from services.documents.ingestion import BATCH, ingest
from tests.leases import hold

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.slow, pytest.mark.timeout(600)]

PAGES = 250
LIMITS = IngestionSettings(parse_base_s=240)

# Writes a line for each text that it embeds, before it does; slowly enough to be killed in between.
WORKER = f"""
import sys, time, uuid
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings
from db.session import acting_for
from services.documents.ingestion import ingest
from tests.services.documents.test_killed_ingestion import Noting
from tests.leases import hold

with acting_for(1):
    limits = IngestionSettings(parse_base_s={LIMITS.parse_base_s})
    ingest(uuid.UUID(sys.argv[1]), Noting(sys.argv[2], 0.3), limits, hold)
"""


class Noting:
    """The usual embedder, which notes what it embeds."""

    def __init__(self, file: str | Path, pause_s: float = 0) -> None:
        self._inner, self._file, self._pause_s = default_embedder(), Path(file), pause_s
        self.name, self.dimension = self._inner.name, self._inner.dimension

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._inner.encode_queries(texts)

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        time.sleep(self._pause_s)
        with self._file.open("a") as file:
            file.writelines(f"{hash_of(each)}\n" for each in texts)
        return self._inner.encode_documents(texts)


def hash_of(text_: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_OID, text_).hex


def long_pdf() -> bytes:
    pdf = FPDF()
    pdf.set_font("helvetica", size=11)
    for page in range(1, PAGES + 1):
        pdf.add_page()
        lines = [
            f"Pump {page}-{line} was inspected in week {page % 52} and holds {page * line} bar." for line in range(9)
        ]
        pdf.multi_cell(0, 6, "\n".join(lines))
    return bytes(pdf.output())


def test_a_document_of_250_pages_goes_on_where_its_worker_was_killed(tmp_path: Path) -> None:  # A5
    document_id = accept_document(NewDocument("long.pdf", long_pdf(), "w"), settings()).document_id
    noted = tmp_path / "first"
    with subprocess.Popen([sys.executable, "-c", WORKER, str(document_id), str(noted)], cwd=Path.cwd()) as worker:
        while (done := read_document(document_id)["progress"])["chunks_done"] < 3 * BATCH:
            assert worker.poll() is None
            time.sleep(0.05)
        os.kill(worker.pid, signal.SIGKILL)
    done = read_document(document_id)["progress"]
    stored, total = done["chunks_done"], done["chunks_total"]
    assert 3 * BATCH <= stored < total >= PAGES
    with transaction() as session:
        session.execute(text("UPDATE documents SET lease_until = now() - interval '1 second'"))
    again = tmp_path / "second"
    assert ingest(document_id, Noting(again), LIMITS, hold)
    ended = read_document(document_id)
    assert (ended["status"], ended["pages"]) == ("ready", PAGES)
    assert (ended["progress"]["chunks_done"], ended["progress"]["chunks_total"]) == (total, total)
    first, second = noted.read_text().split(), again.read_text().split()
    # At most the batch that was under way when it died is made again.
    assert len(second) == total - stored
    assert not set(first[:stored]) & set(second)
