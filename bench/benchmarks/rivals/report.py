"""The result table: a line per system, for the terminal and as Markdown."""

from collections.abc import Callable, Sequence
from statistics import median

from rich.console import Console
from rich.table import Table

from benchmarks.rivals.results import Cell, Round, Single
from benchmarks.rivals.systems import System

_WIDTH = 190


def rows(systems: Sequence[System], rounds: Sequence[Round], in_flight: Sequence[int]) -> list[list[str]]:
    """Return headings, then a row per system. A spread over rounds stands after its median, in brackets."""
    cpu_at = in_flight[len(in_flight) // 2]
    headings = ["system", "one query, s p50 / p95", "x own critical path", "first verdict, s", "model calls"]
    headings += ["prompt tokens", f"CPU-ms/query at {cpu_at} (+ servers)"]
    headings += [f"queries/s, {number} in flight" for number in in_flight]
    headings += ["peak MB (+ servers)", "names the bad claim"]
    return [headings, *(_row(system, rounds, in_flight, cpu_at) for system in systems)]


def show(table: list[list[str]]) -> None:
    shown = Table(title="The same passages, question, simulated models and machine", show_lines=True)
    for number, heading in enumerate(table[0]):
        shown.add_column(heading, justify="right" if number else "left", overflow="fold")
    for row in table[1:]:
        shown.add_row(*row)
    Console(width=_WIDTH).print(shown)


def as_markdown(table: list[list[str]]) -> str:
    """Return the same table for docs/internals/performance.md."""
    lines = ["| " + " | ".join(row) + " |" for row in table]
    return "\n".join([lines[0], "|---" * len(table[0]) + "|", *lines[1:], ""])


def _row(system: System, rounds: Sequence[Round], in_flight: Sequence[int], cpu_at: int) -> list[str]:
    own = [each for each in rounds if each.system == system.name]
    done = [each for each in own if each.singles]
    if not done:
        told = next((each.skipped for each in own if each.skipped), "no query succeeded")
        return [system.title, f"skipped: {told}", *[""] * (7 + len(in_flight))]
    alone = [single for each in done for single in each.singles]
    return [
        system.title,
        f"{_p(alone, 0.5):.2f} / {_p(alone, 0.95):.2f}",
        _spread([median(single.seconds / single.path for single in each.singles) for each in done], 2),
        _first(alone),
        f"{median(single.calls for single in alone):g}",
        f"{median(single.prompt_tokens for single in alone):.0f}",
        _with_servers(done, cpu_at),
        *(_rate(done, number) for number in in_flight),
        _memory(done),
        ", ".join(sorted({single.names for single in alone})),
    ]


def _p(alone: Sequence[Single], share: float) -> float:
    ordered = sorted(single.seconds for single in alone)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _first(alone: Sequence[Single]) -> str:
    firsts = [(single.first, single.first / single.seconds) for single in alone if single.first is not None]
    if not firsts:
        return "-"
    return f"{median(first for first, _ in firsts):.2f} = {median(share for _, share in firsts):.0%}"


def _with_servers(done: Sequence[Round], cpu_at: int) -> str:
    """Return the share at that load, or at the largest load below it at which all work ended: unfinished work has no
    share."""
    cells = [cell for each in done for cell in each.cells if cell.in_flight <= cpu_at]
    unfinished = {cell.in_flight for cell in cells if cell.unfinished or not cell.ended}
    at = max({cell.in_flight for cell in cells} - unfinished, default=0)
    if not at:
        return "-"
    own = _spread(_of_cells(done, at, lambda cell: cell.own_cpu_ms), 0)
    servers = median(_of_cells(done, at, lambda cell: cell.servers_cpu_ms))
    told = f"{own} + {servers:.0f}" if servers else own
    return told if at == cpu_at else f"{told}, at {at}"


def _rate(done: Sequence[Round], in_flight: int) -> str:
    told = _spread(_of_cells(done, in_flight, lambda cell: cell.per_second), 1)
    cells = [cell for each in done for cell in each.cells if cell.in_flight == in_flight]
    failed, late = sum(cell.failed for cell in cells), sum(cell.unfinished for cell in cells)
    return told + (f", {failed} failed" if failed else "") + (f", {late} unfinished" if late else "")


def _of_cells(done: Sequence[Round], in_flight: int, figure: Callable[[Cell], float]) -> list[float]:
    return [figure(cell) for each in done for cell in each.cells if cell.in_flight == in_flight and cell.ended]


def _memory(done: Sequence[Round]) -> str:
    own, servers = (max(each.peak_mb[name] for each in done) for name in ("own", "servers"))
    return f"{own:.0f} + {servers:.0f}" if servers else f"{own:.0f}"


def _spread(values: Sequence[float], digits: int) -> str:
    if not values:
        return "none ended"
    middle = f"{median(values):.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.{digits}f}-{max(values):.{digits}f})"
