"""Word documents in reading order (N3)."""

import re
from datetime import UTC, datetime

import pytest
from docx.document import Document as WordDocument
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError
from document_material.office_files import check_places, outline, packed, replaced, tables, with_part, word
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)
_MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_NAMES = (
    f'xmlns:w="{_MAIN}" xmlns:m="{_OFFICE}/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
)


def read(data: bytes) -> ParsedDocument:
    parsed = parse(data, "a.docx", LIMITS)
    check_places(parsed)
    assert parsed.pages == ()  # unknown, never guessed
    return parsed


def empty() -> bytes:
    """A minimal Word document, with parts for styles, numbering and footnotes."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    names = {"document": "document.main", "styles": "styles", "numbering": "numbering", "footnotes": "footnotes"}
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{kind}.{main}+xml"/>' for name, main in names.items()
    )
    defaults = "".join(
        f'<Default Extension="{suffix}" ContentType="application/{mime}"/>'
        for suffix, mime in (("rels", "vnd.openxmlformats-package.relationships+xml"), ("xml", "xml"))
    )
    package = "http://schemas.openxmlformats.org/package/2006"

    def links(folder: str, parts: tuple[str, ...]) -> bytes:
        elements = "".join(
            f'<Relationship Id="r{name}" Type="{_OFFICE}/relationships/{kind}" Target="{folder}{name}.xml"/>'
            for name, kind in zip(parts, ("officeDocument",) if folder else parts, strict=True)
        )
        return f'<Relationships xmlns="{package}/relationships">{elements}</Relationships>'.encode()

    return packed(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types">{defaults}{overrides}</Types>'.encode(),
            "_rels/.rels": links("word/", ("document",)),
            "word/_rels/document.xml.rels": links("", ("styles", "numbering", "footnotes")),
            **{f"word/{name}.xml": f"<w:{name} {_NAMES}/>".encode() for name in names},
        }
    )


EMPTY = empty()


def with_body(xml: str) -> bytes:
    content = f"<w:document {_NAMES}><w:body>{xml}</w:body></w:document>"
    return with_part(EMPTY, "word/document.xml", content.encode())


def text_of(xml: str) -> str:
    return read(with_body(xml)).text


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{run(text)}</w:p>"


def item(text: str, list_id: int, level: int = 0) -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def test_paragraphs_headings_and_tables_come_in_the_order_of_the_body() -> None:
    # N3
    def write(document: WordDocument) -> None:
        document.add_heading("Travel policy", 0)
        document.add_heading("Returns", 1)
        document.add_paragraph("Thirty days.")
        rows = document.add_table(2, 2)
        for place, text in enumerate(("Fee", "Euro", "Late", "5")):
            rows.cell(place // 2, place % 2).text = text
        document.add_heading("Exceptions", 2)
        document.add_paragraph("None.")
        document.sections[0].header.paragraphs[0].text = "CONFIDENTIAL"
        document.core_properties.title, document.core_properties.author = "Policy 2026", "Ada"
        document.core_properties.language = "de-AT"
        document.core_properties.modified = datetime(2026, 3, 31, 12, tzinfo=UTC)

    parsed = read(word(write))
    assert parsed.text == (
        "Travel policy\n\nReturns\n\nThirty days.\n\nFee\tEuro\nLate\t5\n\nExceptions\n\nNone."
        "\n\nPage headers and footers\n\nCONFIDENTIAL"
    )
    returns = "Travel policy > Returns"
    aside = "Travel policy > Page headers and footers"
    assert outline(parsed) == ["Travel policy", returns, f"{returns} > Exceptions", aside]
    assert tables(parsed) == [("Fee\tEuro", "Late\t5")]
    assert parsed.found["title"] == "Policy 2026"
    assert parsed.found["author"] == "Ada"
    assert parsed.found["date"] == "2026-03-31"
    assert parsed.found["language"] == "de"


def test_a_localised_or_derived_style_is_a_heading_by_its_outline_level() -> None:
    # N3
    styles = (
        '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Not"><w:name w:val="TOC Heading"/><w:basedOn w:val="berschrift1"/>'
        '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    )
    xml = (
        paragraph("Derived", '<w:pStyle w:val="Mine"/>')
        + paragraph("Contents", '<w:pStyle w:val="Not"/>')
        + paragraph("Below", '<w:outlineLvl w:val="1"/>')
    )
    data = with_part(with_body(xml), "word/styles.xml", f"<w:styles {_NAMES}>{styles}</w:styles>".encode())
    assert outline(read(data)) == ["Derived", "Derived > Below"]


NUMBERING = f"""<w:numbering {_NAMES}>
<w:abstractNum w:abstractNumId="1">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%1.%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2">
  <w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/>
  <w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/></w:lvlOverride></w:num>
