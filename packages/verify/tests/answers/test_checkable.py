"""Sentences that need a verdict."""

from citewell_verify.answers.parser import is_checkable, is_claim
from citewell_verify.answers.statements import statements
from verify_material.rows import for_all_rows


@for_all_rows(
    ("words", "expected"),
    [
        ("Yes.", False),
        ("Sure.", True),
        ("네.", False),
        ("30 %.", False),
        ("12,345", False),
        ("$5 a", False),
        ("맞습니다", False),
        ("맞습니다.", True),
        ("3 km.", True),
        ("返金は可能", True),
        ("", False),
    ],
)
def test_five_characters_and_two_letters_are_checkable(words: str, expected: bool) -> None:  # S5.4
    assert is_checkable(words) is expected


@for_all_rows(
    "sentence",
    [
        "Is a refund possible?",
        "환불이 가능한가요?",
        "I don't know based on the documents.",
        "## Refunds after 30 days",
        "**Refund period**",
        "The conditions are as follows:",
        "However,",
        "In summary:",
        "요약하면 다음과 같습니다.",
        "|---|---|",
        "---",
    ],
)
def test_what_states_nothing_is_no_claim(sentence: str) -> None:  # N4, S2.6
    assert [statement.claim for statement in statements(sentence)] == [False]


@for_all_rows(
    "sentence",
    [
        "Refunds take 30 days.",
        "환불은 30일 안에 가능합니다.",
        "- 30 days for a refund",
        "**Refunds take 30 days.**",
        "There are 3 conditions:",
        "However, fees apply.",
        "In my opinion the fee is fair.",
        "| Fee | 5 dollars |",
    ],
)
def test_what_sources_can_decide_is_a_claim(sentence: str) -> None:  # N4, S2.6
    assert [statement.claim for statement in statements(sentence)] == [True]


def test_only_the_whole_refusal_is_no_claim() -> None:  # N4
    sentence = "I don't know based on the documents who won, but it was in 2023."
    assert is_claim(sentence, sentence)


def test_a_lead_in_that_denies_something_is_a_claim_unless_a_list_follows() -> None:  # N4
    denial = "According to the rules, opened tins can never be exchanged:"
    assert [statement.claim for statement in statements(f"{denial}\n\nSealed tins are exchanged [1].")] == [True, True]
    assert [statement.claim for statement in statements(f"{denial}\n\n- Sealed tins are exchanged [1].")] == [
        False,
        True,
    ]
    assert not statements("The rules for tins are:\n\nSealed tins are exchanged [1].")[0].claim
