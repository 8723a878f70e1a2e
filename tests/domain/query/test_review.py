"""The rules that send an answer to a person, and who sees it before that person has decided (issue 44)."""

import pytest

from domain.query.workspace_rules import ReviewRules, is_withheld, reasons_for_review, strictest
from verify_material.rows import for_all_rows


@for_all_rows(
    ("rules", "confidence", "states", "reasons"),
    [
        ({}, 0.1, ["contradicted"], []),
        ({"hold": True}, 0.1, ["contradicted"], []),
        ({"confidence_below": 0.7}, 0.69, ["supported"], ["confidence"]),
        ({"confidence_below": 0.7}, 0.7, ["supported"], []),
        ({"confidence_below": 0.7}, None, [], ["confidence"]),
        ({"contradicted": True}, 0.9, ["supported", "contradicted"], ["contradicted"]),
        ({"contradicted": True}, 0.9, ["supported", "unsupported"], []),
        ({"unread": True}, 0.9, ["supported", "not_checked"], ["unread"]),
    ],
)
def test_a_rule_gives_its_reason(
    rules: dict[str, object], confidence: float | None, states: list[str], reasons: list[str]
) -> None:
    read = ReviewRules.model_validate(rules)
    assert reasons_for_review(read, confidence=confidence, states=states, conflicts=False, unread=False) == reasons


def test_conflicts_and_what_was_not_read_are_reasons_when_asked_for() -> None:
    every = ReviewRules(conflicts=True, unread=True)
    given = reasons_for_review(every, confidence=1.0, states=["supported"], conflicts=True, unread=True)
    assert given == ["conflicts", "unread"]


def test_of_several_workspaces_the_strictest_rules_hold() -> None:
    one = ReviewRules(confidence_below=0.5, hold=True, email=("a@example.org",))
    other = ReviewRules(confidence_below=0.8, conflicts=True, email=("a@example.org", "b@example.org"))
    assert strictest([one, other]) == ReviewRules(
        confidence_below=0.8, conflicts=True, hold=True, email=("a@example.org", "b@example.org")
    )


@for_all_rows(
    ("rules", "status", "review", "withheld"),
    [
        ({"contradicted": True, "hold": True}, "running", None, True),
        ({"contradicted": True, "hold": True}, "held", "held", True),
        ({"contradicted": True, "hold": True}, "failed", "rejected", True),
        ({"contradicted": True, "hold": True}, "succeeded", "corrected", True),
        ({"contradicted": True, "hold": True}, "succeeded", "released", False),
        ({"contradicted": True, "hold": True}, "succeeded", None, False),
        ({"contradicted": True}, "running", None, False),
        ({"hold": True}, "running", None, False),
        (None, "running", None, False),
    ],
)
def test_before_a_decision_only_reviewers_see_what_was_written(
    rules: dict[str, object] | None, status: str, review: str | None, withheld: bool
) -> None:
    assert is_withheld({"review": rules}, status, review) is withheld


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="email"):
        ReviewRules.model_validate({"email": ["nobody"]})
