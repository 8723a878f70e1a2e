"""The events of a verification: the same stream, with its own result at the end (A3, N2)."""

import json
import uuid

import httpx
import pytest

from config.settings import settings
from db.models import QueryStatus
from db.session import transaction
from services.external.acceptance import submit_verification
from services.external.request import NewSource, NewVerification
from services.finishing.completion import finish
from tests.api.problems import assert_problem
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")


def test_the_last_event_carries_the_verification(http: httpx.Client) -> None:  # A3, N2
    new = NewVerification(answer="It is so [1].", sources=[NewSource(text="It is so.")], custom_id="mine")
    verification_id = submit_verification(new, settings()).query_id
    with transaction() as session:
        finish(session, verification_id, QueryStatus.FAILED, error={"code": "gave_up", "message": "It stopped."})
    stream = http.get(f"/v1/verifications/{verification_id}/events").text
    last = stream.strip().split("\n\n")[-1]
    fields = dict(line.split(": ", 1) for line in last.splitlines())
    assert (fields["event"], fields["id"]) == ("failed", "1")
    told = json.loads(fields["data"])
    assert told["reason"] == "It stopped."
    assert told["verification"] == http.get(f"/v1/verifications/{verification_id}").json()


def test_a_question_is_no_verification(http: httpx.Client) -> None:
    with transaction() as session:
        query_id = make_query(session).id
    assert_problem(http.get(f"/v1/verifications/{query_id}/events"), 404, "verification_not_found")
    assert_problem(http.get(f"/v1/verifications/{uuid.uuid4()}/events"), 404, "verification_not_found")
