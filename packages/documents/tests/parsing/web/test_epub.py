"""EPUB books: chapters in reading order."""

import zipfile
from io import BytesIO

import pytest

from citewell_documents.errors import DocumentEmpty, DocumentEncrypted, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=10, max_chars=100_000)
CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>Poems</dc:title><dc:creator>A. Poet</dc:creator><dc:date>1831</dc:date>
<dc:language>en-US</dc:language>
</metadata><manifest><item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
<item id="b" href="b%20c.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/></spine></package>"""
HTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{}</body></html>'
BOOK = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OPS/book.opf": PACKAGE,
    "OPS/nav.xhtml": HTML.format('<nav><a href="b%20c.xhtml#x">The second</a></nav>'),
    "OPS/a.xhtml": HTML.format("<header><h1>The first</h1></header><p>Line one,<br/>line two.</p>"),
    "OPS/b c.xhtml": HTML.format('<p><a id="x"/>No heading here.</p>'),
}


def book(**changed: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in {**BOOK, **changed}.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_chapters_follow_each_other_with_their_headings_or_those_of_the_contents() -> None:  # N3
    document = parse(book(), "poems.epub", LIMITS)
    assert document.text == "The first\n\nLine one,\nline two.\n\nThe second\n\nNo heading here."
    assert [document.text[s.start : s.end].strip() for s in document.sections] == [
        "The first\n\nLine one,\nline two.",
        "The second\n\nNo heading here.",
    ]
    assert document.found == {"title": "Poems", "author": "A. Poet", "date": "1831", "language": "en-US"}


ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><container>&e;</container>'
LOCKED = "<encryption><EncryptedData><EncryptionMethod Algorithm='{}'/></EncryptedData></encryption>"


@for_all_rows(
    ("changed", "error"),
    [
        ({"META-INF/encryption.xml": LOCKED.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")}, DocumentEncrypted),
        ({"META-INF/container.xml": "no xml"}, DocumentUnreadable),
        ({"META-INF/container.xml": ENTITY}, DocumentUnreadable),
        ({"OPS/book.opf": "<package/>"}, DocumentUnreadable),
        ({"OPS/a.xhtml": HTML.format(""), "OPS/b c.xhtml": HTML.format("<img/>")}, DocumentEmpty),
    ],
)
def test_what_is_no_readable_book_is_refused(changed: dict[str, str], error: type[CitewellError]) -> None:  # A8
    with pytest.raises(error, match=r"poems\.epub"):
        parse(book(**changed), "poems.epub", LIMITS)


def test_the_style_sheets_of_a_book_hide_what_they_hide() -> None:  # issue 42
    head = '<head><link rel="stylesheet" href="../css/a.css"/></head>'
    page = HTML.replace("<head><title/></head>", head).format(
        '<p>Seen.</p><p class="d">Draft.</p><p>Fee <i class="o">9</i> 8.</p><p class="w">Copy.</p>'
        '<p class="b">Warning.</p>'
    )
    first = '@import "b.css"; body {background: #fff} .w {color: #fff} .b {color: #fff; background: #222}'
    beside = {"css/a.css": first, "css/b.css": "@import 'a.css'; .d {display: none} .o {visibility: hidden}"}
    text = parse(book(**{"OPS/a.xhtml": page, **beside}), "a.epub", LIMITS).text
    assert text.startswith("Seen.\n\nFee 8.\n\nWarning.\n\nThe second")


def test_scrambled_fonts_hide_no_text() -> None:
    fonts = {"META-INF/encryption.xml": LOCKED.format("http://www.idpf.org/2008/embedding")}
    assert parse(book(**fonts), "poems.epub", LIMITS).text.startswith("The first")
