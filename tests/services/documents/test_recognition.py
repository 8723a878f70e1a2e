"""Long scans: pages are recognised a few at a time and kept, and no task begins anew (N3, A5)."""

import uuid
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import func, select, update

from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import Document, DocumentPage, DocumentStatus, RecognisedPage
from db.session import reading, transaction
from document_material.scans import printed, saved, scanned_pdf
from services.documents import recognition
from services.documents.documents import NewDocument, accept_document, read_document, retry_document
from services.documents.ingestion import ingest
from services.documents.reading_limits import limits_of
from tests.leases import hold

pytestmark = pytest.mark.usefixtures("database")

LIMITS = IngestionSettings(ocr_languages="eng", parse_base_s=60)
PAGES = [printed(f"Goods number {number} come back", "within thirty days of the purchase.") for number in range(1, 4)]


@pytest.fixture
def recognised(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every task recognises one page; the numbers of these pages."""
    numbers: list[int] = []

    def counted(
        content: bytes, filename: str, pending: Sequence[int], limits: ParseLimits, seconds: float
    ) -> dict[int, dict[str, Any]]:
        found = whole(content, filename, pending, limits, seconds)
        numbers.extend(found)
        return found

    whole = recognition.recognise_isolated
    monkeypatch.setattr(recognition, "recognise_isolated", counted)
    monkeypatch.setattr(recognition, "TURN_S", 0)
    monkeypatch.setattr(recognition, "KEPT_AFTER_S", 0)
    return numbers


def send(content: bytes, name: str = "scan.pdf") -> uuid.UUID:
    return accept_document(NewDocument(name, content, "w"), settings()).document_id


def work(document_id: uuid.UUID, limits: IngestionSettings = LIMITS) -> tuple[str, str, int | None, int | None]:
    """One task, and how far the document is."""
    ingest(document_id, default_embedder(), limits, hold)
    seen = read_document(document_id)
    progress = seen["progress"]
    return seen["status"], seen["stage"], progress["pages_recognised"], progress["pages_to_recognise"]


def expire(document_id: uuid.UUID) -> None:
    with transaction() as session:
        session.execute(update(Document).where(Document.id == document_id).values(lease_until=func.now()))


@pytest.mark.slow
def test_a_long_scan_is_read_over_several_tasks_each_page_once(recognised: list[int]) -> None:  # N3, A5
    content = scanned_pdf("This page is text.", *PAGES)
    document = send(content)
    assert work(document) == ("queued", "recognising", 1, 3)
    with reading() as session:
        row = session.get_one(Document, document)
        assert (row.launched_at, row.lease_until, row.idle) == (None, None, 0)  # it waits behind those of others
    assert work(document) == ("queued", "recognising", 2, 3)
    assert work(document) == ("ready", "ready", 3, 3)
    assert recognised == [2, 3, 4]
    at_once = parse_isolated(content, "scan.pdf", limits_of(LIMITS))
    with reading() as session:
        assert session.get_one(Document, document).text == at_once.text
        boxes = select(DocumentPage.words).order_by(DocumentPage.number)
        assert list(session.scalars(boxes)) == [page.words for page in at_once.boxes]
        marks = session.scalars(select(DocumentPage.recognised).order_by(DocumentPage.number))
        assert [bool(mark) for mark in marks] == [False, True, True, True]
        assert session.execute(select(func.count()).select_from(RecognisedPage)).scalar_one() == 0


@pytest.mark.slow
def test_pages_of_a_worker_that_ended_are_not_recognised_again(
    recognised: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    monkeypatch.setattr(recognition, "TURN_S", 600)
    document = send(saved(PAGES[0], "TIFF", PAGES[1:]), "scan.tiff")
    with monkeypatch.context() as patch:

        def end(*given: Any) -> dict[int, dict[str, Any]]:
            if recognised == [1, 2]:
                raise SystemExit
            return counted(*given)

        counted = recognition.recognise_isolated
        patch.setattr(recognition, "recognise_isolated", end)
        with pytest.raises(SystemExit):
            work(document)
    expire(document)
    assert work(document) == ("ready", "ready", 3, 3)
    assert recognised == [1, 2, 3]


@pytest.mark.slow
def test_a_document_that_failed_goes_on_and_begins_anew_in_other_languages(
    recognised: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:  # N3
    document = send(scanned_pdf(*PAGES[:2]))
    assert work(document)[0] == "queued"
    assert work(document, LIMITS.model_copy(update={"ocr_page_s": 0.001}))[0] == "failed"
    said = read_document(document)["error"]
    assert said["code"] == "document_too_slow"
    assert said["message"].startswith("The text of page 2 could not be recognised in time")
    retry_document(document)
    assert work(document)[0] == "ready"
    assert recognised == [1, 2]
    other = send(scanned_pdf(*PAGES[1:]), "other.pdf")
    assert work(other)[2:] == (1, 2)

    def more(_: str) -> dict[str, str]:
        return both

    both = {name: limits_of(LIMITS).ocr_data["eng"] for name in ("eng", "osd")}
    monkeypatch.setattr("services.documents.reading_limits.recognition_data", more)
    assert work(other)[2:] == (1, 2)
    assert recognised == [1, 2, 1, 1]


def test_a_worker_that_lost_the_document_keeps_nothing(
    recognised: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    document = send(scanned_pdf(PAGES[0]))

    def take_over(*given: Any) -> dict[int, dict[str, Any]]:
        with transaction() as session:
            session.execute(update(Document).values(attempt=Document.attempt + 1))
        return counted(*given)

    counted = recognition.recognise_isolated
    monkeypatch.setattr(recognition, "recognise_isolated", take_over)
    assert work(document) == (DocumentStatus.PROCESSING, "recognising", 0, 1)
    with reading() as session:
        assert session.scalar(select(RecognisedPage.content)) is None
    assert recognised == [1]
