"""A server of models that tells nonsense or sends without an end: `python -m tests.faults.servers` in short."""

from collections.abc import Generator

import pytest

from tests.faults.spoilt import MISBEHAVIOURS, WAYS, Misbehaviour, SpoiltRig, running_spoilt

pytestmark = [pytest.mark.drill, pytest.mark.timeout(300), pytest.mark.xdist_group("spoilt")]

# Each in a way of its own; `python -m tests.faults.servers` has all of them in all ways.
_SHORT = {"usage-1e30": "cheap", "headers-nothing-left": "standard", "reply-endless": "streamed"}


@pytest.fixture(scope="module")
def rig() -> Generator[SpoiltRig]:
    with running_spoilt() as running:
        yield running


@pytest.mark.parametrize("misbehaviour", [known for known in MISBEHAVIOURS if known.name in _SHORT])
def test_every_query_ends_and_the_model_is_usable_again(rig: SpoiltRig, misbehaviour: Misbehaviour) -> None:  # F4, F5
    way = _SHORT[misbehaviour.name]
    outcome = rig.outcome(misbehaviour, way, 6)
    assert outcome.violations == []
    assert outcome.states.total() == 6 // WAYS[way]
