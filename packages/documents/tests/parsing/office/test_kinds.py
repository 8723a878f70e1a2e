"""Office files that do not match their name, and damaged ones (A8)."""

import re

import pytest
from docx.document import Document as WordDocument
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from openpyxl.comments import Comment

from citewell_documents.errors import DocumentEncrypted, DocumentTypeUnknown, DocumentUnreadable
from citewell_documents.formats import SAVE_AS, SUFFIXES, listed
from citewell_documents.parsing import READ_SUFFIXES, ParseLimits, parse
from citewell_verify.errors import CitewellError
from document_material.office_files import odt, packed, replaced, slides, unpacked, word, workbook
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)
WORD = word(lambda document: document.add_paragraph("Text."))
SLIDES = slides(lambda presentation: presentation.slides.add_slide(presentation.slide_layouts[0]))
WORKBOOK = workbook({"S": [["a", "b"]]})
ODT = odt("<text:p>Text.</text:p>")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
MACROS = replaced(
    WORD,
    "[Content_Types].xml",
    "vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "vnd.ms-word.document.macroEnabled.main+xml",
)

MISNAMED: dict[str, tuple[bytes, type[CitewellError], str]] = {
    "a.docx": (WORKBOOK, DocumentUnreadable, "is named .docx but seems to be an Excel workbook; rename it to .xlsx"),
    "b.xlsx": (SLIDES, DocumentUnreadable, "seems to be a PowerPoint presentation; rename it to .pptx"),
    "c.pptx": (ODT, DocumentUnreadable, "seems to be an OpenDocument text; rename it to .odt"),
    "d.odt": (WORD, DocumentUnreadable, "seems to be a Word document; rename it to .docx"),
    "e.txt": (WORD, DocumentUnreadable, "seems to be a Word document; rename it to .docx"),
    "f.csv": (WORKBOOK, DocumentUnreadable, "seems to be an Excel workbook; rename it to .xlsx"),
    "g.docx": (MACROS, DocumentUnreadable, "seems to be a Word document with macros; save it as .docx"),
    "h.xlsx": (
        packed({"mimetype": b"application/vnd.oasis.opendocument.spreadsheet"}),
        DocumentUnreadable,
        "seems to be an OpenDocument spreadsheet; save it as .xlsx",
    ),
    "i.docx": (OLE, DocumentUnreadable, "seems to be an old Office document"),
    "j.docx": (OLE + "EncryptedPackage".encode("utf-16-le"), DocumentEncrypted, "save a copy without a password"),
    "k.pptx": (b"words", DocumentUnreadable, "is named .pptx but seems to be plain text"),
    "l.docx": (packed({"x": b"y"}), DocumentUnreadable, "cannot be read as a Word document"),
    "m.xlsx": (packed({"x": b"y"}), DocumentUnreadable, "cannot be read as an Excel workbook"),
    "n.pptx": (packed({"x": b"y"}), DocumentUnreadable, "cannot be read as a PowerPoint presentation"),
    "o.odt": (packed({"x": b"y"}), DocumentUnreadable, "it has no content.xml"),
    "p.xls": (OLE, DocumentTypeUnknown, ".xls is read through LibreOffice; save it as .xlsx"),
    "q.exe": (
        OLE,
        DocumentTypeUnknown,
        ".exe is not supported; save it as .pdf, or if it is plain text, rename it to .txt",
    ),
}


@for_all_rows("name", MISNAMED)
def test_a_file_that_is_something_else_is_told_what(name: str) -> None:
    # A8
    data, error, message = MISNAMED[name]
    with pytest.raises(error, match=re.escape(message)) as raised:
        parse(data, name, LIMITS)
    assert raised.value.message.startswith(name)


def test_the_types_that_are_named_are_those_that_are_read() -> None:
    assert set(SUFFIXES) == set(READ_SUFFIXES)
    assert set(SAVE_AS.values()) <= set(SUFFIXES)
    assert not set(SAVE_AS) & set(SUFFIXES)
    assert listed((".a", ".b", ".c")) == ".a, .b or .c"
    assert listed((".a",)) == ".a"


def _remarked(document: WordDocument) -> None:
    document.add_comment(document.add_paragraph("Text.").runs, "Not so.", author="Ida")
    document.sections[0].header.paragraphs[0].text = "Header"


def _commented(book: Workbook) -> None:
    book["S"]["A1"].comment = Comment("Not so.", "Ida")
    book["S"]["B2"] = "=1+1"


FILES = {
    ".docx": word(_remarked),
    ".pptx": SLIDES,
    ".xlsx": workbook({"S": [["a", "b"], ["c", 1]]}, _commented),
    ".odt": ODT,
}
PARTS = [
    (suffix, part)
    for suffix, data in FILES.items()
    for part in unpacked(data)
    if part.endswith((".xml", ".rels")) and not part.startswith(("ppt/slideLayouts", "word/theme", "ppt/theme"))
]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(PARTS), st.integers(0, 100_000), st.binary(max_size=8), st.integers(0, 40))
@pytest.mark.slow
def test_damage_in_any_part_gives_a_document_or_a_citewell_error(
    place: tuple[str, str], position: int, damage: bytes, length: int
) -> None:
    # A8
    suffix, part = place
    members = unpacked(FILES[suffix])
    content = members[part]
    position %= len(content)
    members[part] = content[:position] + damage + content[position + length :]
    try:
        parse(packed(members), f"a{suffix}", LIMITS)
    except CitewellError:
        return
