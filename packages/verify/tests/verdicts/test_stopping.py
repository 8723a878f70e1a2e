"""When writing an answer stops early (N1)."""

from citewell_verify.answers.statements import without_unfinished_sentence
from citewell_verify.verdicts.states import is_ungrounded
from verify_material.rows import for_all_rows


@for_all_rows(
    ("states", "after", "stops"),
    [
        ([], 2, False),
        (["unsupported"], 2, False),
        (["unsupported", "contradicted"], 2, True),
        (["unsupported", "contradicted"], 0, False),
        (["unsupported", "contradicted", "supported"], 2, False),
        (["unsupported", "contradicted", "partial"], 2, False),
        (["unsupported", "not_checked", "no_claim"], 2, False),
        (["unsupported", "not_checked", "unsupported"], 2, True),
    ],
)
def test_only_what_is_refused_from_the_first_is_stopped(states: list[str], after: int, stops: bool) -> None:  # N1, N4
    assert is_ungrounded(states, after) is stops


@for_all_rows(
    ("text", "kept"),
    [
        ("Returns take 30 days [†1]. A receipt is nee", "Returns take 30 days [†1]."),
        ("Returns take 30 days [†1].", "Returns take 30 days [†1]."),
        ("Returns take", "Returns take"),
        ("- Returns take 30 days [†1].\n- A receipt is nee", "- Returns take 30 days [†1]."),
        ("1. Returns take 30 days [†1].\n2. A receipt is nee", "1. Returns take 30 days [†1]."),
    ],
)
def test_what_is_left_ends_with_a_whole_sentence(text: str, kept: str) -> None:  # N1
    assert without_unfinished_sentence(text) == kept
