"""The traces that are sent when only a share of them is wanted (A9)."""

import random
import uuid
from collections.abc import Generator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio

from clients.telemetry.tracing import following, use_provider

IDS = [uuid.UUID(int=random.Random(number).getrandbits(128), version=4) for number in range(400)]


@pytest.fixture(params=[0.1, 0.5, 0.9])
def share(request: pytest.FixtureRequest) -> Generator[float]:
    use_provider(TracerProvider(sampler=ParentBasedTraceIdRatio(request.param), shutdown_on_exit=False))
    yield request.param
    use_provider(None)


def is_sampled(row_id: uuid.UUID) -> bool:
    with following(None, row_id):
        current = trace.get_current_span().get_span_context()
        assert current.trace_id == row_id.int
        return current.trace_flags.sampled


def test_of_traces_with_the_id_of_a_row_the_wanted_share_is_sent(share: float) -> None:  # A9
    sent = [is_sampled(row_id) for row_id in IDS]
    assert sum(sent) / len(sent) == pytest.approx(share, abs=0.06)
    # Every process decides the same.
    assert [is_sampled(row_id) for row_id in IDS] == sent
