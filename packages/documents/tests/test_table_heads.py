"""A chunk that begins within a table carries its title, unit and column heads, also from an earlier page."""

from citewell_documents.chunking import context_of, split_document
from citewell_documents.document import Page, ParsedDocument, Section, Table
from citewell_documents.table_heads import heads_above
from citewell_verify.facts.structure.tables import parse_tables

TITLE = "Sales by region (in millions)"
HEADS = "\t2023\t\t2024\n\tOnline\tShops\tOnline\tShops"


def rows(first: int, last: int) -> str:
    return "\n".join(f"Region {number}\t{number}1\t{number}2\t{number}3\t{number}4" for number in range(first, last))


def over_pages(first: str, second: str) -> ParsedDocument:
    """A table on two pages, each of which has nothing else; the heads are on the first."""
    text = f"{TITLE}\n{HEADS}\n{first}\n\n{second}"
    start = len(TITLE) + 1
    end, again = len(f"{TITLE}\n{HEADS}\n{first}"), len(text) - len(second)
    tables = (Table(start, end, start + len(HEADS)), Table(again, len(text), again))
    return ParsedDocument(text, (Page(1, 0, end), Page(2, again, len(text))), tables=tables)


def test_a_row_below_the_cut_has_title_unit_and_both_lines_of_heads() -> None:
    # N3, V2
    table = f"{HEADS}\n{rows(1, 40)}"
    text = f"{TITLE}\n\n{table}"
    start = len(TITLE) + 2
    document = ParsedDocument(text, tables=(Table(start, len(text), start + len(HEADS)),))
    chunks = split_document(document, chunk_tokens=120, overlap_tokens=0)
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        assert chunk.context == f"{TITLE}\t\n{HEADS}"
        parsed = parse_tables(f"{chunk.context}\n{chunk.text}").rows
        assert [(cell.outer_heads, cell.head, cell.unit) for cell in parsed[0].cells] == [
            ("2023", "Online", "million"),
            ("2023", "Shops", "million"),
            ("2024", "Online", "million"),
            ("2024", "Shops", "million"),
        ]


def test_a_table_that_goes_on_over_a_page_keeps_its_heads() -> None:
    # N3
    document = over_pages(rows(1, 4), rows(4, 8))
    heads = heads_above(document, document.tables[1].start)
    assert heads is not None
    assert (heads.title, heads.columns) == (TITLE, HEADS)
    assert context_of(document, -1, document.tables[1].start, len(document.text)) == f"{TITLE}\t\n{HEADS}"


def test_a_table_of_other_columns_on_the_next_page_is_another_one() -> None:
    # N3
    document = over_pages(rows(1, 4), "Alpha\t1\nBeta\t2")
    assert heads_above(document, document.tables[1].start) is None


def test_a_sentence_or_a_list_above_a_table_is_no_title() -> None:
    # N3
    for above in ("The board met in May. It approved the plan.", "- one more point", "# Heading"):
        text = f"{above}\n\nItem\t2023\nSales\t5\nCosts\t6"
        start = len(above) + 2
        document = ParsedDocument(text, tables=(Table(start, len(text), start + len("Item\t2023")),))
        heads = heads_above(document, text.index("Costs"))
        assert heads is not None
        assert (heads.title, heads.columns) == ("", "Item\t2023")


def test_wide_heads_are_cut_after_a_cell() -> None:
    # N3
    heads = "\t".join(f"Column {number}" for number in range(100))
    text = f"{heads}\n" + "\n".join("\t".join("1" for _ in range(100)) for _ in range(3))
    document = ParsedDocument(text, tables=(Table(0, len(text), len(heads)),))
    context = context_of(document, -1, text.rindex("\n") + 1, len(text)) or ""
    assert 300 < len(context) <= 400
    assert heads.startswith(f"{context}\t")


def statement(between: str, *, heads: str = "June 30,\t2031\t2030") -> ParsedDocument:
    """A statement as a reader finds it: a table for each group, below a line with the years."""
    title, first = "Statements of Position", "Cash\t120\t95\nReceivables\t80\t70"
    second = "Payables\t60\t55\nAccruals\t20\t25"
    parts = (title, heads, "Current assets:", first, between, second)
    text = "\n\n".join(parts)
    sections = (Section(title, ("Ostrava Glass", title), 0, text.index(between)),)
    if between.startswith("What"):
        sections += (Section(between, ("Ostrava Glass", between), text.index(between), len(text)),)
    tables = tuple(
        Table(text.index(group), text.index(group) + len(group), text.index(group)) for group in (first, second)
    )
    return ParsedDocument(text, (Page(1, 0, len(text)),), sections, tables)


def test_a_statement_in_groups_keeps_its_title_and_years_below_each_of_them() -> None:
    # N3
    document = statement("What the company owes")
    heads = heads_above(document, document.text.index("Accruals"))
    assert heads is not None
    assert heads.columns == "June 30,\t2031\t2030"
    for place in ("What the company owes", "Payables", "Accruals"):
        start = document.text.index(place)
        context = context_of(document, 1, start, len(document.text)) or ""
        first, *rest = context.split("\n")
        assert first.startswith("Ostrava Glass › Statements of Position")
        assert rest[-1] == "June 30,\t2031\t2030"


def test_years_above_a_sentence_or_above_other_columns_are_not_those_of_a_table() -> None:
    # N3
    for document in (
        statement("The directors approved these statements in September."),
        statement("Current liabilities:", heads="\t2031\t2030\t2029\t2028"),
        statement("Current liabilities:", heads="Opening balance\t14\t12"),
        statement("Current liabilities:", heads="Commitments and contingencies\t—\t—"),
        statement("Current liabilities:", heads="Total liabilities\t2014\t1987"),
        statement("Pro forma figures for 2029 and 2028"),
        statement("Fees of directors (in thousands)"),
    ):
        heads = heads_above(document, document.text.index("Accruals"))
        assert heads is None or not heads.columns


def test_a_table_within_the_text_of_a_chunk_does_not_get_heads_that_stand_in_it() -> None:
    # N3
    document = statement("Current liabilities:")
    whole = context_of(document, 0, 0, len(document.text))
    assert whole == "Ostrava Glass"
