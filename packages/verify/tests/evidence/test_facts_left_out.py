"""A restriction in other words is none that was left out (V3)."""

from citewell_verify.evidence.contradictions import disagreements
from verify_material.rows import for_all_rows

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


@for_all_rows(("statement", "source"), KEPT)
def test_a_restriction_in_another_form_is_kept(statement: str, source: str) -> None:  # V3
    assert not {"modality", "quantifier", "negation"} & {each.kind for each in disagreements(statement, source)}
