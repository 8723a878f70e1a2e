"""The stacks that end-to-end tests share: without a key, with the simulated provider, and with all of its reports."""

from collections.abc import Generator

import pytest

from tests.e2e.observed import Observed, observed_stack
from tests.e2e.stack import Stack, offline_stack, running_stack
from tests.simulators.groq.server import KEY, GroqSimulator


@pytest.fixture(scope="session")
def offline() -> Generator[Stack]:
    """A stack without a key."""
    with offline_stack() as stack:
        yield stack


@pytest.fixture(scope="session")
def provider() -> Generator[GroqSimulator]:
    """The simulated provider's server."""
    with GroqSimulator() as simulator:
        yield simulator


@pytest.fixture(scope="session")
def groq_stack(provider: GroqSimulator) -> Generator[Stack]:
    """A stack that uses the simulated provider through the real SDK."""
    environment = {
        "GROQ_API_KEY": KEY,
        "GROQ_BASE_URL": provider.base_url,
        # Calls for a graph would be in the ledger beside those that a test counts.
        "CITEWELL_GRAPH__EXTRACTOR": "local",
        "CITEWELL_MODELS__CALL_TIMEOUT_S": "6",
        "CITEWELL_MODELS__DEADLINE_S": "9",
        # Long enough to be put off once.
        "CITEWELL_MODELS__OUTAGE_S": "1",
        # A model broken by one test must not be left alone in the next.
        "CITEWELL_MODELS__BREAKER__CALLS": "1000",
    }
    with running_stack(**environment) as stack:
        yield stack


@pytest.fixture(scope="session")
def observed() -> Generator[Observed]:
    """A stack that reports all that it does, and ends answers of which two sentences are in no source."""
    with observed_stack(CITEWELL_STREAM__STOP_UNGROUNDED_AFTER="2") as running:
        yield running


@pytest.fixture
def groq(groq_stack: Stack, provider: GroqSimulator) -> Generator[Stack]:
    """The same, with an empty ledger and no faults planned."""
    provider.reset()
    yield groq_stack
    provider.reset()
