"""Hancom documents, RTF, subtitles, source code, and old Office files: read, or refused in words (A8, N3)."""

import re
import stat
import time
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from docx.document import Document as WordDocument
from pptx.presentation import Presentation
from pptx.util import Emu

from citewell_documents.errors import (
    DocumentEmpty,
    DocumentEncrypted,
    DocumentTooLarge,
    DocumentTooSlow,
    DocumentTypeUnknown,
    DocumentUnreadable,
)
from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.sandbox.isolated import parse_isolated
from citewell_verify.errors import CitewellError
from document_material.hwp_files import deflated, hwp, hwpx, paragraph, record
from document_material.office_files import packed, replaced, slides, word
from document_material.scans import printed, saved
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def _row(number: int, *texts: str) -> str:
    cells = (
        f"<hp:tc><hp:subList><hp:p><hp:run><hp:t>{text}</hp:t></hp:run></hp:p></hp:subList>"
        f'<hp:cellAddr colAddr="{column}" rowAddr="{number}"/></hp:tc>'
        for column, text in enumerate(texts)
    )
    return f"<hp:tr>{''.join(cells)}</hp:tr>"


_TABLE = f"<hp:tbl>{_row(0, '항목', '금액')}{_row(1, '정비비', '187원')}</hp:tbl>"


def test_a_hancom_document_has_headings_tables_notes_and_metadata() -> None:  # N3
    note = (
        "<hp:p><hp:run><hp:t>비용은 줄었다.</hp:t><hp:ctrl><hp:footNote><hp:subList>"
        f"{paragraph('부가세 제외')}</hp:subList></hp:footNote></hp:ctrl></hp:run></hp:p>"
    )
    data = hwpx(f"{paragraph('1. 요약', '7')}{note}<hp:p><hp:run>{_TABLE}</hp:run></hp:p>{paragraph('a<hp:tab/>b')}")
    document = parse(data, "a.hwpx", LIMITS)
    assert document.text == "1. 요약\n\n비용은 줄었다.\n\n부가세 제외\n\n항목\t금액\n정비비\t187원\n\na b"
    assert [section.title for section in document.sections] == ["1. 요약"]
    assert [document.text[t.start : t.header_end] for t in document.tables] == ["항목\t금액"]
    assert document.found == {"title": "보고서", "author": "김철수"}


def test_a_picture_in_a_hancom_document_is_found_by_its_description() -> None:  # N3
    picture = "<hp:p><hp:run><hp:pic><hp:shapeComment>월별 매출 그래프</hp:shapeComment></hp:pic></hp:run></hp:p>"
    assert parse(hwpx(picture), "a.hwpx", LIMITS).text == "월별 매출 그래프"


def test_captions_of_tables_and_pictures_stand_beside_them_with_their_numbers() -> None:  # N3
    number = '<hp:ctrl><hp:autoNum num="3" numType="TABLE"/></hp:ctrl>'
    text = f"<hp:p><hp:run><hp:t>표 </hp:t>{number}<hp:t> 정비비</hp:t></hp:run></hp:p>"

    def captioned(name: str, side: str, inner: str) -> str:
        caption = f'<hp:caption side="{side}"><hp:subList>{text}</hp:subList></hp:caption>'
        words = f"<hp:t>앞</hp:t><hp:{name}>{caption}{inner}</hp:{name}><hp:t>뒤</hp:t>"
        return f"<hp:p><hp:run>{words}</hp:run></hp:p>"

    rows = _row(0, "항목", "금액") + _row(1, "정비비", "187원")
    above = parse(hwpx(captioned("tbl", "TOP", rows)), "a.hwpx", LIMITS)
    assert above.text == "앞 뒤\n\n표 3 정비비\n\n항목\t금액\n정비비\t187원"
    picture = parse(hwpx(captioned("pic", "BOTTOM", "<hp:shapeComment>그래프</hp:shapeComment>")), "a.hwpx", LIMITS)
    assert picture.text == "앞 뒤\n\n그래프\n\n표 3 정비비"


def test_a_number_in_a_circle_of_a_hancom_document_is_read() -> None:  # N3
    circled = '<hp:p><hp:run><hp:compose circleType="CHAR" composeText="40"/><hp:t> 개 항목</hp:t></hp:run></hp:p>'
    assert parse(hwpx(circled), "a.hwpx", LIMITS).text == "40 개 항목"


