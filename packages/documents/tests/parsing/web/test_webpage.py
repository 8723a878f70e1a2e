"""HTML pages: what a reader sees, in order, with exact places."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=10, max_chars=100_000)


def read(html: str | bytes, name: str = "page.html") -> ParsedDocument:
    return parse(html if isinstance(html, bytes) else html.encode(), name, LIMITS)


def rows(html: str) -> list[list[str]]:
    document = read(html)
    (table,) = document.tables
    return [line.split("\t") for line in document.text[table.start : table.end].split("\n")]


PAGE = """<!doctype html><html lang="en-GB"><head><title>Returns - Shop</title><meta name=author content="Ann Lee">
<meta name="date" content="2024-03-05T10:00"><style>p {color: red}</style><script>var x = "<p>no</p>";</script></head>
<body><header><nav><a href=/>Home</a></nav><p>Shop of the year</p></header>
<main><h1>Returns</h1><p>Within <b>30</b>
days.<br>With receipt.</p><h2>Goods</h2><ul><li>Shoes<ol type=a start=2><li>red</li><li>blue</li></ol></li><li>Hats</ul>
<dl><dt>Fee</dt><dd>5 euros</dd></dl><pre>if x:
    pay()</pre><figure><img alt="a shoe" src=s.png><figcaption>Our shoe</figcaption></figure><p><img alt="A seal"></p>
<p>About 10<sup>6</sup> pairs</p></main>
<footer>All rights reserved</footer></body></html>"""


def test_a_page_is_its_text_with_sections_lists_and_lines_of_code() -> None:  # N3
    document = read(PAGE)
    assert document.text == (
        "Returns\n\nWithin 30 days.\nWith receipt.\n\nGoods\n\n- Shoes\n  b. red\n  c. blue\n- Hats\n\n"
        "Fee\n  5 euros\n\nif x:\n    pay()\n\nOur shoe\n\nA seal\n\nAbout 10⁶ pairs"
    )
    assert [section.path for section in document.sections] == [("Returns",), ("Returns", "Goods")]
    assert document.found == {"title": "Returns", "author": "Ann Lee", "date": "2024-03-05T10:00", "language": "en-GB"}


@for_all_rows(
    "hidden",
    [
        "<p hidden>ORDER</p>",
        "<p style='color:red; display : none'>ORDER</p>",
        "<div style='visibility:hidden'><p>ORDER</p></div>",
        "<span style='font-size:0px'>ORDER</span>",
        "<!-- ORDER -->",
        "<template>ORDER</template><noscript>ORDER</noscript>",
        "<dialog>ORDER</dialog><p popover>ORDER</p><dialog open>Open.</dialog>",
        "<table><tr><th>a</th></tr><tr hidden><td>ORDER</td></tr></table>",
    ],
)
def test_what_no_reader_sees_is_not_read(hidden: str) -> None:
    text = read(f"<p>Seen.</p>{hidden}<p style='opacity: 0.9'>Too.</p>").text
    assert "ORDER" not in text
    assert text.startswith("Seen.")
    assert text.endswith("Too.")


@for_all_rows("tag", ["aside", "header", "footer", "nav", "article"])
def test_a_text_is_not_lost_in_a_tag_for_something_else(tag: str) -> None:
    assert (
        "The whole story" in read(f"<{tag}><p>The whole story of a long day.</p></{tag}><footer>(c) us</footer>").text
    )


def test_cells_over_several_rows_and_columns_stay_aligned() -> None:  # N3
    assert rows(
        "<table><tr><th rowspan=2>Year<th colspan=2>Sales<tr><th>Q1<th>Q2"
        "<tr><td rowspan=2>2025<td>1<td>2<tr><td>3<td>4<tr><td>2026<td colspan=2>none</table>"
    ) == [["Year", "Sales Q1", "Sales Q2"], ["2025", "1", "2"], ["2025", "3", "4"], ["2026", "none"]]


def test_signs_in_cells_of_their_own_go_to_their_number() -> None:
    assert rows(
        "<table><tr><td></td><td colspan=3>2025</td></tr><tr><td>Sales</td><td>$</td><td>1,200</td><td></td></tr>"
        "<tr><td>Loss</td><td>$</td><td>(30</td><td>)</td></tr></table>"
    ) == [["", "2025"], ["Sales", "$1,200"], ["Loss", "$(30)"]]


def test_lists_and_tables_in_a_cell_become_one_line() -> None:
    assert rows(
        "<table><caption>Ducks</caption><tr><th>Name<th>More<tr><td>Teal<td><ul><li>Pond<li>Marsh</ul>"
        "<tr><td>Duck<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>"
    ) == [["Name", "More"], ["Teal", "- Pond - Marsh"], ["Duck", "a b; c d"]]


def test_a_table_that_only_places_things_is_text() -> None:
    document = read("<table><tr><td><h1>Letter</h1><p>Dear Ann,</p></td><td>2025</td></tr></table>")
    assert (document.text, document.tables) == ("Letter\n\nDear Ann,\n\n2025", ())


@for_all_rows(
    ("data", "text"),
    [
        ('<meta charset="euc-kr"><p>환불 정책</p>'.encode("euc-kr"), "환불 정책"),
        (
            '<meta http-equiv=Content-Type content="text/html; charset=iso-8859-1">Caf\xe9 5 \x80'.encode("latin-1"),
            "Café 5 €",
        ),
        ("<meta charset=iso-8859-1>환불".encode(), "환불"),
        ("<p>환불</p>".encode("utf-16"), "환불"),
        (b'<?xml version="1.0"?><html><head><title/><script/></head><body><a id="x"/>Seen</body></html>', "Seen"),
    ],
)
def test_the_encoding_is_the_one_that_reads(data: bytes, text: str) -> None:
    assert read(data).text == text


@pytest.mark.parametrize("tag", ["<div>", "<ul><li>", "<table><tr><td>", "<b>"])
def test_a_page_of_100_000_levels_is_refused_at_once(tag: str) -> None:  # A8
    with pytest.raises(DocumentUnreadable, match="1,000 levels"):
        read(tag * 100_000)


def test_levels_that_are_allowed_need_no_recursion() -> None:  # A8
    assert read("<div>" * 990 + "deep").text == "deep"
    assert read("<table><tr><td>a<td>" * 240 + "deep").text.endswith("deep")


@pytest.mark.parametrize(
    "html", ["<html><body></body></html>", "<p hidden>x</p>", "<frameset><frame src=a></frameset>"]
)
def test_a_page_without_text_is_empty(html: str) -> None:  # A8
    with pytest.raises(DocumentEmpty, match=re.escape("page.html contains no text")):
        read(html)


PIECES = st.sampled_from(
    "<h1> </h1> <h2> </h2> <p> <ul> <li> </ul> <ol> <dl> <dt> <dd> <table> <tr> <td> <th colspan=2> <td rowspan=3>"
    " </table> <pre> </pre> <br> <sup>2</sup> <b> </b> <nav> </nav> <main> <figure> word 12 $ ) &nbsp; 한글".split(" ")
)


@given(st.lists(PIECES, max_size=40))
def test_sections_and_tables_slice_the_text(pieces: list[str]) -> None:  # N3
    document = read(f"<p>Start</p>{''.join(pieces)}<p>End")
    text = document.text
    assert "\0" not in text
    for section in document.sections:
        assert text[section.start : section.end].startswith(section.title)
    for table in document.tables:
        assert table.start <= table.header_end <= table.end
        assert text[table.start : table.end].strip("\n") == text[table.start : table.end]
        assert text[table.header_end : table.header_end + 1] in ("\n", text[table.start : table.start + 1])
