"""What the database may get over by itself is told apart from what is wrong."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from db.session import transaction
from domain.errors import DatabaseUnavailable
from tests.factories import make_query

pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize("state", ["40P01", "40001", "55P03", "53100", "57P01", "25006"])
def test_what_will_pass_is_worth_another_try(state: str) -> None:  # A5
    with pytest.raises(DatabaseUnavailable), transaction() as session:
        session.execute(text(f"DO $$ BEGIN RAISE EXCEPTION USING errcode = '{state}'; END $$"))


@pytest.mark.parametrize("state", ["22003", "23505", "42P01", "57014"])
def test_what_is_wrong_stays_an_error(state: str) -> None:
    with pytest.raises(DBAPIError), transaction() as session:
        session.execute(text(f"DO $$ BEGIN RAISE EXCEPTION USING errcode = '{state}'; END $$"))


def test_a_lock_that_is_held_for_too_long_is_worth_another_try() -> None:  # A5
    with transaction() as session:
        query_id = make_query(session).id
    update = text("UPDATE queries SET stage = 'x' WHERE id = :id")
    with transaction() as holder:
        holder.execute(update, {"id": query_id})
        impatient = text("SELECT set_config('lock_timeout', '50ms', true)")
        with pytest.raises(DatabaseUnavailable), transaction() as session:
            assert [session.execute(impatient), session.execute(update, {"id": query_id})]