def test_glosses_memos_and_page_headers_of_a_hancom_document_are_read() -> None:  # N3
    gloss = "<hp:dutmal><hp:mainText>환급</hp:mainText><hp:subText>돌려줌</hp:subText></hp:dutmal>"
    note = f"<hp:subList>{paragraph('3월부터 5일')}</hp:subList>"
    memo = f'<hp:ctrl><hp:fieldBegin type="MEMO">{note}</hp:fieldBegin></hp:ctrl>'
    header = f"<hp:ctrl><hp:header><hp:subList>{paragraph('개정 C-17')}</hp:subList></hp:header></hp:ctrl>"
    data = hwpx(f"<hp:p><hp:run>{header}{memo}{gloss}<hp:t>은 7일 걸린다.</hp:t></hp:run></hp:p>")
    assert parse(data, "a.hwpx", LIMITS).text == (
        "환급(돌려줌)은 7일 걸린다.\n\nComment: 3월부터 5일\n\nPage headers and footers:\n\n개정 C-17"
    )


def test_a_binary_hancom_document_is_read_like_a_new_one() -> None:  # N3
    data = hwp("본문 문장입니다.", [["항목", "금액"], ["정비비", "187원"]], "끝")
    document = parse_isolated(data, "a.HWP", LIMITS)
    assert document.text == "본문 문장입니다.\n\n항목\t금액\n정비비\t187원\n\n끝"
    assert [document.text[t.start : t.header_end] for t in document.tables] == ["항목\t금액"]


@pytest.mark.slow
def test_a_binary_hancom_document_that_grows_without_end_is_refused() -> None:  # A8
    words = record(67, 1, "한".encode("utf-16-le") * 3_000_000) * 200
    with pytest.raises((DocumentTooLarge, DocumentUnreadable)):
        parse_isolated(hwp("a", body=deflated(words)), "a.hwp", replace(LIMITS, memory_mb=256, base_s=60))


def test_a_binary_hancom_document_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    monkeypatch.setattr("citewell_documents.parsing.hwpx.binary.find_spec", dict[str, None]().get)
    with pytest.raises(DocumentTypeUnknown, match=r"install citewell\[hwp\], or save it as \.hwpx"):
        parse(hwp("a"), "a.hwp", LIMITS)


def test_rich_text_has_paragraphs_tables_and_korean() -> None:  # N3
    data = (
        rb"{\rtf1\ansi\ansicpg949{\fonttbl{\f0\fcharset129 Batang;}}\f0 Hello \b world\b0\par \u44032? \'c7\'d1\'b1\'db"
        rb"\par\trowd item\cell price\cell\row\trowd tea\cell 2\cell\row\par end}"
    )
    document = parse(data, "a.rtf", LIMITS)
    assert document.text == "Hello world\n\n가 한글\n\nitem\tprice\ntea\t2\n\nend"
    assert len(document.tables) == 1


def test_a_font_of_rich_text_without_a_character_set_has_the_code_page_of_the_file() -> None:  # issue 42
    fonts = rb"{\f0 A;}{\f1\fcharset238{\*\falt B}C;}{\f2\fcharset1 D;}" + rb"".join(
        rb"{\f%d Name}" % n for n in range(3, 99)
    )
    text = rb"\f0 \'c7\'d1 \f1\'b3\'f3d\'9f \f2\'b1\'db \f90\'c7\'d1\par"
    document = parse(rb"{\rtf1\ansi\ansicpg949{\fonttbl" + fonts + b"}" + text + b"}", "a.rtf", LIMITS)
    assert document.text == "한 łódź 글 한"
    japanese = rb"{\rtf1\ansi{\fonttbl{\f0\fcharset128 A;}{\f1\fcharset0 B;}}\f0\'8eO\'96\'7b\'89~ \f1 gr\'f6n\par}"
    assert parse(japanese, "a.rtf", LIMITS).text == "三本円 grön"


def test_a_picture_of_rich_text_whose_length_is_not_stated_is_left_out() -> None:  # A8
    data = rb"{\rtf1\ansi Before.\par{\pict\jpegblip\bin ffd8ffe000104a46}\par After.\par}"
    assert parse(data, "a.rtf", LIMITS).text == "Before.\n\nAfter."


def test_a_path_with_a_folder_of_programs_is_text() -> None:  # N3
    data = rb"{\rtf1\ansi Copy it to C:\\bin and C:\\tools\\bin.\par}"
    assert parse(data, "note.rtf", LIMITS).text == r"Copy it to C:\bin and C:\tools\bin."


