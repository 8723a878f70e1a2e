"""The work of `citewell parked`, in the database and without the API, because it covers all tenants."""

from rich.table import Table

from citewell.cli.actions.database import database
from citewell.cli.console import emit, out, plain, say
from citewell.cli.show.words import when
from services.operations.administration import read_parked


def show(limit: int, as_json: bool) -> None:
    with database():
        found = read_parked(limit)
    if as_json:
        for step in found:
            emit(step)
        return
    if not found:
        say("nothing is parked")
        return
    table = Table("at", "tenant", "question", "step", "item", "worker", "reason", box=None)
    for step in found:
        told = (step[name] for name in ("tenant", "query_id", "step", "item", "worker", "reason"))
        table.add_row(when(step["at"]), *map(plain, told))
    out.print(table)
