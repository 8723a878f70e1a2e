"""`citewell workers` and `citewell tenants`: what operators see and set (A1, A7)."""

import json
import uuid

from db.queries.access.keys import get_or_add_tenant
from db.session import acting_for, system_transaction, transaction
from tests.cli.conftest import Citewell
from tests.factories import make_query
from tests.processes import living


def acme() -> int:
    with system_transaction() as session:
        return get_or_add_tenant(session, "acme", "whsec_")


def ask(tenant: int, count: int) -> list[uuid.UUID]:
    with acting_for(tenant), transaction() as session:
        return [make_query(session).id for _ in range(count)]


def test_workers_and_the_backlog_are_shown(citewell: Citewell) -> None:  # A1, A7
    assert "nothing waits" in citewell("workers").out
    ask(acme(), 3)
    with living("verification", "citations", concurrency=64):
        told = json.loads(citewell("workers", "--json").out)
        shown = citewell("workers").out
    (process,), (line,) = told["processes"], told["backlog"]
    assert (process["queues"], process["concurrency"], process["alive"]) == (["verification", "citations"], 64, True)
    assert (line["tenant"], line["queued"], line["queued_in_batches"], line["running"]) == ("acme", 3, 0, 0)
    assert 0 <= line["oldest_s"] < 60
    for word in ("verification", "alive", "acme", "oldest waits"):
        assert word in shown


def test_a_weight_is_changed_and_shown(citewell: Citewell) -> None:  # A7
    acme()
    assert citewell("tenants", "weight", "acme", "2.5").code == 0
    lines = [json.loads(line) for line in citewell("tenants", "list", "--json").out.splitlines()]
    assert lines == [{"tenant": "acme", "weight": 2.5}, {"tenant": "default", "weight": 1.0}]
    assert "no tenant 'nobody'" in citewell("tenants", "weight", "nobody", "2").complaint
    assert citewell("tenants", "weight", "acme", "0").code == 2