def test_notes_comments_boxes_and_page_headers_of_rich_text_are_read() -> None:  # N3
    data = (
        rb"{\rtf1\ansi\ansicpg1250{\fonttbl{\f0\fcharset238 Arial;}}{\header\f0 Revision C-17\par}{\footer 7\par}"
        rb"\f0 Three years.{\super\chftn}{\footnote\pard{\super\chftn} Not \'b3\'f3d\'9f {\b batteries}.} To us."
        rb"{\*\atnid I}{\*\atnauthor Ida}{\*\annotation{\*\atnref 1} Two since May.}\par"
        rb"{\shp{\*\shpinst{\sp{\sn fFlag}{\sv 1}}{\shptxt Ask {\b Ida}.\par}}} End.\par}"
    )
    assert parse(data, "a.rtf", LIMITS).text == (
        "Three years. To us.\n\nNot łódź batteries.\n\nComment by Ida: Two since May.\n\nEnd.\n\nAsk Ida."
        "\n\nPage headers and footers:\n\nRevision C-17"
    )


SRT = "1\n00:00:01,000 --> 00:00:04,000\n<i>Hello</i> there,\n\n2\n00:00:05,000 --> 00:00:07,000\nGeneral.\n\n"
VTT = "WEBVTT\n\nNOTE hidden\n\n00:01.000 --> 00:04.000 align:start\n<v Roger Bell>We are in Seoul &amp; so on\n"


def test_subtitles_say_when_something_was_said() -> None:  # N3
    document = parse(f"{SRT}3\n01:30:00,000 --> 01:30:02,500\nBye.\n".encode(), "a.srt", LIMITS)
    titles = [section.title for section in document.sections]
    assert titles == ["00:00:01 – 00:00:07", "01:30:00 – 01:30:02"]
    assert "Hello there,\nGeneral." in document.text
    assert "Roger Bell: We are in Seoul & so on" in parse(VTT.encode(), "a.vtt", LIMITS).text


def test_voices_without_an_end_take_time_that_grows_with_the_file() -> None:  # A8
    took: list[float] = []
    for size in (10_000, 40_000):
        begun = time.process_time()
        parse(
            f"WEBVTT\n\n00:01.000 --> 00:04.000\n{'<v ' * size}".encode(), "a.vtt", replace(LIMITS, max_chars=200_000)
        )
        took.append(time.process_time() - begun)
    assert took[1] < 8 * took[0] + 0.2


def test_source_code_stays_as_it_is_and_places_are_lines() -> None:  # N3
    code = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(20))
    document = parse(code.encode(), "tools/a.PY", LIMITS)
    assert document.text == code
    assert document.found["programming_language"] == "Python"
    assert [section.title for section in document.sections] == ["lines 1–27", "lines 28–52", "lines 53–78"]
    assert "".join(code[section.start : section.end] for section in document.sections) == code
    second = document.sections[1]
    assert code[: second.start].count("\n") == 27


ODD: dict[str, tuple[bytes, type[CitewellError], str]] = {
    "cut.hwpx": (hwpx(paragraph("x"))[:-200], DocumentUnreadable, "cannot be opened as a zip archive"),
    "none.hwpx": (packed({"mimetype": b"application/hwp+zip"}), DocumentUnreadable, "no Contents/section0.xml"),
    "broken.hwpx": (hwpx("<hp:p>"), DocumentUnreadable, "is not XML"),
    "empty.hwpx": (hwpx(paragraph(" ")), DocumentEmpty, "contains no text"),
    "locked.hwpx": (
        hwpx(paragraph("x"), **{"META-INF__manifest_xml": b"<odf:encryption-data/>"}),
        DocumentEncrypted,
        "save a copy without a password",
    ),
    "bomb.hwpx": (
        packed({"Contents/section0.xml": bytes(60_000_000)}),
        DocumentTooLarge,
        "unpacks like a zip bomb",
    ),
    "deep.hwpx": (
        hwpx("<hp:p><hp:run><hp:rect><hp:subList>" * 60 + "</hp:subList></hp:rect></hp:run></hp:p>" * 60),
        DocumentUnreadable,
        "nested",
    ),
    "word.hwpx": (b"plain words", DocumentUnreadable, "is named .hwpx but seems to be plain text"),
    "cut.hwp": (hwp("a")[:-700], DocumentUnreadable, "; save it again in Hancom Office, or as .hwpx"),
    "other.hwp": (OLE + bytes(600), DocumentUnreadable, "is damaged or no Hancom document"),
    "text.hwp": (b"text", DocumentUnreadable, "is named .hwp but seems to be plain text"),
    "locked.hwp": (hwp("a", flags=3), DocumentEncrypted, "save a copy without a password"),
    "given-away.hwp": (hwp("a", flags=5), DocumentUnreadable, "is protected for distribution"),
    "old.hwp": (b"HWP Document File V3.00 \x1a\1\2\3\4\5" + bytes(99), DocumentUnreadable, "of Hangul 97 or before"),
    "blank.hwp": (hwp(" "), DocumentEmpty, "contains no text"),
    "cut.rtf": (rb"{\rtf1\ansi Hello", DocumentUnreadable, "its end is missing"),
    "text.rtf": (b"text", DocumentUnreadable, "is named .rtf but seems to be plain text"),
    "braces.rtf": (b"{\\rtf1 " + b"{" * 50_000 + b"}" * 50_001, DocumentEmpty, "contains no text"),
    "none.srt": (b"no times", DocumentUnreadable, "has no subtitles"),
    "blank.py": (b"\n \n", DocumentEmpty, "is empty"),
    "endless.js": (b"x" * 6_000, DocumentTooLarge, "the limit is 5,000"),
    "binary.sql": (b"\0\1\2\3", DocumentUnreadable, "a damaged or binary file"),
}


