"""Documents as they look, over HTTP: pictures of pages, the places of a span's words, blocks."""

import uuid
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from openpyxl import Workbook
from PIL import Image
from sqlalchemy import delete, update

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import Document, DocumentPage
from db.session import transaction
from document_material.pdf_files import Sheet
from document_material.scans import printed, saved, scanned_pdf
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest
from services.documents.originals import KeptPictures
from tests.api.problems import assert_problem
from tests.leases import hold

SPAN = "within 30 days of the purchase"
PDF = Sheet().block("1. Returns", size=16).block(f"Goods come back {SPAN}, with the receipt.").data()
TABLE = b"<table><tr><th>Item</th><th>Days</th></tr><tr><td>Pump</td><td>30</td></tr></table>"
HTML = b"<h1>Returns</h1><p>Goods come back.</p>" + TABLE


def read(content: bytes, filename: str) -> str:
    """Accept a document and ingest it here; its address."""
    document_id = accept_document(NewDocument(filename, content, "w"), settings()).document_id
    ingest(document_id, default_embedder(), IngestionSettings(), hold)
    return f"/v1/documents/{document_id}"


@pytest.fixture
def pdf(http: httpx.Client) -> str:
    del http  # it has the database
    return read(PDF, "policy.pdf")


def boxes(http: httpx.Client, address: str, span: str = SPAN) -> httpx.Response:
    start = http.get(f"{address}/text").text.index(span)
    return http.get(f"{address}/boxes", params={"start": start, "end": start + len(span)})


def test_the_words_of_a_span_are_dark_in_the_picture_of_its_page(http: httpx.Client, pdf: str) -> None:  # S5.7
    (page,) = boxes(http, pdf).json()["pages"]
    (box,) = page["boxes"]
    sent = http.get(f"{pdf}/pages/{page['number']}/image", params={"width": 1150})
    assert sent.headers["content-type"] == "image/webp"
    picture = Image.open(BytesIO(sent.content)).convert("L")
    assert picture.width == 1200
    scale = picture.width / page["width"]
    assert round(page["height"] * scale) == pytest.approx(picture.height, abs=1)
    left, top, right, bottom = (round(scale * box[side]) for side in ("left", "top", "right", "bottom"))
    marked = picture.crop((left, top, right, bottom))
    lightness = sum(value * count for value, count in enumerate(marked.histogram())) / (marked.width * marked.height)
    assert lightness < 220  # letters, where an empty part of the page has 255
    beside = picture.crop((0, top, round(scale * 60), bottom))
    assert beside.getextrema() == (255, 255)


