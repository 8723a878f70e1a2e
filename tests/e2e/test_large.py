"""The largest allowed requests beside another tenant's small ones; `python -m tests.large` measures all of them."""

import pytest

from tests.e2e.stack import Stack
from tests.large.beside import Memory, with_tenants
from tests.large.shapes import SHAPES

pytestmark = pytest.mark.slow

_DEADLINE_S = 4.0
# An idle machine needs less than two; this one may be busy with anything.
_LATE_S = 20.0


@pytest.mark.parametrize("name", ["one letter repeated", "3,100 short sentences"])
def test_a_large_request_ends_in_time_and_holds_nobody_up(offline: Stack, name: str) -> None:  # F1, F2
    memory = Memory()
    with with_tenants(offline) as rig:
        measured = rig.measure(next(shape for shape in SHAPES if shape.name == name), _DEADLINE_S, memory)
    assert measured.state in ("succeeded", "failed deadline_exceeded")
    assert measured.ended_s < _DEADLINE_S + _LATE_S
    # Before, not one of them ended as long as the large one lasted.
    assert measured.within >= 1 or measured.state == "succeeded"
    assert 0 < memory.most < 600e6, memory