</w:numbering>""".encode()


def test_lists_and_headings_have_the_numbers_that_word_draws() -> None:
    heading = '<w:outlineLvl w:val="0"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="3"/></w:numPr>'
    xml = (
        item("one", 1)
        + item("a", 1, 1)
        + item("b", 1, 1)
        + item("two", 1)
        + item("a", 1, 1)
        + paragraph("Between.")
        + item("three", 1)
        + item("point", 2)
        + item("no list", 0)
        + paragraph("Fees", heading)
    )
    parsed = read(with_part(with_body(xml), "word/numbering.xml", NUMBERING))
    assert parsed.text == (
        "1. one\n(1.a) a\n(1.b) b\n2. two\n(2.a) a\n\nBetween.\n\n3. three\n• point\n\nno list\n\n4. Fees"
    )
    assert outline(parsed) == ["4. Fees"]


def test_deleted_hidden_and_technical_text_is_left_out_and_inserted_text_is_kept() -> None:
    xml = (
        f"<w:p>{run('Pay ')}<w:del>{run('10')}</w:del><w:ins>{run('20')}</w:ins>{run(' euro')}"
        f"<w:moveFrom>{run(' moved')}</w:moveFrom><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r><w:hyperlink>" + run(" by link") + "</w:hyperlink>"
        "<w:r><w:noBreakHyphen/><w:softHyphen/><w:t>x</w:t><w:tab/><w:t>y</w:t><w:br/><w:t>z</w:t></w:r></w:p>"
    )
    assert text_of(xml) == "Pay 20 euro by link\u2011x y\nz"


def test_boxes_are_read_as_they_are_ticked() -> None:  # issue 42
    def box(state: str) -> str:
        return f"<w:r><w:fldChar><w:ffData><w:checkBox>{state}</w:checkBox></w:ffData></w:fldChar></w:r>"

    ticked, emptied = box("<w:checked/>"), box('<w:default/><w:checked w:val="0"/>')
    symbol = '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'
    assert (
        text_of(f"<w:p>{run('Dog ')}{ticked}{run(' cat ')}{emptied}{run(' car ')}{symbol}</w:p>") == "Dog ☑ cat ☐ car ☑"
    )


def test_a_text_box_is_read_once_and_after_its_paragraph() -> None:
    box = f"<w:txbxContent>{paragraph('Inside')}</w:txbxContent>"
    xml = (
        f"<w:p>{run('Outside')}<w:r><mc:AlternateContent><mc:Choice><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback><v:textbox>{box}</v:textbox></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert text_of(xml) == "Outside\n\nInside"


def test_the_table_of_contents_is_left_out() -> None:
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    xml = (
        f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{paragraph('Returns 3')}</w:sdtContent></w:sdt>"
        f"<w:sdt><w:sdtContent>{paragraph('A form field.')}</w:sdtContent></w:sdt>"
    )
    assert text_of(xml) == "A form field."


def test_footnotes_follow_the_paragraph_list_or_table_that_refers_to_them() -> None:
    notes = "".join(f'<w:footnote w:id="{n}">{paragraph(f"Note {n}.")}</w:footnote>' for n in (7, 8))
    marks = [f'<w:r><w:footnoteReference w:id="{n}"/></w:r>' for n in (8, 7)]
    listed = item("point", 1).replace("</w:p>", f"{marks[0]}</w:p>") + item("next", 1)
    xml = listed + table(cell("a") + cell("b").replace("</w:p>", f"{marks[1]}</w:p>"))
    data = with_part(with_body(xml), "word/footnotes.xml", f"<w:footnotes {_NAMES}>{notes}</w:footnotes>".encode())
    data = with_part(data, "word/numbering.xml", NUMBERING)
    assert read(data).text == "1. point\n2. next\n\n¹ Note 8.\n\na\tb\n\n² Note 7."


def test_merged_cells_stand_once_in_each_row_and_two_rows_of_names_become_one() -> None:
    # N3
    span, down, below = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    xml = table(
        cell("Region", down) + cell("2025", span),
        cell("", below) + cell("Q1") + cell("Q2"),
        cell("North", down) + cell("1") + cell("2"),
        cell("", below) + cell("3", span),
    )
    assert tables(read(with_body(xml))) == [("Region\t2025 Q1\t2025 Q2", "North\t1\t2\nNorth\t3")]


def test_a_nested_table_stays_in_its_cell_and_a_frame_around_text_is_no_table() -> None:
    inner = table(cell("k") + cell("v"), cell("x") + cell("1"))
    xml = table(cell("Name") + cell("Details"), cell("row") + f"<w:tc>{inner}{paragraph('after')}</w:tc>")
    frame = table(f"<w:tc>{paragraph('First.')}{paragraph('Second.')}</w:tc>")
    parsed = read(with_body(xml + frame))
    assert parsed.text == "Name\tDetails\nrow\tk, v; x, 1 after\n\nFirst.\n\nSecond."
    assert tables(parsed) == [("Name\tDetails", "row\tk, v; x, 1 after")]


def math(xml: str) -> str:
    xml = re.sub(r"\{(.*?)\}", r"<m:r><m:t>\1</m:t></m:r>", xml)
    return text_of(f"<w:p><m:oMathPara><m:oMath>{xml}</m:oMath></m:oMathPara></w:p>")


@for_all_rows(
    ("xml", "linear"),
    [
        ("<m:sSup><m:e>{a}</m:e><m:sup>{2}</m:sup></m:sSup>{+b}", "a^2+b"),
        ("<m:f><m:num>{a+b}</m:num><m:den>{2}</m:den></m:f>", "(a+b)/2"),
        ('<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>{n}</m:num><m:den>{k}</m:den></m:f>', "n¦k"),
        ("<m:rad><m:deg>{3}</m:deg><m:e>{x+1}</m:e></m:rad>", "3√(x+1)"),
        ('<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{i=0}</m:sub><m:sup>{n}</m:sup><m:e>{i}</m:e></m:nary>',
         "∑_(i=0)^n i"),
        ('<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>{x}</m:e></m:d>', "[x]"),
        ("<m:m><m:mr><m:e>{1}</m:e><m:e>{0}</m:e></m:mr><m:mr><m:e>{2}</m:e></m:mr></m:m>", "[1, 0; 2]"),
        ("<m:func><m:fName>{sin}</m:fName><m:e>{x}</m:e></m:func>", "sin x"),
        ("<m:limLow><m:e>{lim}</m:e><m:lim>{n}</m:lim></m:limLow>", "lim_n"),
    ],
)  # fmt: skip
def test_equations_are_readable_in_one_line(xml: str, linear: str) -> None:
    assert math(xml) == linear


def test_a_file_that_says_nothing_of_itself_has_nothing_found() -> None:
    data = with_body(paragraph("Text."))
    assert read(data).found == {}


GOOD = with_body(paragraph("Text."))


@for_all_rows(
    ("data", "error", "message"),
    [
        (with_body("<w:p/>"), DocumentEmpty, "a.docx contains no text"),
        (with_part(GOOD, "word/document.xml", b"<w:document>"), DocumentUnreadable, "cannot be read as a Word"),
        (with_part(GOOD, "word/document.xml", None), DocumentUnreadable, "cannot be read as a Word"),
        (GOOD[:-200], DocumentUnreadable, "cannot be opened as a zip archive"),
        (with_body(paragraph("word " * 2_000)), DocumentTooLarge, "more than 5,000 characters"),
    ],
)  # fmt: skip
def test_a_broken_empty_or_endless_file_is_explained(data: bytes, error: type[CitewellError], message: str) -> None:
    # A8
    with pytest.raises(error, match=re.escape(message)):
        read(data)


def test_no_entity_is_resolved() -> None:
    # A8
    declared = b'<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/hostname"><!ENTITY a "expanded">]>'
    content = f"<w:document {_NAMES}><w:body><w:p>{run('Kept &secret;&a;')}</w:p></w:body></w:document>".encode()
    assert read(with_part(GOOD, "word/document.xml", declared + content)).text == "Kept"


BLOCKS = st.lists(
    st.one_of(
        st.text("ab é한\n\t", max_size=8).map(lambda text: paragraph(text)),
        st.tuples(st.text("ab", max_size=5), st.integers(0, 9)).map(
            lambda pair: paragraph(pair[0], f'<w:outlineLvl w:val="{pair[1]}"/>')
        ),
        st.lists(st.lists(st.text("xy1 ", max_size=3).map(cell), max_size=3).map("".join), max_size=3).map(
            lambda rows: table(*rows)
        ),
        st.tuples(st.text("cd", max_size=5), st.integers(0, 4), st.integers(0, 10)).map(lambda fields: item(*fields)),
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(BLOCKS)
def test_every_place_lies_in_the_text(blocks: list[str]) -> None:
    # N3
    try:
        read(with_body("".join(blocks)))
    except DocumentEmpty:
        return


def test_a_link_to_a_lost_picture_does_not_make_the_document_unreadable() -> None:
    link = f'<Relationship Id="rLost" Type="{_OFFICE}/relationships/image" Target="NULL"/></Relationships>'
    data = replaced(with_body(paragraph("Kept.")), "word/_rels/document.xml.rels", "</Relationships>", link)
    assert read(data).text == "Kept."
