"""What a source restricts, lists in turn or gives to another, and a statement says without that (V2, V3)."""

import pytest

from domain.evidence.contradictions import disagreements

LEFT_OUT = [
    ("The warranty is void.", "The warranty is void unless the device is registered.", "modality"),
    ("Delivery is free.", "Delivery is free if you spend more than 50 euros.", "modality"),
    ("Acme pays the delivery.", "If Acme agrees in writing, Acme pays the delivery.", "modality"),
    ("배송은 무료이다.", "5만 원 이상 주문하면 배송은 무료이다.", "modality"),
    ("Every branch is open on Sunday.", "Every branch except the one in Ghent is open on Sunday.", "quantifier"),
    ("모든 지점은 일요일에 연다.", "대전을 제외하고 모든 지점은 일요일에 연다.", "quantifier"),
    ("All members voted for the plan.", "Nearly all members voted for the plan.", "quantifier"),
    ("Karin Vogt is the head of the clinic.", "Karin Vogt was formerly the head of the clinic.", "modality"),
    ("Karin Vogt heads the clinic.", "Karin Vogt used to head the clinic.", "modality"),
    ("The fee is refundable.", "The fee is refundable in no case.", "negation"),
]
KEPT = [
    ("The warranty is void if the device is not registered.", "The warranty is void unless the device is registered."),
    ("Orders over 50 euros are delivered free.", "Delivery is free if the order is over 50 euros."),
    ("All branches but Ghent are open on Sunday.", "Every branch except the one in Ghent is open on Sunday."),
    ("Most members voted for the plan.", "Nearly all members voted for the plan."),
    ("Karin Vogt was the head of the clinic.", "Karin Vogt was formerly the head of the clinic."),
    ("Limestone makes cement.", "Limestone is used to make cement."),
    ("5만 원 이상을 주문하는 경우 배송은 무료이다.", "5만 원 이상 주문하면 배송은 무료이다."),
    ("The treaty is valid.", "The treaty is not invalid."),
    ("Steven Spielberg made a film in 2002.", "Steven Spielberg made Catch Me If You Can, a film, in 2002."),
]


@pytest.mark.parametrize(("statement", "source", "kind"), LEFT_OUT)
def test_a_restriction_that_is_left_out_is_named(statement: str, source: str, kind: str) -> None:  # V3
    assert [each.kind for each in disagreements(statement, source)] == [kind]


@pytest.mark.parametrize(("statement", "source"), KEPT)
def test_a_restriction_in_another_form_is_kept(statement: str, source: str) -> None:  # V3
    assert not {"modality", "quantifier", "negation"} & {each.kind for each in disagreements(statement, source)}


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        ("Anna and Boris scored 71 and 84 points respectively.", "Boris scored 84 points.", "Anna scored 84 points."),
        ("지호와 수아의 점수는 각각 90점과 75점이다.", "수아의 점수는 75점이다.", "수아의 점수는 90점이다."),
        (
            "The CEO is John Smith. The CFO is Mary Jones.",
            "Mary Jones is the CFO.",
            "Mary Jones is the CEO.",
        ),
        (
            "Rolf Berg is the deputy and Ida Lund the chairman.",
            "Ida Lund is the chairman.",
            "Rolf Berg is the chairman.",
        ),
        (
            "「먼 들판」은 강도현이 썼다. 「두 개의 달」은 황준서가 썼다.",
            "「먼 들판」은 강도현이 썼다.",
            "「두 개의 달」은 강도현이 썼다.",
        ),
        ("서지안은 송다은보다 늦게 왔다.", "서지안은 송다은보다 늦게 왔다.", "서지안은 송다은보다 먼저 왔다."),
        ("회장은 김하늘이고 부회장은 이수진이다.", "이수진은 부회장이다.", "김하늘은 부회장이다."),
    ],
)
def test_a_role_or_a_value_belongs_to_the_one_that_has_it(source: str, right: str, wrong: str) -> None:  # V2
    assert disagreements(right, source) == ()
    assert disagreements(wrong, source) != ()


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Mary Jones is the CEO.", "CEO Mary Jones spoke first. Mary Jones is the founder. The chairman is Tom Hall."),
        ("Oslo is the capital.", "Oslo, the capital, grew. Bergen is the second city."),
    ],
)
def test_a_role_that_stands_beside_its_name_is_its_own(statement: str, source: str) -> None:  # V2
    assert not [each for each in disagreements(statement, source) if each.kind == "subject"]
