"""Splitting documents: properties of every document, and expectations for given ones."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.chunking import MIN_CHUNK_CHARS, split_document
from citewell_documents.document import Page, ParsedDocument, Section, TextChunk
from citewell_verify.text.sentences import split_sentences

WORDS = st.sampled_from(["refund", "within", "30", "days", "전기버스는", "운행한다", "a", "Norvex", "x" * 40])
SENTENCES = st.lists(WORDS, min_size=1, max_size=40).map(lambda words: " ".join(words).capitalize() + ".")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join)
TITLES = st.sampled_from(["Scope", "2.1 Windows", "Holiday season and what comes after it", "요약"])
BLOCKS = st.one_of(PARAGRAPHS, PARAGRAPHS, TITLES.map(lambda title: "# " + title))
PAGES = st.lists(st.lists(BLOCKS, max_size=5), min_size=1, max_size=3)
CHUNK_CHARS = st.integers(120, 700)
OVERLAPS = st.integers(0, 400)


def document_of(pages: list[list[str]], *, paged: bool = True) -> ParsedDocument:
    """Join blocks to pages; a block that begins with `# ` is a heading."""
    text, spans, headings = "", list[Page](), list[tuple[str, int]]()
    for number, blocks in enumerate(pages, start=1):
        text += "\n\n" if text and blocks else ""
        start = len(text)
        for block in blocks:
            text += "\n\n" if len(text) > start else ""
            if block.startswith("# "):
                headings.append((block.removeprefix("# "), len(text)))
            text += block
        spans.append(Page(number, start, len(text)))
    ends = [start for _, start in headings[1:]] + [len(text)]
    sections = [Section(title, (title,), start, end) for (title, start), end in zip(headings, ends, strict=False)]
    return ParsedDocument(text, tuple(spans) if paged else (), tuple(sections))


def least(chunk_chars: int) -> int:
    return min(MIN_CHUNK_CHARS, chunk_chars // 3)


DOCUMENTS = st.builds(document_of, PAGES, paged=st.booleans())


def wild(text: str, cuts: set[int]) -> ParsedDocument:
    """An arbitrary document, with sections that begin anywhere."""
    sections = (Section("s", ("s",), cut, len(text)) for cut in sorted(cuts) if cut < len(text))
    return ParsedDocument(text, sections=tuple(sections))


WILD = st.builds(wild, st.text(max_size=1500), st.sets(st.integers(0, 1500), max_size=5))


@given(st.one_of(DOCUMENTS, WILD), CHUNK_CHARS, OVERLAPS)
def test_a_chunk_is_a_trimmed_slice_and_all_together_cover_the_text(  # N3, S3.3
    document: ParsedDocument, chunk_chars: int, overlap: int
) -> None:
    chunks = split_document(document, chunk_tokens=chunk_chars, overlap_tokens=overlap, tokens=len)
    covered = bytearray(len(document.text))
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text == document.text[chunk.start : chunk.end] == chunk.text.strip() != ""
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert [c for c, seen in zip(document.text, covered, strict=True) if not seen and not c.isspace()] == []


@given(st.one_of(DOCUMENTS, WILD), CHUNK_CHARS, OVERLAPS)
def test_chunks_go_forward_and_stay_within_their_limits(
    document: ParsedDocument, chunk_chars: int, overlap: int
) -> None:
    chunks = split_document(document, chunk_tokens=chunk_chars, overlap_tokens=overlap, tokens=len)
    assert all(len(chunk.text) < chunk_chars + least(chunk_chars) for chunk in chunks)
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end - after.start <= overlap


@given(PAGES, CHUNK_CHARS, OVERLAPS)
def test_a_chunk_lies_on_one_page_and_names_it(pages: list[list[str]], chunk_chars: int, overlap: int) -> None:  # N3
    document = document_of(pages)
    for chunk in split_document(document, chunk_tokens=chunk_chars, overlap_tokens=overlap, tokens=len):
        holding = [page for page in document.pages if page.start <= chunk.start and chunk.end <= page.end]
        assert [page.number for page in holding] == [chunk.page]


@given(DOCUMENTS, CHUNK_CHARS, OVERLAPS)
def test_only_a_small_page_gives_a_small_chunk(document: ParsedDocument, chunk_chars: int, overlap: int) -> None:
    regions = document.pages or (Page(1, 0, len(document.text)),)
    for chunk in split_document(document, chunk_tokens=chunk_chars, overlap_tokens=overlap, tokens=len):
        region = next(page for page in regions if page.start <= chunk.start < page.end)
        whole = document.text[region.start : region.end].strip()
        assert len(chunk.text) >= least(chunk_chars) or chunk.text == whole


@given(DOCUMENTS, st.integers(400, 900), OVERLAPS)
def test_a_heading_stays_with_the_text_below_it(document: ParsedDocument, chunk_chars: int, overlap: int) -> None:
    chunks = split_document(document, chunk_tokens=chunk_chars, overlap_tokens=overlap, tokens=len)
    for section in document.sections:
        after_heading = section.start + len("# " + section.title)
        page_end = next((page.end for page in document.pages if section.start < page.end), len(document.text))
        if document.text[after_heading:page_end].strip():
            assert any(chunk.start <= section.start and after_heading < chunk.end for chunk in chunks)


@given(DOCUMENTS, OVERLAPS)
def test_what_is_repeated_are_whole_sentences_of_the_same_section(document: ParsedDocument, overlap: int) -> None:
    starts = {sentence.start for sentence in split_sentences(document.text)}
    chunks = split_document(document, chunk_tokens=2500, overlap_tokens=overlap, tokens=len)
    for before, after in pairwise(chunks):
        if after.start < before.end:
            assert after.start in starts
            assert not any(after.start < section.start < before.end for section in document.sections)


def split(*blocks: str, chunk_chars: int = 900, overlap: int = 0) -> list[TextChunk]:
    return split_document(document_of([list(blocks)]), chunk_tokens=chunk_chars, overlap_tokens=overlap, tokens=len)


PROSE = "The return window starts on the day after delivery. It ends after thirty days. Weekends count as well."


def test_an_empty_document_has_no_chunks() -> None:
    assert split_document(ParsedDocument(" \n "), chunk_tokens=900, overlap_tokens=0, tokens=len) == []


def test_every_section_begins_a_chunk_of_its_own() -> None:
    chunks = split("# Scope", PROSE, "# Refunds", PROSE)
    assert [(chunk.section, chunk.text[:9].strip()) for chunk in chunks] == [
        ("Scope", "# Scope"),
        ("Refunds", "# Refunds"),
    ]


def test_a_heading_without_text_goes_with_the_next_section_and_does_not_name_it() -> None:
    (chunk,) = split("# Refunds", "# Restocking fees", PROSE)
    assert chunk.section == "Restocking fees"
    assert chunk.text.startswith("# Refunds\n\n# Restocking fees")


def test_small_neighbouring_sections_share_a_chunk() -> None:
    (chunk,) = split("# Maps", "Fourteen days.", "# Courses", "Thirty days, if they have not begun.")
    assert (chunk.text.count("#"), chunk.section) == (2, "Courses")


def test_text_before_the_first_heading_has_no_section() -> None:
    assert [chunk.section for chunk in split(PROSE, "# Scope", PROSE)] == [None, "Scope"]


def test_a_section_that_goes_on_keeps_its_name_on_the_next_page() -> None:
    chunks = split_document(
        document_of([["# Scope", PROSE], [PROSE]]), chunk_tokens=900, overlap_tokens=200, tokens=len
    )
    assert [(chunk.page, chunk.section) for chunk in chunks] == [(1, "Scope"), (2, "Scope")]


def test_a_long_section_is_divided_between_paragraphs_rather_than_sentences() -> None:
    chunks = split(PROSE, PROSE + " And so on.", PROSE, chunk_chars=300)
    assert [chunk.text for chunk in chunks] == [f"{PROSE}\n\n{PROSE} And so on.", PROSE]


def test_sentences_that_fit_are_repeated_and_others_are_not() -> None:
    last = "Weekends count as well."
    chunks = split(PROSE, PROSE, PROSE, chunk_chars=220, overlap=len(last))
    assert [chunk.text.startswith(last) for chunk in chunks] == [False, True]
    assert all(not chunk.text.startswith(last) for chunk in split(PROSE, PROSE, PROSE, chunk_chars=220, overlap=20))


def test_a_word_without_end_is_divided_and_a_small_rest_is_not_left_alone() -> None:
    lengths = [len(chunk.text) for chunk in split("x" * 2050, chunk_chars=1000)]
    assert sum(lengths) == 2050
    assert min(lengths) > 500


def test_a_setext_heading_belongs_to_its_rule() -> None:
    text = "Title\n=====\n" + PROSE
    document = ParsedDocument(text, sections=(Section("Title", ("Title",), 0, len(text)),))
    (chunk,) = split_document(document, chunk_tokens=150, overlap_tokens=0, tokens=len)
    assert chunk.section == "Title"


@pytest.mark.timeout(60)  # for ever, if a boundary is searched again and again
@pytest.mark.parametrize(
    "text",
    ["x" * 300_000, " " * 300_000 + "x", "x " * 150_000, "x.\n" * 100_000],
    ids=["one word", "blank", "words", "lines"],
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    chunks = split_document(ParsedDocument(text), chunk_tokens=900, overlap_tokens=120, tokens=len)
    assert sum(len("".join(chunk.text.split())) for chunk in chunks) >= len("".join(text.split()))
