"""Text in scans: pages of PDFs without text and pictures are recognised, in the confined child, and marked (A8, N3).

They need the extra `ocr`, which the development environment has, with the data of English.
"""

import re
from dataclasses import replace

import pytest
from PIL import Image
from pylopdf_fonts_ko import serif_path

from benchmarks.search.scans import Tally, count, scanned, texts
from citewell_documents.boxes import confidence_of, unpacked
from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable, PageNotFound
from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.image.opening import draw_image
from citewell_documents.parsing.pdf.scans import is_readable
from citewell_documents.parsing.recognition.installed import recognition_data
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from citewell_verify.errors import CitewellError
from config.settings import IngestionSettings
from document_material.pdf_files import disguised, drawing
from document_material.scans import printed, saved, scanned_pdf
from services.documents.reading_limits import limits_of
from verify_material.rows import for_all_rows

OFF = ParseLimits(max_pages=3, max_chars=5_000)
NOW = replace(OFF, recognise="now", ocr_data=recognition_data("eng"))
RETURNS = ("Goods may be returned within thirty days of the purchase,", "with the receipt and in their original box.")


def read(data: bytes, name: str) -> ParsedDocument:
    return parse_isolated(data, name, limits_of(IngestionSettings(ocr_languages="eng", parse_base_s=60)))


def test_a_scanned_page_is_read_with_its_paragraphs_boxes_and_confidence() -> None:  # N3, A8
    document = read(scanned_pdf(printed(*RETURNS)), "scan.pdf")
    assert document.text == " ".join(RETURNS)
    (page,) = document.boxes
    assert [line.confidence > 0.8 for line in page.recognised] == [True, True]
    words = {document.text[word.start : word.end]: word for word in unpacked(page.words)}
    assert words["thirty"].left > words["within"].right > words["Goods"].right
    assert words["receipt"].top > words["thirty"].bottom - 2
    # The first line of the picture begins 120 of 1,754 pixels below the edge.
    assert words["Goods"].top == pytest.approx(120 / 1754 * page.height, abs=15)
    assert not document.scanned


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_page_that_lies_on_its_side_or_head_is_read_and_marked_where_it_lies(turns: int) -> None:  # N3, A8
    upright = printed(*RETURNS, size=(1100, 700))
    document = parse(saved(upright.rotate(-90 * turns, expand=True)), "a.png", NOW)
    assert document.text == " ".join(RETURNS)
    (page,) = document.boxes
    assert (page.width > page.height) is (turns == 2)
    word = next(word for word in unpacked(page.words) if document.text[word.start : word.end] == "thirty")
    across, down = (word.left + word.right) / 2 / page.width, (word.top + word.bottom) / 2 / page.height
    # It stands in the middle of the first line, a fifth of the page below its upper edge.
    x, y = {1: (down, 1 - across), 2: (1 - across, 1 - down), 3: (1 - down, across)}[turns]
    assert (x, y) == (pytest.approx(0.5, abs=0.15), pytest.approx(0.2, abs=0.04))


KOREAN = (
    "회의실 이용료는 시간당 1,500원입니다.",
    "예약은 전날까지 부탁드립니다.",
    "창고 열쇠는 관리인이 보관한다.",
    "승강기는 매달 점검한다.",
)


@pytest.mark.slow
def test_letters_that_no_installed_language_has_are_no_text_and_are_named() -> None:  # N3, A8
    with pytest.raises(DocumentEmpty, match=r"no text was recognised; letters .* \(Korean\); install Tesseract's data"):
        parse(saved(printed(*KOREAN, size=(900, 400))), "a.png", NOW)
    document = read(scanned_pdf(printed(*RETURNS), printed(*KOREAN)), "mixed.pdf")
    assert document.text == " ".join(RETURNS)
    assert document.found["unread_pages"] == "2"
    assert "(Korean)" in document.found["reading_notes"]


def test_only_pages_without_text_are_recognised() -> None:  # N3
    data = scanned_pdf("This page is text.", printed(*RETURNS))
    assert parse(data, "mixed.pdf", replace(NOW, recognise="off")).found["unread_pages"] == "2"
    document = read(data, "mixed.pdf")
    assert "unread_pages" not in document.found
    assert document.text == f"This page is text.\n\n{' '.join(RETURNS)}"
    assert [bool(page.recognised) for page in document.boxes] == [False, True]
    first, second = document.pages
    assert confidence_of(document.boxes[0].recognised, first.start, first.end) is None
    assert (confidence_of(document.boxes[1].recognised, second.start, second.end) or 0) > 0.8


@pytest.mark.parametrize(("name", "kind"), [("a.png", "PNG"), ("a.JPG", "JPEG"), ("a.webp", "WEBP"), ("a.png", "TIFF")])
def test_a_picture_is_a_document_whatever_its_kind(name: str, kind: str) -> None:  # A8
    assert parse(saved(printed(*RETURNS), kind), name, NOW).text == " ".join(RETURNS)


def test_a_tiff_has_a_page_for_each_of_its_pictures() -> None:  # N3
    pages = printed("The first page is short."), printed("The second page is shorter.")
    document = parse(saved(pages[0], "TIFF", pages[1:]), "a.tiff", NOW)
    assert [document.text[page.start : page.end] for page in document.pages] == [
        "The first page is short.",
        "The second page is shorter.",
    ]


