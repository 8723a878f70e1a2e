"""`python -m benchmarks.cost.guard [--rounds 10]`: what the guard's proxy adds to an answer of ten sentences.

A simulated model writes a word every 20 ms; the baseline is the same stream without the guard, in the same run. A
sentence's delay is the time from its last word leaving the model to its arrival at the client: the next word, with
which a sentence is known to have ended, included. Offline, rules judge; with `--model`, a simulated judge does, whose
calls take as long as at a provider.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Generator
from contextlib import contextmanager

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks.load.provider import simulated_provider
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.server import KEY
from tests.simulators.writer import Writer

THINGS = ("tokens", "cookies", "archives", "journals", "drives", "badges", "keys", "cards", "forms", "letters")
SENTENCES = [f"The office keeps {thing} for {10 + number} days." for number, thing in enumerate(THINGS)]
ANSWER = " ".join(SENTENCES)
PAUSE_S = 0.02
_CALL = {"id": "t1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
MESSAGES = [
    {"role": "user", "content": "How long?"},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "t1", "content": ANSWER},
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost.guard", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--model", action="store_true", help="a simulated model judges")
    options = parser.parse_args()
    with Writer() as writer, _stack(writer, with_model=options.model) as stack:
        guarded, direct = f"{stack.supervisor.url}/v1/guard", f"{writer.origin}/v1"
        _delays(guarded, writer)
        rounds = [(_delays(direct, writer), _delays(guarded, writer)) for _ in range(options.rounds)]
    judge = "a simulated model" if options.model else "rules, offline"
    load = os.getloadavg()[0]
    table = Table(title=f"ten sentences, {options.rounds} rounds; {judge} judge; load average {load:.1f}")
    for column in ("", "first sentence, ms p50", "max", "every sentence, ms p50", "p95", "whole answer, s p50"):
        table.add_column(column)
    for name, place in (("without the guard", 0), ("behind the guard", 1)):
        seen = [pair[place] for pair in rounds]
        first, every = [delays[0] for delays, _ in seen], sorted(delay for delays, _ in seen for delay in delays)
        whole = statistics.median(seconds for _, seconds in seen)
        cells = (statistics.median(first), max(first), statistics.median(every), every[int(len(every) * 0.95)])
        table.add_row(name, *(f"{ms:.0f}" for ms in cells), f"{whole:.2f}")
    Console(width=140).print(table)


@contextmanager
def _stack(writer: Writer, *, with_model: bool) -> Generator[Stack]:
    upstream = {"CITEWELL_GUARD__UPSTREAM_URL": f"{writer.origin}/v1"}
    if not with_model:
        with running_stack(**upstream) as stack:
            yield stack
        return
    with (
        simulated_provider() as provider,
        running_stack(**upstream, GROQ_API_KEY=KEY, GROQ_BASE_URL=provider) as stack,
    ):
        yield stack


def _delays(url: str, writer: Writer) -> tuple[list[float], float]:
    """Return milliseconds from each sentence's last word to the client, and seconds for the whole answer."""
    writer.sent_at.clear()
    body = {"model": "writer", "messages": MESSAGES, "stream": True, "say": ANSWER, "pause_s": PAUSE_S}
    began, arrived, text = time.time(), list[tuple[int, float]](), ""
    with httpx.stream("POST", f"{url}/chat/completions", json=body, timeout=120) as answer:
        for line in answer.iter_lines():
            if not line.startswith("data: {"):
                continue
            choices = json.loads(line.removeprefix("data: "))["choices"]
            if choices and (words := choices[0]["delta"].get("content")):
                text += words
                arrived.append((len(text), time.time()))
    whole = time.time() - began
    if text.strip() != ANSWER:
        raise RuntimeError(f"the guard let something else through: {text!r}")
    delays: list[float] = []
    end = written = 0
    left = iter(writer.sent_at)
    for sentence in SENTENCES:
        end += len(sentence) + (end > 0)
        at = 0.0
        while written < end:
            word, at = next(left)
            written += len(word)
        delays.append(1000 * (next(when for size, when in arrived if size >= end) - at))
    return delays, whole


if __name__ == "__main__":
    main()
