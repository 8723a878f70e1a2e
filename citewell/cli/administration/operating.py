"""`citewell workers`, `tenants` and `parked`, in the database and without the API, because they cover all tenants."""

from rich.table import Table

from citewell.cli.console import emit, out, plain, say
from citewell.cli.database import database
from citewell.cli.show.words import when
from services.operations import administration


def show_workers(as_json: bool) -> None:
    with database():
        processes, backlog = administration.read_processes(), administration.read_backlog()
    if as_json:
        emit({"processes": processes, "backlog": backlog})
        return
    table = Table("host", "pid", "queues", "at a time", "since", "seen", "state", box=None)
    for process in processes:
        seen, state = f"{process['seen_s_ago']:.0f} s ago", "alive" if process["alive"] else "dead"
        cells = (
            process["host"],
            process["pid"],
            " ".join(process["queues"]),
            process["concurrency"],
            when(process["started_at"]),
        )
        table.add_row(*(plain(str(cell)) for cell in (*cells, seen, state)))
    out.print(table if processes else "no worker process was seen within the last hour")
    out.print()
    table = Table("tenant", "weight", "queued", "in batches", "running", "oldest waits", box=None)
    for line in backlog:
        oldest = "" if line["oldest_s"] is None else f"{line['oldest_s']:.0f} s"
        cells = f"{line['weight']:g}", line["queued"], line["queued_in_batches"], line["running"], oldest
        table.add_row(plain(line["tenant"]), *map(str, cells))
    out.print(table if backlog else "nothing waits and nothing runs")


def show_tenants(as_json: bool) -> None:
    with database():
        tenants = administration.read_tenants()
    if as_json:
        for name, weight in tenants:
            emit({"tenant": name, "weight": weight})
        return
    table = Table("tenant", "weight", box=None)
    for name, weight in tenants:
        table.add_row(plain(name), f"{weight:g}")
    out.print(table)


def change_weight(tenant: str, weight: float) -> None:
    with database():
        administration.change_weight(tenant, weight)
    say(f"tenant {tenant} has the weight {weight:g} from the next start on")


def show_parked(limit: int, as_json: bool) -> None:
    with database():
        parked = administration.read_parked(limit)
    if as_json:
        for step in parked:
            emit(step)
        return
    if not parked:
        say("nothing is parked")
        return
    table = Table("at", "tenant", "question", "step", "item", "worker", "reason", box=None)
    for step in parked:
        cells = (step[name] for name in ("tenant", "query_id", "step", "item", "worker", "reason"))
        table.add_row(when(step["at"]), *map(plain, cells))
    out.print(table)
