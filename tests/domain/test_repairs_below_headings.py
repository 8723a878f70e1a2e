"""A repair is read with the headings that its passage stands below (V2, V6)."""

import pytest

from domain.substitution import corrected, is_proven

WEIGHT = "It weighs 7 kilograms and runs on two batteries."
KOREAN = "이 제품은 무게가 7킬로그램이고 배터리 두 개로 작동한다."


@pytest.mark.parametrize(
    ("text", "source", "context", "proven"),
    [
        ("Model X100 weighs 7 kilograms.", WEIGHT, "Model X100", True),
        ("Model X100 weighs 7 kilograms.", WEIGHT, "Manual › Model X100", True),
        ("Model X200 weighs 7 kilograms.", WEIGHT, "Model X100", False),
        ("Model X100 weighs 7 kilograms.", WEIGHT, "", False),
        ("Model X100 weighed 7 kilograms in 2024.", WEIGHT, "Model X100 › Report 2024", False),
        ("X200은 무게가 7킬로그램이다.", KOREAN, "X100", False),
    ],
)
def test_a_heading_names_what_a_repair_is_about(text: str, source: str, context: str, proven: bool) -> None:
    assert is_proven(text, source, context) is proven


def test_the_figures_below_a_heading_are_given_to_what_it_names_alone() -> None:
    stated = "{} weighs 9 kilograms and runs on two batteries."
    assert corrected(stated.format("Model X100"), WEIGHT, "Model X100") == (
        "Model X100 weighs 7 kilograms and runs on two batteries."
    )
    assert corrected(stated.format("Model X200"), WEIGHT, "Model X100") is None


def test_korean_figures_below_a_heading_are_given_to_what_it_names_alone() -> None:
    stated = "{}은 무게가 9킬로그램이고 배터리 두 개로 작동한다."
    assert corrected(stated.format("X100"), KOREAN, "X100") == KOREAN.replace("이 제품은", "X100은")
    assert corrected(stated.format("X200"), KOREAN, "X100") is None
    assert corrected(stated.format("X100"), KOREAN, "") is None
