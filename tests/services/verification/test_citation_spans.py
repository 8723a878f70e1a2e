"""Which words of a passage a citation marks."""

import uuid
from types import SimpleNamespace
from typing import cast

import pytest

from citewell_verify.evidence.passages import Passage
from domain.query.options import QueryOptions
from services.verification.checks import ExtractedQuote, choose_span

LIMITS = cast(QueryOptions, SimpleNamespace(span_min_chars=50, span_max_chars=200))
TABLE = "Year\tDucks\n2019\t120\n2020\t135\n2021\t150\n\nThese were all ducks that anybody saw."
DUCK = (
    "Female mallard ducks (as well as several other species in the genus Anas, such as the American and Pacific black "
    'ducks, spot-billed duck, northern pintail and common teal) make the classic "quack" sound while males make a '
    'similar but raspier sound that is sometimes written as "breeeeze",[56] but most ducks do not "quack".[57]'
)


def passage_of(text: str) -> Passage:
    return Passage(
        key=1,
        document_id=uuid.uuid4(),
        doc_id="d",
        filename="d.txt",
        source="d.txt",
        metadata={},
        chunk_id="d:0",
        chunk_index=0,
        page=None,
        section=None,
        start_index=0,
        end_index=len(text),
        text=text,
        sections=[],
    )


@pytest.mark.parametrize("quotes", [[], [ExtractedQuote("Year\tDucks\n2019\t120\n2020\t135", "direct_quote")]])
def test_a_statement_about_a_cell_cites_its_row_alone(quotes: list[ExtractedQuote]) -> None:  # S4.6, V2
    span = choose_span("2019 · Ducks: 120", passage_of(TABLE), quotes, LIMITS)
    assert TABLE[span.start : span.end] == "2019\t120"


def test_a_copied_sentence_is_cited_whole_though_its_source_cites_others_within_it() -> None:  # N3
    statement = DUCK.replace("[56]", "").replace("[57]", "")
    span = choose_span(statement, passage_of(f"{DUCK} Others do."), [], LIMITS)
    assert span.citation_type == "direct_quote"
    assert DUCK[span.start : span.end] == DUCK.removesuffix("[57]")
