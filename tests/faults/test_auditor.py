"""Which paid calls the auditor lets a broken process lose."""

from tests.faults.auditor import may_lose
from tests.faults.trial import Allowed, Moment
from tests.simulators.groq.ledger import Entry
from verify_material.rows import for_all_rows

KILLED = Moment(1_000.0)
PROMPT = Allowed(stored_within_s=0.05)


def call(at: float, left: float) -> Entry:
    return Entry(
        "req_1", "org", "model", "check_statement", "hash", stream=False, status=200, billed=True, at=at, left=left
    )


@for_all_rows(
    ("at", "left", "is_explained"),
    [
        (999.0, 999.9, False),  # its reply was there 100 ms before the kill
        (999.0, 999.98, True),  # 20 ms before
        (999.0, 1_000.2, True),  # under way
        (999.0, 0.0, True),  # given up
        (970.0, 0.0, False),  # long before anything was broken
        (1_010.0, 1_010.5, False),  # long after
    ],
)
def test_a_call_that_ended_well_before_a_kill_must_be_in_the_books(at: float, left: float, is_explained: bool) -> None:
    assert may_lose(call(at, left), KILLED, PROMPT) is is_explained


def test_by_default_a_reply_may_take_longer_to_be_stored() -> None:
    assert may_lose(call(999.0, 999.9), KILLED, Allowed())
