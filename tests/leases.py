"""Leases of documents, imports and deliveries, as tests hold them."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import text

from db.session import transaction


@contextmanager
def hold(renew: Callable[[], None]) -> Generator[None]:
    """Keep a lease; here it renews only once."""
    renew()
    yield


def lose(table: str) -> Callable[[Callable[[], None]], AbstractContextManager[None]]:
    """Keep a lease that another worker has taken over, as only the renewal can see: no statement that stores."""

    def count(by: int) -> None:
        with transaction() as session:
            session.execute(text(f"UPDATE {table} SET attempt = attempt + :by"), {"by": by})

    @contextmanager
    def hold_what_is_lost(renew: Callable[[], None]) -> Generator[None]:
        count(+1)
        renew()
        count(-1)
        yield

    return hold_what_is_lost
