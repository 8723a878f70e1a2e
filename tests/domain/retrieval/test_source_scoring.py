"""Source scoring: the seed's weights and limits (S5.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.retrieval.source_scoring import Excerpt, SourceRules, score_excerpts, select_sources

TEXT = "These words are long enough. "
EXCERPTS = st.lists(
    st.builds(
        Excerpt,
        st.sampled_from(["a.pdf", "b.pdf", "c.md"]),
        st.none() | st.integers(1, 4),
        st.sampled_from(["short", TEXT, TEXT * 3, TEXT * 20, " \n "]),
    ),
    max_size=15,
)


def excerpt(filename: str, page: int | None = 1, chars: int = 200) -> Excerpt:
    return Excerpt(filename, page, "x" * chars)


def test_relevance_is_forty_forty_twenty() -> None:  # S5.2
    (source,) = score_excerpts([excerpt("a.pdf", chars=100)])
    assert (source.position, source.content, source.frequency) == (1.0, 0.5, 0.0)
    assert source.relevance == pytest.approx(0.4 * 1 + 0.4 * 0.5 + 0.2 * 0)


def test_position_falls_linearly_from_one() -> None:  # S5.2
    scored = score_excerpts([excerpt(name) for name in "abcd"])
    assert [source.position for source in scored] == [1.0, 0.75, 0.5, 0.25]


def test_the_second_of_two_is_not_half_way_down() -> None:  # S5.2
    scored = score_excerpts([excerpt("a"), excerpt("b")], SourceRules(places=5))
    assert [source.position for source in scored] == [1.0, 0.8]


@pytest.mark.parametrize(("chars", "content"), [(0, 0.0), (50, 0.25), (200, 1.0), (9000, 1.0)])
def test_content_is_full_from_two_hundred_characters_on(chars: int, content: float) -> None:  # S5.2
    assert score_excerpts([excerpt("a.pdf", chars=chars)])[0].content == content


@pytest.mark.parametrize(("mentions", "frequency"), [(1, 0.0), (2, 0.5), (3, 1.0), (9, 1.0)])
def test_frequency_counts_the_other_passages_of_a_document(mentions: int, frequency: float) -> None:  # S5.2
    scored = score_excerpts([excerpt("a.pdf", page) for page in range(1, mentions + 1)])
    assert {source.frequency for source in scored} == {frequency}


def test_a_source_needs_a_relevance_of_four_tenths() -> None:  # S5.2
    thin = [excerpt(f"{n}.pdf", chars=20) for n in range(20)]
    # The first has 0.4 + 0.04, the second 0.38 + 0.04, the third 0.36 + 0.04 = 0.4, the fourth 0.38.
    assert [source.index for source in select_sources(thin)] == [0, 1, 2]


def test_there_are_at_most_five_sources() -> None:  # S5.2
    assert len(select_sources([excerpt(f"{n}.pdf") for n in range(9)])) == 5


@pytest.mark.parametrize(("chars", "kept"), [(19, 0), (20, 1)])
def test_an_excerpt_below_twenty_characters_is_no_source(chars: int, kept: int) -> None:  # S5.2
    assert len(select_sources([excerpt("a.pdf", chars=chars)])) == kept


def test_white_space_does_not_make_an_excerpt_longer() -> None:  # S5.2
    assert select_sources([Excerpt("a.pdf", 1, "too short" + " " * 30 + "!")]) == []


def test_the_best_of_a_page_is_kept() -> None:  # S5.2
    thin, full, next_page = excerpt("a.pdf", 1, 40), excerpt("a.pdf", 1, 200), excerpt("a.pdf", 2, 60)
    assert [source.excerpt for source in select_sources([thin, full, next_page])] == [full, next_page]


def test_the_first_of_two_like_excerpts_of_a_page_is_kept() -> None:  # S5.2
    assert [source.index for source in select_sources([excerpt("a.pdf"), excerpt("a.pdf")])] == [0]


def test_unknown_pages_are_not_taken_for_one_page() -> None:  # S5.2, N3
    short, long = Excerpt("a.md", None, TEXT), Excerpt("a.md", None, TEXT + "And more.")
    assert [source.excerpt for source in select_sources([short, long, short])] == [short, long]


def test_all_numbers_can_be_configured() -> None:  # S5.2
    rules = SourceRules(0, 1, 0, min_relevance=0.5, max_sources=1, min_chars=3, full_chars=4, full_repeats=0)
    chosen = select_sources([Excerpt("a", 1, "ab"), Excerpt("b", 1, "abc"), Excerpt("c", 1, "abcd")], rules)
    assert [(source.excerpt.document, source.relevance) for source in chosen] == [("c", 1.0)]


def test_no_weight_at_all_is_an_error() -> None:  # S5.2
    with pytest.raises(ValueError, match="at least one weight"):
        select_sources([excerpt("a")], SourceRules(0, 0, 0))


@given(EXCERPTS)
def test_selected_sources_keep_every_limit_for_any_context(excerpts: list[Excerpt]) -> None:  # S5.2
    chosen = select_sources(excerpts)
    assert len(chosen) <= 5
    assert [source.relevance for source in chosen] == sorted((s.relevance for s in chosen), reverse=True)
    assert all(0.4 <= source.relevance <= 1 and len(source.excerpt.text) >= 20 for source in chosen)
    assert all(excerpts[source.index] is source.excerpt for source in chosen)
    pages = [(s.excerpt.document, s.excerpt.page) for s in chosen if s.excerpt.page is not None]
    assert len(pages) == len(set(pages))
