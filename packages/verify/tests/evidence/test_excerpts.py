"""The excerpts of long sources that a model sees (N2)."""

from citewell_verify.evidence.passages import Excerpt, Wanted, best_relevance, choose_excerpts, page_at
from verify_material.rows import for_all_rows

FILLER = "The annual report describes the shops of the company and its people. " * 200
RETURNS = "Returns are accepted within 30 days of the purchase date. "
REFUNDS = "Refunds are paid to the original card within 10 business days. "


def test_what_fits_is_shown_whole() -> None:  # N2
    assert choose_excerpts(["one text", " ", "another"], [], 100) == [Excerpt(0, 0, 8), Excerpt(2, 0, 7)]


def test_every_statement_gets_its_part_of_long_sources_within_the_budget() -> None:  # N2
    texts = [FILLER + RETURNS + FILLER, FILLER + REFUNDS]
    chosen = choose_excerpts(texts, [Wanted(RETURNS, []), Wanted(REFUNDS, [])], 4_000)
    shown = " ".join(texts[each.source][each.start : each.end] for each in chosen)
    assert RETURNS.strip() in shown
    assert REFUNDS.strip() in shown
    assert sum(each.end - each.start for each in chosen) <= 4_000


def test_the_source_that_is_cited_comes_first() -> None:  # N2
    texts = [FILLER + RETURNS, FILLER + RETURNS]
    (chosen,) = choose_excerpts(texts, [Wanted(RETURNS, [1])], 1_600)
    assert chosen.source == 1


def test_relevance_is_that_of_the_best_part() -> None:
    assert best_relevance(RETURNS, FILLER + RETURNS + FILLER) == 1.0
    assert best_relevance(RETURNS, "") == 0.0


@for_all_rows(("offset", "page"), [(0, 1), (9, 1), (10, None), (12, 3), (19, 3), (20, None)])
def test_a_page_is_known_or_it_is_not(offset: int, page: int | None) -> None:  # N3
    assert page_at([[1, 0, 10], [3, 12, 20]], offset) == page
