"""The differences between a new verification and the previous one (N6)."""

from domain.audit.validity import SentenceState, compare, worse


def stated(start: int, status: str) -> SentenceState:
    return SentenceState(start, start + 5, f"s{start}", status, 0.5, "because")


def test_every_sentence_is_told_with_both_states_in_the_order_of_the_answer() -> None:  # N6
    old = [stated(0, "supported"), stated(10, "supported"), stated(20, "no_claim")]
    new = [stated(10, "contradicted"), stated(0, "supported"), stated(30, "unsupported")]
    pairs = compare(old, new)
    assert [(pair["start"], pair["changed"]) for pair in pairs] == [(0, False), (10, True), (20, True), (30, True)]
    assert pairs[1]["old"] == {"status": "supported", "support": 0.5, "reason": "because"}
    assert pairs[1]["new"]["status"] == "contradicted"
    assert pairs[2]["new"] is None
    assert pairs[3]["old"] is None


def test_worse_is_what_was_good_and_is_not() -> None:  # N7
    old = [stated(0, "supported"), stated(10, "unsupported"), stated(20, "no_claim"), stated(30, "supported")]
    new = [stated(0, "not_checked"), stated(10, "contradicted"), stated(20, "no_claim"), stated(30, "supported")]
    assert [pair["start"] for pair in worse(compare(old, new))] == [0]
