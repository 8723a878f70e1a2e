"""`python -m benchmarks.cost.streaming [--rounds 12]`: how soon a client sees the first token and verdict.

The simulated provider notes when each token leaves; the client notes when an event arrives that has it. The answer has
12 sentences of about 28 tokens, as recorded answers have (the median of stanford_gensearch is 28, of hagrid 34). The
floor is a client that reads such a stream itself.
Questions come one at a time.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.cost.meter import asking, metered_stack
from benchmarks.cost.meter_cost import cost
from benchmarks.load.provider import forget, ledger, simulated_provider
from config.models import ModelSettings
from tests.e2e.stack import Stack
from tests.simulators.groq.server import KEY

THINGS = ("access tokens", "refresh cookies", "invoice archives", "audit journals", "backup drives", "visitor badges")
PLACES = ("Dublin", "Lisbon", "Oslo", "Vienna", "Prague", "Madrid")
DOCUMENT = "\n\n".join(
    f"Our rules say that {thing} are valid for {10 + number} days from the moment at which the security office has "
    f"handed them out. Our rules say that {thing} are kept in {place}, where two people of the security office look "
    "after them by turns."
    for number, (thing, place) in enumerate(zip(THINGS, PLACES, strict=True))
)
QUESTION = "? ".join(f"What do our rules say of {thing}" for thing in THINGS) + "?"
VERDICT = "sentence.verified"


@dataclass(slots=True)
class Seen:
    """One question: milliseconds from the provider to the watcher by token, and seconds since its submission."""

    latencies: list[float] = field(default_factory=list[float])
    first_text: float | None = None
    first_verdict: float | None = None
    whole: float = 0.0
    sentences: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost.streaming", description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--tokens-per-s", type=float, help="of every model; as catalogued without it")
    options = parser.parse_args()
    speed = ("--tokens-per-s", str(options.tokens_per_s)) if options.tokens_per_s else ()
    with simulated_provider(*speed) as provider:
        with metered_stack(asking(provider)) as (stack, meter):
            stack.add_text("rules.txt", DOCUMENT, workspace="bench")
            _watched(stack, provider)
            before = meter.read()
            seen = [_watched(stack, provider) for _ in range(options.rounds)]
            others = cost(before, meter.read(), 1).others_cores
            completed = [_completed(stack) for _ in range(options.rounds)]
        floor = [_read_directly(provider) for _ in range(options.rounds)]
    _print(seen, completed, floor, others)


def _watched(stack: Stack, provider: str) -> Seen:
    """Ask, and follow the events to the end. Raises RuntimeError when the question fails."""
    forget(provider)
    started, seen, text, arrived = time.time(), Seen(), "", list[tuple[float, int]]()
    asked: dict[str, Any] = {"retrieval": {"k": 10}, "rerank": {"top_k": 10}, "verification": {"max_crag_attempts": 0}}
    query_id = stack.submit(QUESTION, workspace="bench", **asked)
    for at, name, data in _events(stack, query_id):
        if name == "draft":
            text = text[: data["start"]] + data["text"]
            arrived.append((at, len(text)))
        elif name == VERDICT:
            seen.first_verdict = seen.first_verdict or at - started
        elif name == "final":
            seen.whole, seen.sentences = at - started, len(data["query"]["verification"]["sentences"])
            seen.first_text = arrived[0][0] - started
            seen.latencies = _latencies(provider, arrived)
            return seen
    raise RuntimeError(f"query {query_id} did not succeed")


def _completed(stack: Stack) -> tuple[float, float]:
    """Return the seconds until an OpenAI client has the first verified sentence, and until it has the whole answer."""
    asked = {"model": "bench", "messages": [{"role": "user", "content": QUESTION}], "stream": True}
    started, first = time.time(), None
    with stack.http.stream("POST", "/v1/chat/completions", json=asked) as stream:
        for line in stream.iter_lines():
            if first is None and _text_of(line):
                first = time.time() - started
    if first is None:
        raise RuntimeError("the completion has no text")
    return first, time.time() - started


def _latencies(provider: str, arrived: Sequence[tuple[float, int]]) -> list[float]:
    """Return the milliseconds of each token since it left the provider; `arrived` has (time, number of characters)."""
    (written,) = (call["written"] for call in ledger(provider) if call["written"])
    whole = arrived[-1][1]
    due = [(left, next(at for at, length in arrived if length >= min(wanted, whole))) for left, wanted in written]
    return [(at - left) * 1000 for left, at in due]


def _events(stack: Stack, query_id: str) -> Iterator[tuple[float, str, dict[str, Any]]]:
    name = ""
    with stack.http.stream("GET", f"/v1/queries/{query_id}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield time.time(), name, json.loads(line.removeprefix("data: "))


def _read_directly(provider: str) -> list[float]:
    """Return the milliseconds of each token of a stream without Citewell."""
    forget(provider)
    model, messages = ModelSettings().main, [{"role": "user", "content": "Count slowly. " * 60}]
    arrived, length = list[tuple[float, int]](), 0
    url, key = f"{provider}/openai/v1/chat/completions", {"authorization": f"Bearer {KEY}"}
    asked = {"model": model, "messages": messages, "stream": True}
    with httpx.stream("POST", url, json=asked, headers=key, timeout=30) as stream:
        for line in stream.iter_lines():
            if piece := _text_of(line):
                length += len(piece)
                arrived.append((time.time(), length))
    return _latencies(provider, arrived)


def _text_of(line: str) -> str:
    """Return the text that a line of a provider's stream adds."""
    if not line.startswith("data: {"):
        return ""
    choices = json.loads(line.removeprefix("data: ")).get("choices", [])
    return choices[0]["delta"].get("content") or "" if choices else ""


def _print(
    seen: Sequence[Seen], completed: Sequence[tuple[float, float]], floor: Sequence[Sequence[float]], others: float
) -> None:
    sentences = statistics.median(each.sentences for each in seen)
    table = Table(title=f"{len(seen)} questions, one at a time; answers of {sentences:.0f} sentences")
    for heading in (
        "",
        "token to watcher p50, ms",
        "p95",
        "first text, s",
        "first verdict, s",
        "of the whole",
        "whole",
    ):
        table.add_column(heading, justify="right" if heading else "left")
    direct = [each for one in floor for each in one]
    table.add_row("provider read directly", *_quantiles(direct), "", "", "", "")
    latencies = [latency for each in seen for latency in each.latencies]
    verdicts = [(each.first_verdict, each.whole) for each in seen if each.first_verdict is not None]
    cells = (
        _median([each.first_text for each in seen if each.first_text is not None], ".2f"),
        _median([at for at, _ in verdicts], ".2f"),
        _median([at / whole for at, whole in verdicts], ".0%"),
        _median([each.whole for each in seen], ".2f"),
    )
    table.add_row("Citewell's events", *_quantiles(latencies), *cells)
    table.add_row(
        "chat completions",
        "",
        "",
        "",
        _median([first for first, _ in completed], ".2f"),
        _median([first / whole for first, whole in completed], ".0%"),
        _median([whole for _, whole in completed], ".2f"),
    )
    Console(width=140).print(table)
    Console().print(f"everything else kept {others:.1f} of {psutil.cpu_count()} cores busy", highlight=False)


def _quantiles(values: Sequence[float]) -> tuple[str, str]:
    if len(values) < 2:
        return "-", "-"
    return f"{statistics.median(values):.0f}", f"{statistics.quantiles(values, n=20)[-1]:.0f}"


def _median(values: Sequence[float], form: str) -> str:
    return format(statistics.median(values), form) if values else "-"


if __name__ == "__main__":
    main()
