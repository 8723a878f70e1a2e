"""The differences between a new verification and the previous one (N6)."""

from domain.audit.reverification import SentenceState, compare, worse


def stated(start: int, status: str) -> SentenceState:
    return SentenceState(start, start + 5, f"s{start}", status, 0.5, "because")


def test_every_sentence_is_told_with_both_states_in_the_order_of_the_answer() -> None:  # N6
    old = [stated(0, "supported"), stated(10, "supported"), stated(20, "no_claim")]
    new = [stated(10, "contradicted"), stated(0, "supported"), stated(30, "unsupported")]
    found = compare(old, new)
    assert [(each["start"], each["changed"]) for each in found] == [(0, False), (10, True), (20, True), (30, True)]
    assert found[1]["old"] == {"status": "supported", "support": 0.5, "reason": "because"}
    assert found[1]["new"]["status"] == "contradicted"
    assert found[2]["new"] is None
    assert found[3]["old"] is None


def test_worse_is_what_was_good_and_is_not() -> None:  # N7
    old = [stated(0, "supported"), stated(10, "unsupported"), stated(20, "no_claim"), stated(30, "supported")]
    new = [stated(0, "not_checked"), stated(10, "contradicted"), stated(20, "no_claim"), stated(30, "supported")]
    assert [each["start"] for each in worse(compare(old, new))] == [0]
