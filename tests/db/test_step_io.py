"""Which commits of outcomes do not wait for the disk."""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from db import round_trips
from db.models import DEFAULT_TENANT
from db.queries.runs import queries, step_io, steps
from db.queries.runs.step_io import Claimant, ClaimRequest, Completion
from db.round_trips import call
from db.session import acting_for, transaction
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def query_id() -> uuid.UUID:
    with transaction() as session:
        found = make_query(session).id
        assert queries.mark_launched(session, found, 0) == 1
        return found


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `synchronous_commit` is at the end of each statement of these connections, which otherwise wait."""
    found: list[str] = []

    async def observed(statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        rows = await call(statement, values)
        found.extend(row[6] for row in rows if len(row) == 7)
        return rows

    monkeypatch.setattr(round_trips, "_OPTIONS", f"{round_trips._OPTIONS} -c synchronous_commit=on")  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(step_io, "call", observed)
    return found


def claim(query_id: uuid.UUID, step: str, lease_s: float = 10.0) -> dict[str, int]:
    with transaction() as session:
        return steps.claim_items(session, str(query_id), 0, step, [""], worker="w", lease_s=lease_s, launch=1)


def complete(query_id: uuid.UUID, following: str | None) -> step_io.CompletionResult:
    attempts = {("first", ""): claim(query_id, "first")[""]}
    wanted = None if following is None else ClaimRequest(0, [(following, "")], Claimant("w", 10.0, 1, 3))
    completion = Completion(str(query_id), 0, {("first", ""): {"status": "done"}}, attempts)
    with acting_for(DEFAULT_TENANT):
        return asyncio.run(step_io.complete_steps(completion, wanted))


def test_an_outcome_with_a_first_claim_behind_it_does_not_wait(query_id: uuid.UUID, waits: list[str]) -> None:  # A5
    assert complete(query_id, "second").claimed
    assert waits == ["off"]


def test_an_outcome_with_a_claim_that_is_taken_over_waits(query_id: uuid.UUID, waits: list[str]) -> None:  # A5
    before = claim(query_id, "second", lease_s=-1)
    assert complete(query_id, "second").claimed == {("second", ""): before[""] + 1}
    assert waits == ["on"]


def test_an_outcome_behind_which_another_worker_goes_on_waits(query_id: uuid.UUID, waits: list[str]) -> None:  # A5
    claim(query_id, "second")
    result = complete(query_id, "second")
    assert result.kept
    assert not result.claimed
    assert waits == ["on"]
