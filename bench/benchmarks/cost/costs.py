"""`python -m benchmarks.cost.costs`: what a question costs by mode and setting, as a table.

Model calls, tokens, those that the provider's prefix cache served, and dollars per question, averaged over the
questions of examples/ on their documents; then the calls of two rows by kind. The provider is simulated, as slow as
the real one, since a call finds in the cache only what was read before it arrived. It answers briefly and bills tokens
by counting, so compare the rows; real answers are longer. Prices are those of the catalogue in config/models.py. No
reply is shared between questions. It answers truthfully, so that nothing is corrected or mended: what that costs is not
in the table.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from clients.llm.calling.request import cost_usd
from clients.llm.protocol import Usage
from config.models import ModelSettings
from tests.e2e.corpus import QUESTIONS, ingest_corpus
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.ledger import Entry, totals
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

WORKSPACE, FAST = "corpus", ModelSettings().fast
_CATALOGUE = ModelSettings().catalogue
_READ_WITHIN_S = 120
ROWS: dict[str, dict[str, Any]] = {
    "as it comes (hybrid search, mode balanced)": {},
    "as it comes, with wrong figures in the answer": {},
    "preset cheap": {"preset": "cheap"},
    "verification off": {"enable_verification": False},
    "mode low": {"mode": "low"},
    "mode high": {"mode": "high"},
    "search by vectors alone": {"retrieval": {"method": "vector"}},
    "5 passages instead of 10": {"retrieval": {"k": 5}},
    "20 passages": {"retrieval": {"k": 20}},
    "3 rewritten questions": {"retrieval": {"multi_query": 3}},
    "graph: local": {"retrieval": {"graph": "local"}},
    "graph: global": {"retrieval": {"graph": "global"}},
    "graph: hybrid": {"retrieval": {"graph": "hybrid"}},
    "graph: mix": {"retrieval": {"graph": "mix"}},
    "agentic": {"run": "agentic"},
    "multi-agent": {"run": "multiagent"},
}

LYING = "as it comes, with wrong figures in the answer"
_BY_KIND = (next(iter(ROWS)), LYING)


@dataclass(frozen=True, slots=True)
class Bill:
    """The calls of some questions as the provider has billed them."""

    entries: Sequence[Entry]
    questions: int

    def per_question(self) -> "Row":
        prompt, completion, cached = totals(self.entries)
        cost = sum(float(_price(entry)) for entry in self.entries)
        return Row(*(each / self.questions for each in (len(self.entries), prompt, cached, completion, cost)))

    def of_model(self, model: str) -> "Bill":
        return Bill([entry for entry in self.entries if entry.model == model], self.questions)

    def by_kind(self) -> dict[str, "Row"]:
        """Return the same sums for the calls of each kind, the most expensive first."""
        kinds = {entry.kind for entry in self.entries}
        found = {k: Bill([e for e in self.entries if e.kind == k], self.questions).per_question() for k in kinds}
        return dict(sorted(found.items(), key=lambda each: -each[1].cost))


class Row(NamedTuple):
    """The figures of one question."""

    calls: float
    prompt: float
    cached: float
    completion: float
    cost: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost.costs", description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="the provider's cache is empty before each question")
    parser.add_argument("--least-cached", type=int, default=0, help="tokens of the shortest beginning that is cached")
    parser.add_argument("--only", action="append", metavar="SETTING", help="rows whose name begins so, and the first")
    options = parser.parse_args()
    accounts = {KEY: Account("org_simulated", Limits.none())}
    with GroqSimulator(
        time_scale=1, accounts=accounts, cached_tokens=True, least_cached=options.least_cached
    ) as simulator:
        environment = {"GROQ_API_KEY": KEY, "GROQ_BASE_URL": simulator.base_url, "CITEWELL_GRAPH__EXTRACTOR": "model"}
        with running_stack(**environment) as stack:
            documents = ingest_corpus(stack, WORKSPACE)
            _until_graphs_are_read(stack, documents)
            read = Bill(simulator.ledger.billed, 1).per_question()
            bills = {
                name: _bill(stack, simulator, body, fresh=options.fresh, lying=name == LYING)
                for name, body in ROWS.items()
                if _is_wanted(name, options.only) and _exists(stack, body)
            }
    _report(bills, fresh=options.fresh)
    Console(width=120).print(
        f"Reading the {len(documents)} documents for the knowledge graph took {read.calls:.0f} calls, "
        f"{read.prompt:,.0f} prompt ({read.cached:,.0f} cached) and {read.completion:,.0f} completion tokens, once; "
        "the setting graph.extractor local or off saves them.",
        highlight=False,
    )


def _report(bills: Mapping[str, Bill], *, fresh: bool) -> None:
    first = next(iter(bills.values()))
    usual, fast = first.per_question(), first.of_model(FAST).per_question()
    asked = "each by itself" if fresh else "one after another"
    _print(
        f"Per question, averages of {len(QUESTIONS)}, {asked}",
        {name: bill.per_question() for name, bill in bills.items()},
        usual,
    )
    for name in (name for name in _BY_KIND if name in bills):
        _print(f"By kind of call: {name}", bills[name].by_kind(), usual)
    share = (fast.prompt + fast.completion) / (usual.prompt + usual.completion)
    Console(width=120).print(f"The fast model's share of the tokens of a question: {share:.0%}.", highlight=False)


def _is_wanted(name: str, only: Sequence[str] | None) -> bool:
    return not only or name == next(iter(ROWS)) or any(name.startswith(each) for each in only)


def _until_graphs_are_read(stack: Stack, documents: Mapping[str, str]) -> None:
    for document_id in documents.values():
        deadline = time.monotonic() + _READ_WITHIN_S
        while stack.http.get(f"/v1/documents/{document_id}").json()["graph"]["status"] in ("queued", "building"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the knowledge graph of document {document_id} was not built in time")
            time.sleep(0.1)


def _exists(stack: Stack, body: Mapping[str, Any]) -> bool:
    """Return whether this version knows all fields of the row."""
    known = stack.http.get("/openapi.json").json()["components"]["schemas"]["QueryCreate"]["properties"]
    return body.keys() <= known.keys()


def _bill(stack: Stack, simulator: GroqSimulator, body: Mapping[str, Any], *, fresh: bool, lying: bool) -> Bill:
    entries: list[Entry] = []
    simulator.reset()
    for question in QUESTIONS:
        if lying:
            simulator.fail(Fault(kind=FaultKind.LYING, match="generate_answer"))
        query = stack.ask(question["question"], **{"mode": question["mode"], "workspace": WORKSPACE, **body})
        if query["status"] != "succeeded":
            raise RuntimeError(f"a query failed: {query['error']}")
        if fresh:
            entries += simulator.ledger.billed
            simulator.reset()
    return Bill(entries + simulator.ledger.billed, len(QUESTIONS))


def _price(entry: Entry) -> Decimal:
    usage = Usage(entry.prompt_tokens, entry.completion_tokens, entry.cached_tokens)
    return cost_usd(entry.model, usage, _CATALOGUE)


def _print(title: str, rows: Mapping[str, Row], base: Row) -> None:
    table = Table(title=title)
    for heading in ("", "calls", "prompt tokens", "of these cached", "completion", "$ per 1,000", "of the first"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, row in rows.items():
        table.add_row(
            name,
            f"{row.calls:.1f}",
            f"{row.prompt:,.0f}",
            f"{row.cached:,.0f}",
            f"{row.completion:,.0f}",
            f"{row.cost * 1000:.2f}",
            f"{row.cost / base.cost:.0%}",
        )
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