@for_all_rows("name", ODD)
def test_an_odd_file_of_these_kinds_gives_a_clear_error(name: str) -> None:  # A8
    data, error, message = ODD[name]
    with pytest.raises(error, match=re.escape(message)) as raised:
        parse(data, name, LIMITS)
    assert raised.value.message.startswith(name)


def program(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program called soffice first in the path."""
    script = folder / "soffice"
    script.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_an_old_office_file_without_libreoffice_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DocumentTypeUnknown, match=r"LibreOffice, which is not installed .* or save it as \.docx"):
        parse_isolated(OLE + bytes(600), "a.doc", LIMITS)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (b"plain words", DocumentUnreadable, "is no old Office document"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), DocumentEncrypted, "without a password"),
        (OLE + bytes(600), DocumentUnreadable, "LibreOffice cannot open it"),
    ],
)
def test_an_old_office_file_that_cannot_be_converted_says_why(
    data: bytes, error: type[CitewellError], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    program(tmp_path, "exit 0", monkeypatch)  # LibreOffice ends well even if it made nothing
    with pytest.raises(error, match=re.escape(message)):
        parse_isolated(data, "a.ppt", LIMITS)


def test_a_conversion_that_never_ends_is_cut_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    monkeypatch.setattr("citewell_documents.parsing.legacy.libreoffice.START_S", 1.0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program(tmp_path, "sleep 60", monkeypatch)
    with pytest.raises(DocumentTooSlow, match="could not be converted within 1 s"):
        parse_isolated(OLE + bytes(600), "a.xls", LIMITS)
    assert [path.name for path in tmp_path.iterdir()] == ["soffice"]


def test_pictures_in_word_and_powerpoint_are_found_by_their_descriptions() -> None:  # N3
    picture = saved(printed("x", size=(60, 60)))

    def in_word(document: WordDocument) -> None:
        document.add_paragraph("Before.")
        document.add_picture(BytesIO(picture))
        document.add_picture(BytesIO(picture))

    def on_a_slide(presentation: Presentation) -> None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        slide.shapes.add_picture(BytesIO(picture), Emu(0), Emu(0))

    sales = 'descr="Sales by month&#10;Description automatically generated"'
    document = replaced(word(in_word), "word/document.xml", 'name="Picture 1"', f'name="Picture 1" {sales}')
    document = replaced(document, "word/document.xml", 'name="Picture 2"', 'name="Picture 2" descr="chart1.png"')
    assert parse(document, "a.docx", LIMITS).text == "Before.\n\nPicture: Sales by month"
    presentation = replaced(slides(on_a_slide), "ppt/slides/slide1.xml", 'descr="image.png"', sales)
    assert parse(presentation, "a.pptx", LIMITS).text == "Slide 1\n\nPicture: Sales by month"


def test_pictures_in_web_pages_and_markdown_are_found_by_their_descriptions() -> None:  # N3
    page = b"<p>Before.</p><p><img src=a.png alt='Sales by month'></p><figure><img alt=x><figcaption>Figure 1: sales"
    assert parse(page, "a.html", LIMITS).text == "Before.\n\nSales by month\n\nFigure 1: sales"
    assert "![Sales by month](a.png)" in parse(b"![Sales by month](a.png)", "a.md", LIMITS).text
