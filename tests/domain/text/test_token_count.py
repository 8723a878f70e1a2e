"""Sizes in tokens (chunks) and the token budget of a prompt (S4.5)."""

from citewell_verify.text.windows import count_tokens
from domain.retrieval.ranking import within_budget
from verify_material.rows import for_all_rows


@for_all_rows(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n", 0),
        ("returns", 2),
        ("The fee is due.", 5),
        ("1,234,567", 5),
        ("검색을 합니다", 4),
        ("東京都", 3),
    ],
)
def test_tokens_are_counted_about_as_models_do(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_the_budget_keeps_the_best_and_what_still_fits() -> None:  # S4.5
    lengths = [50, 60, 30, 30]
    assert within_budget(lengths, int, 100) == [50, 30]
    assert within_budget(lengths, int, 10) == [50]
    assert within_budget(lengths, int, None) == lengths
    assert within_budget(list[int](), int, 10) == []
