"""Tables of PDFs: rows, cells in their columns, and the header row."""

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.pdf.layout import lay_out
from citewell_documents.parsing.pdf.lines import Line
from document_material.pdf_files import Sheet
from document_material.pdf_kinds import KINDS
from document_material.pdf_truth import Truth

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
LEFT = (72.0, 200.0, 300.0, 400.0)


def row(*cells: str, y: float, bold: bool = False) -> Line:
    """A row whose empty cells draw nothing."""
    shown = [(left, left + 6 * len(cell)) for left, cell in zip(LEFT, cells, strict=False) if cell]
    text = "\t".join(cell for cell in cells if cell)
    return Line(text, shown[0][0], shown[-1][1], y, 10, bold=bold, cells=tuple(shown))


def laid_out(*pages: list[Line]) -> ParsedDocument:
    return lay_out(list(pages), frozenset(), frozenset())


def tables(document: ParsedDocument) -> list[str]:
    return [document.text[table.start : table.end] for table in document.tables]


def headers(document: ParsedDocument) -> list[str]:
    return [document.text[table.start : table.header_end] for table in document.tables]


def test_a_table_has_its_place_and_text_above_numbers_is_its_header() -> None:
    rows = [("Category", "Window", "Fee"), ("Clothing", "30 days", "$ 5.00"), ("Electronics", "14 days", "15%")]
    text = "A paragraph before the table says what the table is about, at some length."
    document = parse(Sheet().block(text).rows(rows).block(text).data(), "fees.pdf", LIMITS)
    assert tables(document) == ["\n".join("\t".join(cells) for cells in rows)]
    assert headers(document) == ["Category\tWindow\tFee"]


def test_years_name_columns() -> None:
    document = laid_out([row("Sales", "2023", "2024", y=700), row("Korea", "1,204", "1,377", y=688)])
    assert headers(document) == ["Sales\t2023\t2024"]


def test_a_bold_first_row_is_the_header_and_a_plain_one_above_text_is_none() -> None:
    body = [row("Busan", "harbour", y=688), row("Daegu", "textiles", y=676)]
    assert headers(laid_out([row("City", "Known for", y=700, bold=True), *body])) == ["City\tKnown for"]
    assert headers(laid_out([row("Seoul", "everything", y=700), *body])) == [""]


def test_a_header_that_is_repeated_on_the_next_page_is_one_there_too() -> None:
    first = [row("City", "Known for", y=700), row("Busan", "harbour", y=688)]
    second = [row("City", "Known for", y=700), row("Daegu", "textiles", y=688)]
    assert headers(laid_out(first, second)) == ["City\tKnown for"] * 2


def test_empty_cells_keep_their_place() -> None:
    rows = [
        row("Model", "North", "South", "West", y=700),
        row("A1", "4", "", "7", y=688),
        row("A2", "", "5", "", y=676),
    ]
    assert tables(laid_out(rows)) == ["Model\tNorth\tSouth\tWest\nA1\t4\t\t7\nA2\t\t5"]


def test_the_lines_of_a_cell_are_one_cell() -> None:
    rows = [
        row("USER", "text", "Name of the profile that", y=700),
        Line("has a setting", 300, 378, 688, 10, cells=((300, 378),)),
        row("USAGE", "text", "Whether it is allowed", y=676),
    ]
    assert tables(laid_out(rows)) == [
        "USER\ttext\tName of the profile that has a setting\nUSAGE\ttext\tWhether it is allowed"
    ]


def test_rows_further_apart_than_lines_keep_the_lines_of_their_first_cells() -> None:  # issue 42
    names = [("Overhaul of the", "winch and its", "bearings"), ("Paint",), ("Travel to", "the yard")]
    lines: list[Line] = []
    y = 700
    for first, *more in names:
        lines.append(row(first, "2", "1,480", y=y))
        lines += (row(line, y=y - 12 * at) for at, line in enumerate(more, start=1))
        y -= 12 * len(more) + 30
    assert tables(laid_out(lines)) == ["\n".join(f"{' '.join(name)}\t2\t1,480" for name in names)]


def test_a_table_of_contents_is_no_table() -> None:
    rows = [row(f"{n} Chapter", str(3 * n), y=700 - 12 * n) for n in (1, 2, 3, 4)]
    assert laid_out(rows).tables == ()


def test_every_row_of_generated_tables_lies_in_a_table_under_its_header() -> None:
    for seed in range(1, 4):
        data, truth = KINDS["tables"](Truth(seed))
        document = parse(data, "truth.pdf", LIMITS)
        rows = [text for text in truth.sentences.values() if not text.endswith(".")]
        written = "\n".join(" ".join(table.split(" ")).replace("\t", " ") for table in tables(document))
        assert all(text in written for text in rows)
        assert set(headers(document)) == {headers(document)[0]}
        assert headers(document)[0].startswith("Number\tArticle\tPrice in EUR")
