"""A chunk's context is kept beside it, and its size is counted in tokens."""

from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument, Section, Table, TextChunk
from citewell_verify.text.windows import count_tokens, indexed_text

ROWS = "\n".join(f"Product {number}\t{number * 10}\tEUR" for number in range(60))
HEADER = "Name\tPrice\tCurrency"
TEXT = f"Prices\n\nLoans\n\nThe rate is 4 %.\n\n{HEADER}\n{ROWS}"


def document() -> ParsedDocument:
    start = TEXT.index(HEADER)
    sections = (
        Section("Prices", ("Prices",), 0, TEXT.index("Loans")),
        Section("Loans", ("Prices", "Loans"), TEXT.index("Loans"), len(TEXT)),
    )
    return ParsedDocument(TEXT, sections=sections, tables=(Table(start, len(TEXT), start + len(HEADER)),))


def chunks(tokens: int = 80) -> list[TextChunk]:
    return split_document(document(), chunk_tokens=tokens, overlap_tokens=0)


def test_rows_below_the_header_are_told_their_columns_and_headings() -> None:
    first, *others = chunks()
    assert first.context is None
    assert "Prices" in first.text
    assert others
    for chunk in others:
        assert chunk.context == f"Prices › Loans\n{HEADER}"
        assert chunk.text == TEXT[chunk.start : chunk.end]
        assert indexed_text(chunk.text, chunk.context).endswith(chunk.text)


def test_without_headings_and_table_there_is_no_context() -> None:
    (chunk,) = split_document(ParsedDocument("One sentence."), chunk_tokens=50, overlap_tokens=0)
    assert chunk.context is None
    assert indexed_text(chunk.text, chunk.context) == "One sentence."


def test_chunks_have_about_as_many_tokens_in_any_script() -> None:
    for sentence in ("Customers may return what they bought. ", "고객은 구입한 물건을 반품할 수 있습니다. "):
        chunks = split_document(ParsedDocument(sentence * 100), chunk_tokens=100, overlap_tokens=0)
        sizes = [count_tokens(chunk.text) for chunk in chunks[:-1]]
        assert max(sizes) <= 110
        assert min(sizes) >= 60
