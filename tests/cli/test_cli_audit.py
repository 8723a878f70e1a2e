"""`citewell audit`: prove a result, find changes, verify again (N6)."""

import json

from sqlalchemy import text

from db.session import transaction
from tests.cli.conftest import Citewell
from tests.stored import store_answered_query


def stored() -> str:
    with transaction() as session:
        return str(store_answered_query(session).id)


def test_an_untouched_result_is_ok_and_a_changed_one_is_named(citewell: Citewell) -> None:  # N6
    query_id = stored()
    outcome = citewell("audit", "verify", query_id)
    assert outcome.code == 0
    assert "OK" in outcome.out
    with transaction() as session:
        session.execute(text("UPDATE answers SET text = 'No.'"))
    outcome = citewell("audit", "verify", query_id)
    assert outcome.code == 1
    assert "answer was changed (sha256)" in outcome.out
    assert "does not hold" in outcome.err


def test_a_head_that_was_kept_is_compared(citewell: Citewell) -> None:  # N6
    query_id = stored()
    head = json.loads(citewell("audit", "verify", query_id, "--json").out)["head"]
    assert citewell("audit", "verify", query_id, "--head", head).code == 0
    assert citewell("audit", "verify", query_id, "--head", "0" * 64).code == 1


def test_the_chain_is_shown(citewell: Citewell) -> None:  # N6
    query_id = stored()
    records = [json.loads(line) for line in citewell("audit", "show", query_id, "--json").out.splitlines()]
    assert [each["record"]["seq"] for each in records] == list(range(1, len(records) + 1))
    assert "head" in citewell("audit", "show", query_id).err


def test_an_id_of_nothing_is_told(citewell: Citewell) -> None:
    outcome = citewell("audit", "verify", "00000000-0000-0000-0000-000000000000")
    assert outcome.code != 0
    assert "There is no verification" in outcome.complaint
    assert "is not the id" in citewell("audit", "replay", "x").complaint
