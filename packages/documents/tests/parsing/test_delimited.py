"""CSV and TSV files are one table (N3)."""

import csv
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from document_material.office_files import check_places, tables
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)


def read(data: bytes | str, name: str = "a.csv") -> ParsedDocument:
    parsed = parse(data.encode() if isinstance(data, str) else data, name, LIMITS)
    check_places(parsed)
    assert (parsed.pages, parsed.sections) == ((), ())
    return parsed


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    # N3
    rows = [["Fee", "Euro", "Note"], ["Late", "5", "a, b; c"], ["Early", "0", ""]]
    out = StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    assert tables(read(out.getvalue())) == [("Fee\tEuro\tNote", "Late\t5\ta, b; c\nEarly\t0")]


@for_all_rows(
    ("data", "text"),
    [
        ('name,text\nx,"two\nlines, ""quoted"""\n', 'name\ttext\nx\ttwo lines, "quoted"'),
        ("a,b\n1\n1,2,3\n\n", "a\tb\n1\n1\t2\t3"),
        ("sep=;\na;b,c\n1;2\n", "a\tb,c\n1\t2"),
        ('name,size\n"12" disk,5\nx,"6\ny,7\n', 'name\tsize\n"12" disk\t5\nx\t"6\ny\t7'),
        ("one\ntwo\nthree\n", "one\ntwo\nthree"),
        ("Preis;Ort\n1,50;Wien\n2,75;Graz\n", "Preis\tOrt\n1,50\tWien\n2,75\tGraz"),
    ],
)
def test_oddities_are_read(data: str, text: str) -> None:
    assert read(data).text.startswith(text)


def test_lines_above_the_heads_are_the_title_of_the_table() -> None:
    parsed = read("Exported by Fleet 4.2\nDate: 2026-05-01\n\nPlate,Driver,Km\nB-AX 12,Ruth,40311\n")
    assert parsed.text.startswith("Exported by Fleet 4.2\n\nDate: 2026-05-01\n\nPlate\tDriver")
    assert tables(parsed) == [("Plate\tDriver\tKm", "B-AX 12\tRuth\t40311")]


def test_any_encoding_is_read() -> None:
    assert read("이름,값\n서울,1\n".encode("cp949")).text == "이름\t값\n서울\t1"
    assert read("a\tb\nä\t1\n".encode("utf-16"), "a.tsv").text == "a\tb\nä\t1"


@for_all_rows(
    ("data", "has_header"),
    [("name,age\nada,36\n", True), ("1,2\n3,4\n", False), ("ada,36\nbob,40\n", False), (",2024,2025\nx,1,2\n", True),
     ("Item,2024,2025\nx,1,2\n", True), ("a,a\nb,c\n", False), ("name\n1\n2\n", True), ("ada\nbob\n", False)],
)  # fmt: skip
def test_the_first_row_is_a_header_if_it_has_names(data: str, has_header: bool) -> None:
    ((header, _),) = tables(read(data))
    assert bool(header) is has_header


def test_what_cannot_be_read_is_explained() -> None:
    # A8
    with pytest.raises(DocumentEmpty):
        read(",,,\n,,\n")
    with pytest.raises(DocumentTooLarge, match="6,000 characters; the limit is 5,000"):
        read("a,b," * 1_500)
    with pytest.raises(DocumentUnreadable, match="seems to be a damaged or binary file"):
        read(b"a,b\0\n1,2")


@given(st.lists(st.lists(st.text("ab 1,;|\t\"'\n", max_size=5), min_size=1, max_size=4), min_size=1, max_size=6))
def test_every_place_lies_in_the_text(rows: list[list[str]]) -> None:
    # N3
    out = StringIO()
    csv.writer(out).writerows(rows)
    try:
        read(out.getvalue())
    except DocumentEmpty:
        assert not any(character in "ab1'" for row in rows for cell in row for character in cell)