def test_a_picture_that_is_known_is_not_sent_again(http: httpx.Client, pdf: str) -> None:
    first = http.get(f"{pdf}/pages/1/image")
    again = http.get(f"{pdf}/pages/1/image", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert http.get(f"{pdf}/pages/1/image", params={"width": 300}).headers["etag"] != first.headers["etag"]


def test_what_has_no_picture_says_so(http: httpx.Client, pdf: str) -> None:
    page = read(HTML, "policy.html")
    assert_problem(http.get(f"{page}/pages/1/image"), 409, "pictures_missing")
    assert_problem(http.get(f"{page}/boxes?start=0&end=3"), 409, "boxes_missing")
    told = assert_problem(http.get(f"{pdf}/pages/2/image"), 404, "page_not_found")
    assert told["detail"] == "The document has 1 pages; there is no page 2."
    assert_problem(http.get(f"{pdf}/pages/1/image?width=100000"), 422, "request_invalid")
    assert_problem(http.get(f"{pdf}/boxes?start=5&end=5000"), 422, "bad_input")
    nobody = f"/v1/documents/{uuid.uuid4()}"
    for path in ("pages/1/image", "boxes?start=0&end=1", "blocks"):
        assert_problem(http.get(f"{nobody}/{path}"), 404, "document_not_found")


def test_text_that_was_recognised_says_so_where_it_is_found(http: httpx.Client) -> None:  # N3, S3.3
    address = read(scanned_pdf(printed(f"Goods come back {SPAN}.")), "scan.pdf")
    read(PDF, "policy.pdf")
    found = http.post("/v1/search", json={"query": "When do goods come back?", "workspace": "w"}).json()["passages"]
    sure = {each["document_name"]: each["recognised_confidence"] for each in found}
    assert sure["policy.pdf"] is None
    assert 0.8 < sure["scan.pdf"] <= 1
    (page,) = boxes(http, address).json()["pages"]
    assert page["boxes"]
    assert http.get(f"{address}/pages/1/image").status_code == 200


def test_what_stands_for_a_picture_says_so_where_it_is_found(http: httpx.Client) -> None:  # N3, S3.3
    address = read(b"<h1>Fees</h1><img src=a alt='A bar chart of the fees per month.'>", "fees.html")
    read(b"<h1>Fees</h1><p>A chart of the fees is sent each month.</p>", "text.html")
    for path, body in (("search", {"query": "chart of fees"}), ("search/explain", {"question": "chart of fees"})):
        found = http.post(f"/v1/{path}", json={**body, "workspace": "w"}).raise_for_status().json()["passages"]
        kinds = {each["document_name"]: each["figure"] for each in found}
        assert kinds == {"fees.html": "alternative_text", "text.html": None}
    (passage,) = http.get(f"{address}/passages").json()["passages"]
    assert passage["figure"] == "alternative_text"


def test_a_picture_is_shown_as_its_pages(http: httpx.Client) -> None:  # S5.7
    address = read(saved(printed(f"Goods come back {SPAN}.")), "scan.png")
    assert http.get(f"{address}/blocks").json()["view"] == "pages"
    assert http.get(f"{address}/pages/1/image").headers["content-type"] == "image/webp"
    (page,) = boxes(http, address).json()["pages"]
    assert page["boxes"][0]["left"] < page["width"]


def forget(document_id: uuid.UUID, **values: object) -> None:
    """Store the document as a version without places left it."""
    with transaction() as session:
        session.execute(delete(DocumentPage).where(DocumentPage.document_id == document_id))
        session.execute(update(Document).where(Document.id == document_id).values(blocks=None, **values))


def test_blocks_are_slices_of_the_text(http: httpx.Client, pdf: str) -> None:
    page = read(HTML, "policy.html")
    text, told = http.get(f"{page}/text").text, http.get(f"{page}/blocks").json()
    assert told["view"] == "blocks"
    shown = [(block["kind"], text[block["start"] : block["end"]]) for block in told["blocks"]]
    assert shown == [("heading", "Returns"), ("text", "Goods come back."), ("table", "Item\tDays\nPump\t30")]
    assert text[told["blocks"][2]["start"] : told["blocks"][2]["header_end"]] == "Item\tDays"
    assert told["blocks"][0]["level"] == 1
    assert http.get(f"{pdf}/blocks").json() == {"view": "pages", "blocks": []}
    assert http.get(f"{read(b'one two', 'a.txt')}/blocks").json() == {"view": "text", "blocks": []}


def test_the_cells_of_a_sheet_have_their_rows_and_columns(http: httpx.Client) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    for place, value in {
        "C3": "Item",
        "D3": "Days",
        "C4": "Pump",
        "D4": 30,
        "C8": "Only a note of some length here",
    }.items():
        sheet[place] = value
    file = BytesIO()
    book.save(file)
    address = read(file.getvalue(), "returns.xlsx")
    text, told = http.get(f"{address}/text").text, http.get(f"{address}/blocks").json()
    assert told["view"] == "sheets"
    heading, table, note = told["blocks"]
    assert (heading["kind"], heading["place"]) == ("heading", None)
    assert table["place"] == {"row": 3, "first_rows": 1, "columns": [3, 4]}
    assert text[table["start"] : table["end"]] == "Item\tDays\nPump\t30"
    assert note["place"] == {"row": 8, "first_rows": 1, "columns": [3]}


def test_pictures_are_kept_up_to_a_number_of_bytes() -> None:
    kept, drawn = KeptPictures(most_bytes=100), list[str]()

    def picture(name: str) -> bytes:
        drawn.append(name)
        return bytes(40)

    for name in ("a", "b", "a", "c", "a", "b"):
        kept.get(name, lambda name=name: picture(name))
    assert drawn == ["a", "b", "c", "b"]


def test_while_the_files_are_away_texts_and_passages_are_there(
    http: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # N3, A5
    for name, value in {"store": "folder", "folder": str(tmp_path), "above_bytes": "100"}.items():
        monkeypatch.setenv(f"CITEWELL_ORIGINALS__{name.upper()}", value)
    settings.cache_clear()
    address = read(PDF, "outside.pdf")
    assert http.get(f"{address}/original").content == PDF
    (tmp_path / "drafts").rmdir()
    (tmp_path / "1").rename(tmp_path / "gone")
    told = assert_problem(http.get(f"{address}/original"), 503, "original_unavailable")
    assert "mount or restore that folder" in told["detail"]
    assert "text and citations are there" in told["detail"]
    assert_problem(http.get(f"{address}/pages/1/image?width=700"), 503, "original_unavailable")
    assert SPAN in http.get(f"{address}/text").text
    assert boxes(http, address).json()["pages"]
    assert http.post("/v1/search", json={"query": "When do goods come back?", "workspace": "w"}).json()["passages"]
