"""The measurements of one system in one round, and the figures that follow from the ledger of its model calls."""

from dataclasses import dataclass, field
from statistics import median
from typing import Any

from benchmarks.rivals.work import named

_AT_ONCE_S = 0.003


@dataclass(frozen=True, slots=True)
class Cell:
    """A run with this many queries in flight. CPU in milliseconds per query; `others` are the cores that other programs
    kept busy."""

    in_flight: int
    ended: int
    failed: int
    unfinished: int
    seconds: float
    per_second: float
    p50: float
    own_cpu_ms: float
    servers_cpu_ms: float
    models_cpu_ms: float
    others: float
    error: str


@dataclass(frozen=True, slots=True)
class Single:
    """One query alone: seconds, `path` the seconds of its critical path, `first` until the first verdict."""

    seconds: float
    path: float
    first: float | None
    calls: int
    prompt_tokens: int
    names: str


@dataclass(slots=True)
class Round:
    """One start of one system."""

    system: str
    start_s: float = 0.0
    singles: list[Single] = field(default_factory=list[Single])
    cells: list[Cell] = field(default_factory=list[Cell])
    peak_mb: dict[str, float] = field(default_factory=dict[str, float])
    load_before: float = 0.0
    load_after: float = 0.0
    others: float = 0.0
    skipped: str = ""


def singles(lines: list[dict[str, Any]], ledger: list[dict[str, Any]]) -> list[Single]:
    """Return the results of queries that were asked one after the other."""
    found: list[Single] = []
    for line in lines:
        calls = [call for call in ledger if 0 <= call["arrived"] - line["began"] <= line["seconds"]]
        if line["error"] or not calls:
            continue
        names = "only that something is wrong" if _whole_only(line) else named(line["flagged"])
        tokens = sum(call["prompt_tokens"] for call in calls)
        found.append(Single(line["seconds"], critical_path(calls), line["first"], len(calls), tokens, names))
    return found


def critical_path(calls: list[dict[str, Any]]) -> float:
    """Return the seconds of the longest chain of calls in which each began when the one before had ended.

    It goes back from the call that ended last. For an answer that is streamed, the part that was written until the next
    call began counts. The times are the model's own, so the time that the system adds between and beside them is not
    included.
    """
    call = max(calls, key=_end)
    seconds = call["seconds"]
    while before := [other for other in calls if _led_to(other, call)]:
        last = max(before, key=lambda other: min(_end(other), call["arrived"]))
        seconds += min(last["seconds"], call["arrived"] - last["arrived"])
        call = last
    return seconds


def _end(call: dict[str, Any]) -> float:
    return call["arrived"] + call["seconds"]


def _led_to(other: dict[str, Any], call: dict[str, Any]) -> bool:
    if other["streamed"] and not call["streamed"]:
        return call["arrived"] - other["arrived"] > 0.25  # before the first token no call can follow
    return _end(other) <= call["arrived"] + _AT_ONCE_S and other is not call


def cell_of(lines: list[dict[str, Any]], in_flight: int, cpu_s: dict[str, float], others: float) -> Cell:
    """Sum up the lines of one cell."""
    told = lines[-1]["cell"]
    good = [line for line in lines[:-1] if not line["error"]]
    each = 1000 / max(1, len(good))
    return Cell(
        in_flight=in_flight,
        ended=len(good),
        failed=told["ended"] - len(good),
        unfinished=told["unfinished"],
        seconds=told["seconds"],
        per_second=len(good) / told["seconds"],
        p50=median(line["seconds"] for line in good) if good else 0.0,
        own_cpu_ms=cpu_s["own"] * each,
        servers_cpu_ms=cpu_s["servers"] * each,
        models_cpu_ms=cpu_s["models"] * each,
        others=others,
        error=next((line["error"] for line in lines[:-1] if line["error"]), ""),
    )


def _whole_only(line: dict[str, Any]) -> bool:
    return line["grounded"] is False and not line["flagged"]
