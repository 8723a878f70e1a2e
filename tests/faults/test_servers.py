"""A server of models that tells nonsense or sends without an end: `python -m tests.faults.servers` in short."""

from collections.abc import Generator

import pytest

from tests.faults.spoilt import MISBEHAVIOURS, WAYS, Misbehaviour, SpoiltRig, running_spoilt

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.xdist_group("spoilt")]

_SHORT = [each for each in MISBEHAVIOURS if each.name in {"usage-1e30", "headers-nothing-left", "reply-endless"}]


@pytest.fixture(scope="module")
def rig() -> Generator[SpoiltRig]:
    with running_spoilt() as running:
        yield running


@pytest.mark.parametrize("way", ["standard", "cheap", "streamed"])
@pytest.mark.parametrize("misbehaviour", _SHORT, ids=lambda each: each.name)
def test_every_query_ends_and_the_model_is_usable_again(
    rig: SpoiltRig, misbehaviour: Misbehaviour, way: str
) -> None:  # F4, F5
    outcome = rig.outcome(misbehaviour, way, 6)
    assert outcome.violations == []
    assert outcome.states.total() == 6 // WAYS[way]
