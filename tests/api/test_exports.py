"""Files to save: the original of a document, and a finished answer in every format."""

import csv
import io
import re
import sys
import uuid
from typing import Any, get_args
from urllib.parse import unquote

import httpx
import pypdfium2
import pytest
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import delete, select, update

from api.adapters.exports import ExportFormat
from db.models import Answer, Citation, Document, DocumentFile, DocumentPage, Query, VerificationSentence
from db.session import transaction
from domain.exports.wording import KOREAN as WORDS
from domain.quality.signal import KOREAN, NO_MODEL
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.keys import bearer, make_key
from tests.stored import ANSWER, SPAN, abstain
from verify_material.rows import for_all_rows

FORMATS = get_args(ExportFormat)
HOSTILE = "<script>alert(1)</script> ![x](http://evil.example/p.png) [go](javascript:alert(1)) | `=1+1`"


def exported(http: httpx.Client, query_id: str, format: str, **options: Any) -> httpx.Response:
    return http.get(f"/v1/queries/{query_id}/export", params={"format": format}, **options)


@pytest.mark.parametrize(
    ("filename", "content", "kind"),
    [
        ("보고서 2026.pdf", b"%PDF-1.7\r\n\xff\x00", "application/pdf"),
        ("page.html", b"<script>alert(1)</script>", "text/html"),
        ("note.txt", "Grüße".encode("latin-1"), "text/plain"),
        ("Sheet.XLSX", b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ],
)
def test_the_original_is_the_file_as_it_was_sent(http: httpx.Client, filename: str, content: bytes, kind: str) -> None:
    sent = http.post("/v1/documents", files={"file": (filename, content)}).raise_for_status().json()
    original = http.get(f"/v1/documents/{sent['id']}/original")
    assert original.content == content
    assert original.headers["content-type"] == kind
    assert original.headers["x-content-type-options"] == "nosniff"
    assert original.headers["content-security-policy"].startswith("default-src 'none'")
    disposition = original.headers["content-disposition"]
    assert disposition.startswith('attachment; filename="')
    assert disposition.endswith("filename*=UTF-8''" + httpx.URL(f"http://x/{filename}").raw_path[1:].decode())
    http.delete(f"/v1/documents/{sent['id']}")
    assert_problem(http.get(f"/v1/documents/{sent['id']}/original"), 404, "document_not_found")


def test_the_name_of_a_file_of_an_archive_is_its_last_part(http: httpx.Client) -> None:
    sent = http.post("/v1/documents", json={"filename": 'folder/a "b"\\c.md', "text": "Refunds."}).json()
    disposition = http.get(f"/v1/documents/{sent['id']}/original").headers["content-disposition"]
    assert disposition == "attachment; filename=\"a _b__c.md\"; filename*=UTF-8''a%20%22b%22%5Cc.md"


def test_a_document_without_its_file_says_what_to_do(http: httpx.Client) -> None:
    sent = http.post("/v1/documents", json={"filename": "a.md", "text": "Refunds."}).json()
    with transaction() as session:
        session.execute(delete(DocumentFile).where(DocumentFile.document_id == uuid.UUID(sent["id"])))
    told = assert_problem(http.get(f"/v1/documents/{sent['id']}/original"), 404, "original_not_found")
    assert "send it again" in told["detail"]


def test_markdown_has_the_answer_with_footnotes_and_every_verdict(http: httpx.Client, query_id: str) -> None:
    export = exported(http, query_id, "markdown")
    assert export.headers["content-type"] == "text/markdown; charset=utf-8"
    heading, answer, *_ = export.text.split("\n\n")
    assert heading.startswith("# ")
    assert answer.startswith("A product can be returned within 30 days [^1]")
    assert f"[^1]: [“{SPAN}”]({own(http)}/#/document/" in export.text
    assert export.text.rstrip().endswith(") 환불 policy.pdf, page 1, Refunds")
    assert "- **supported** A product can be returned within 30 days" in export.text
    assert "- **claims nothing** Have a nice day." in export.text
    assert (
        "**Copied from the documents.** About 9 of 10 answers that share so much with their question were right."
        in export.text
    )
    assert "that it answers the question: 0.93." in export.text
    assert "- **Citation removed \\[2\\]**" in export.text
    assert "(High)" not in export.text
    assert f"Citewell {query_id}" in export.text


@for_all_rows("format", FORMATS)
def test_a_file_is_named_after_its_question(http: httpx.Client, query_id: str, format: str) -> None:
    with transaction() as session:
        session.execute(update(Query).values(question='환불 "기간"은 며칠입니까?'))
    at = http.get(f"/v1/queries/{query_id}").json()["finished_at"][:10]
    disposition = exported(http, query_id, format).headers["content-disposition"]
    name = unquote(disposition.partition("filename*=UTF-8''")[2])
    assert name.partition(".")[0] == f"환불 기간 은 며칠입니까 {at}"
    assert query_id not in disposition


def test_json_is_what_the_question_responds(http: httpx.Client, query_id: str) -> None:
    assert exported(http, query_id, "json").json() == http.get(f"/v1/queries/{query_id}").json()


def test_html_is_a_page_in_which_nothing_of_others_runs(http: httpx.Client, query_id: str) -> None:
    with transaction() as session:
        session.execute(update(VerificationSentence).values(evidence=HOSTILE))
        session.execute(update(Query).values(question=HOSTILE))
    export = exported(http, query_id, "html")
    assert export.headers["content-type"] == "text/html; charset=utf-8"
    assert export.headers["content-disposition"].startswith("attachment")
    page = LexborHTMLParser(export.text)
    assert page.css("script, img, iframe, form") == []
    # Links lead to the documents, and to the quotes on the page.
    assert {str(link.attributes["href"]).partition("#")[0] for link in page.css("a")} == {f"{own(http)}/", ""}
    quoted = [block.text() for block in page.css("blockquote") if "alert" in block.text()]
    assert quoted
    assert all(HOSTILE in each for each in quoted)
    (policy,) = page.css("meta[http-equiv]")
    assert str(policy.attributes["content"]).startswith("default-src 'none'; style-src 'sha256-")


def own(http: httpx.Client) -> str:
    return str(http.base_url).rstrip("/")


def test_what_was_recognised_in_a_picture_says_so_in_the_history_and_in_csv(
    http: httpx.Client, query_id: str
) -> None:  # N3, A4
    def told() -> list[float | None]:
        history = http.get(f"/v1/queries/{query_id}/verifications").raise_for_status().json()
        attempt = history["verifications"][-1]
        sources = [each["source"] for each in (*attempt["sentences"], *attempt["claims"]) if each["source"]]
        assert sources
        assert attempt["citation_checks"]
        return [each["recognised_confidence"] for each in (*sources, *attempt["citation_checks"])]

    assert set(told()) == {None}
    with transaction() as session:
        cited = session.scalars(select(Citation)).one()
        page = {"document_id": cited.document_id, "number": cited.page_number, "width": 1, "height": 1, "words": b""}
        session.add(DocumentPage(**page, recognised=[[0, 100_000, 0.81]]))
    assert set(told()) == {0.81}
    first, second = csv.DictReader(io.StringIO(exported(http, query_id, "csv").content.decode("utf-8-sig")))
    assert (first["recognised_confidence"], second["recognised_confidence"]) == ("0.81", "")


def test_what_stands_for_a_picture_says_so_in_the_history_and_in_every_file(
    http: httpx.Client, query_id: str
) -> None:  # N3, A4
    with transaction() as session:
        cited = session.scalars(select(Citation)).one()
        about = update(Document).where(Document.id == cited.document_id)
        session.execute(about.values(figures=[["caption", cited.source_start, cited.source_end]]))
    answer = http.get(f"/v1/queries/{query_id}").raise_for_status().json()
    places = [*answer["citations"], *(each["source"] for each in answer["verification"]["sentences"] if each["source"])]
    assert {each["figure"] for each in places} == {"caption"}
    attempt = http.get(f"/v1/queries/{query_id}/verifications").raise_for_status().json()["verifications"][-1]
    assert {each["figure"] for each in attempt["citation_checks"]} == {"caption"}
    first, second = csv.DictReader(io.StringIO(exported(http, query_id, "csv").content.decode("utf-8-sig")))
    assert (first["figure"], second["figure"]) == ("caption", "")
    for format in ("markdown", "html", "text"):
        assert "환불 policy.pdf, page 1, Refunds (caption of a figure)" in exported(http, query_id, format).text


@pytest.mark.parametrize(
    ("first_rows", "words", "named"), [(1, "Birch\t40", "B5:C5"), (2, "Birch\t40\nCedar\t6", "B6:C7")]
)
def test_a_citation_of_a_spreadsheet_has_its_sheet_rows_and_columns(
    http: httpx.Client, query_id: str, first_rows: int, words: str, named: str
) -> None:  # N3
    text = "Bookings\n\nRoom\tSeats\nAspen\t12\nBirch\t40\nCedar\t6"
    start = text.index(words)
    place = [3, first_rows, [2, 3]]
    blocks = [["heading", 0, 8, 1], ["table", 10, len(text), 0, 20, place]]
    with transaction() as session:
        cited = session.scalars(select(Citation)).one()
        session.execute(update(Document).where(Document.id == cited.document_id).values(text=text, blocks=blocks))
        at = {"source_start": start, "source_end": start + len(words), "text_span": words}
        session.execute(update(Citation).values(page_number=None, section="Bookings", **at))
    [citation] = http.get(f"/v1/queries/{query_id}").json()["citations"]
    cells = citation["cells"]
    assert f"{cells['column']}{cells['row']}:{cells['last_column']}{cells['last_row']}" == named
    assert f"Bookings, {named}" in exported(http, query_id, "text").text


def test_csv_has_a_row_per_sentence_and_no_formula(http: httpx.Client, query_id: str) -> None:
    with transaction() as session:
        session.execute(update(VerificationSentence).values(reason="=HYPERLINK(1)"))
    export = exported(http, query_id, "csv")
    assert export.headers["content-type"] == "text/csv; charset=utf-8"
    assert export.content.startswith(b"\xef\xbb\xbf")
    first, second = csv.DictReader(io.StringIO(export.content.decode("utf-8-sig")))
    assert (first["status"], first["citations"], first["documents"], first["pages"]) == (
        "supported",
        "1",
        "환불 policy.pdf",
        "1",
    )
    assert first["evidence"] == SPAN
    assert (second["status"], second["citations"]) == ("no_claim", "")
    assert first["reason"] == "'=HYPERLINK(1)"


def test_pdf_has_the_answer_with_links_and_every_verdict(http: httpx.Client, query_id: str) -> None:
    with transaction() as session:
        session.execute(update(Query).values(question="환불은 언제까지 😀 가능합니까?"))
    export = exported(http, query_id, "pdf")
    assert export.headers["content-type"] == "application/pdf"
    shown = " ".join("\n".join(pages_of(export.content)).split())
    assert shown.startswith("환불은 언제까지 □ 가능합니까? A product can be returned within 30 days [1]")
    assert f"“{SPAN}” 환불 policy.pdf, 1쪽, Refunds" in shown
    assert f"{WORDS.states['supported']} A product can be returned" in shown
    assert f"{WORDS.states['no_claim']} Have a nice day." in shown
    said = f"{KOREAN['Copied from the documents']}. {KOREAN[NO_MODEL]}"
    assert set(said.split()) <= set(shown.split())
    assert "확률: 0.93." in shown
    assert "High" not in shown
    assert "the export as HTML has them" in shown
    assert b"/JavaScript" not in export.content
    assert set(re.findall(rb"/URI \((\S+?)/#/document/", export.content)) == {own(http).encode()}
    assert exported(http, query_id, "pdf").content == export.content


MARKDOWN = (
    """# Returns of products

A **receipt** is *needed* within `30` days [1]. [Elsewhere](https://evil.example)

- first of the list
  - within it
1. counted

> quoted words

```
x = [1,   2]
```

| Year | Days |
|---|---|
| 2023 | **14** of them |

"""
    + "**A long emphasised paragraph that goes on and on.** " * 150
)


def test_pdf_shows_markdown_as_people_read_it(http: httpx.Client, query_id: str) -> None:
    with transaction() as session:
        answer = session.scalars(select(Answer)).one()
        session.execute(update(Answer).where(Answer.id == answer.id).values(text=MARKDOWN))
        session.execute(delete(Citation))
    content = exported(http, query_id, "pdf").content
    pages = pages_of(content)
    shown = " ".join(" ".join(pages).split())
    for text in (
        "Returns of products A receipt is needed within 30 days [1].",
        "• first of the list • within it 1. counted quoted words",
        "x = [1, 2]",
        "Year Days 2023 14 of them",
        "A long emphasised paragraph",
    ):
        assert text in shown, text
    assert not re.search(r"\*\*|^#|```|\|", shown)
    assert len(pages) > 1
    assert b"evil.example" not in content


def test_a_long_answer_goes_over_several_pages_of_pdf(http: httpx.Client, query_id: str) -> None:
    with transaction() as session:
        session.execute(update(VerificationSentence).values(evidence="단어와 words " * 2000))
    pages = pages_of(exported(http, query_id, "pdf").content)
    assert len(pages) > 5
    assert sum(page.count("단어와") for page in pages) == 2000


def pages_of(content: bytes) -> list[str]:
    file: Any = pypdfium2.PdfDocument(content)
    texts = [str(page.get_textpage().get_text_range()) for page in file]
    file.close()
    return texts


def test_without_its_package_pdf_is_refused_with_what_to_do(
    http: httpx.Client, query_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    monkeypatch.delitem(sys.modules, "api.adapters.pdf_export", raising=False)
    told = assert_problem(exported(http, query_id, "pdf"), 501, "pdf_unavailable")
    assert "pip install 'citewell[pdf]'" in told["detail"]


@pytest.mark.parametrize("format", FORMATS)
def test_a_refusal_and_an_unverified_answer_are_exported(http: httpx.Client, format: str) -> None:
    with transaction() as session:
        query = make_query(session)
        abstain(session, query)
        refused = str(query.id)
    file = exported(http, refused, format)
    assert file.status_code == 200
    if format in ("markdown", "html"):
        assert "Not answered" in file.text
        assert NO_MODEL not in file.text


def test_only_a_finished_answer_of_this_tenant_is_exported(http: httpx.Client, query_id: str) -> None:
    assert_problem(exported(http, query_id, "rtf"), 422, "request_invalid")
    with transaction() as session:
        running = str(make_query(session).id)
    assert_problem(exported(http, running, "html"), 409, "query_unfinished")
    other = bearer(make_key(tenant="other"))
    assert_problem(exported(http, query_id, "html", headers=other), 404, "query_not_found")
    assert ANSWER.partition(" [1]")[0] in exported(http, query_id, "html").text