def test_columns_of_a_scan_are_read_one_after_the_other() -> None:  # N3
    left = [
        "Pumps are looked at",
        "every six months by",
        "trained people, who",
        "write down what they",
        "have seen there and",
        "what they changed.",
    ]
    right = [
        "Filters are washed",
        "in clean water once",
        "a week and dried in",
        "the shade, because",
        "the sun makes them",
        "brittle and thin.",
    ]
    page = printed(*left)
    page.paste(printed(*right).crop((0, 0, 560, 700)), (620, 0))
    text = " ".join(parse(saved(page), "a.png", NOW).text.split())
    assert text.index("what they changed.") < text.index("Filters are washed")


CIPHER = "\"#$!%&'%$()!&*!)#$!+&,-!(,&%$..&,!(,$-/)$.!0&-$,'!%&5(1)$,. " * 3


@pytest.mark.parametrize("text", [CIPHER, "\ue041\ue042 " * 40, "\ufffd" * 80, "A\x01\x02\x03" * 20])
def test_characters_without_meaning_are_no_text(text: str) -> None:  # A8
    assert not is_readable(text)


@for_all_rows(
    "text",
    [
        "Contents\n"
        + "Notices"
        + " ." * 90
        + " 7\nTrademarks "
        + "." * 90
        + " 8\nSigned ____________________ on __/__/____",
        "Net sales $ 1,234 $ (56) — % $ — $ — (1.2)% $ (0.3) *\n" * 5,
        "d3(∆(a, b, c, d)) = d2(∆(b, c, d)) − d2(∆(a, c, d)) + d2(∆(a, b, d)) ∈ C1(X) ⊗ R",
        "제1조(목적) 이 약관은 「전자상거래법」에 따라 환불의 절차를 정한다.",
        "السَّلَامُ عَلَيْكُمْ وَرَحْمَةُ اللَّهِ، وَبَرَكَاتُهُ.",
        "यह नीति सभी ग्राहकों पर लागू होती है।",
        "* * * — • — * * *",
    ],
)
def test_tables_formulas_leaders_and_every_script_are_text(text: str) -> None:  # N3
    assert is_readable(text)


def test_a_page_of_unreadable_characters_is_read_as_a_picture() -> None:  # N3, A8
    data = disguised(scanned_pdf(" ".join(RETURNS)))
    with pytest.raises(DocumentEmpty, match="unreadable characters needs text recognition"):
        parse(data, "a.pdf", OFF)
    later = parse(data, "a.pdf", replace(OFF, recognise="later"))
    assert (later.text, later.scanned) == ("", (1,))
    document = read(data, "a.pdf")
    assert document.text == " ".join(RETURNS)
    assert document.boxes[0].recognised


@pytest.mark.slow
def test_a_page_that_is_drawn_with_wrong_characters_is_left_out() -> None:  # A8
    data = scanned_pdf("This page is text.", CIPHER)
    for limits in (OFF, NOW):
        assert parse(data, "a.pdf", limits).text == "This page is text."
    assert parse(data, "a.pdf", OFF).scanned == (2,)
    with pytest.raises(DocumentEmpty, match="none was recognised on its pages; save or scan it anew"):
        parse(scanned_pdf(CIPHER), "a.pdf", NOW)


def test_without_the_extra_it_is_said_what_to_install() -> None:  # A8
    for data, name in ((saved(printed(*RETURNS)), "a.png"), (drawing(), "a.pdf")):
        with pytest.raises(DocumentEmpty, match=re.escape("needs text recognition (OCR): install citewell[ocr]")):
            parse(data, name, OFF)


def test_where_nothing_is_recognised_it_is_said() -> None:  # A8
    with pytest.raises(DocumentEmpty, match="none was recognised on its pages"):
        read(drawing(), "drawing.pdf")
    with pytest.raises(DocumentEmpty, match="in which no text was recognised"):
        parse(saved(Image.new("L", (400, 400), 255)), "white.png", NOW)


PNG = saved(printed("Text."))
ODD: dict[str, tuple[bytes, type[CitewellError], str]] = {
    "cut.png": (
        PNG[: len(PNG) // 2],
        DocumentUnreadable,
        "it cannot be opened as a picture; save or download it again",
    ),
    "head.jpg": (b"\xff\xd8\xff\xe0" + bytes(50), DocumentUnreadable, "cannot be opened as a picture"),
    "text.tif": (b"words", DocumentUnreadable, "is named .tif but seems to be plain text"),
    "bomb.png": (saved(Image.new("1", (12_000, 12_000))), DocumentTooLarge, "12,000 by 12,000 pixels"),
    "long.tiff": (
        saved(printed("a", size=(60, 60)), "TIFF", [printed("b", size=(60, 60))] * 3),
        DocumentTooLarge,
        "has more than 3 pages",
    ),
}


@for_all_rows("name", ODD)
def test_a_broken_or_huge_picture_is_refused_in_words(name: str) -> None:  # A8
    data, error, message = ODD[name]
    with pytest.raises(error, match=re.escape(message)):
        parse(data, name, NOW)


def test_a_page_of_a_picture_can_be_shown() -> None:  # S5.7
    assert draw_image(PNG, "a.png", 1, 300).startswith(b"RIFF")
    with pytest.raises(PageNotFound):
        draw_image(PNG, "a.png", 2, 300)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["English", "Korean"])
def test_search_finds_nearly_all_words_of_a_degraded_scan(language: str) -> None:  # N3
    data = recognition_data("kor+eng")
    if language == "Korean" and "kor" not in data:
        pytest.skip("Tesseract's data of Korean is not on this machine")
    text = max((candidate for candidate in texts(None) if ("보고서" in candidate) == (language == "Korean")), key=len)
    tally = Tally()
    picture, words = scanned(text, 1, str(serif_path()))
    count(words, parse(picture, "page.png", replace(NOW, ocr_data=data)), tally)
    assert tally.words > 150
    assert tally.share >= 0.97
