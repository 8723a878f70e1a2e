"""`python -m benchmarks.costs`: what a question costs by mode and setting, as a table.

Model calls, tokens and dollars per question, averaged over the questions of examples/ on their documents. The provider
is simulated: it answers briefly and bills tokens by counting, so compare the rows; real answers are longer. Prices are
those of the catalogue in config/models.py. No reply is shared between questions. It answers truthfully, so that nothing
is corrected or mended: what that costs is not in the table.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from config.models import ModelSettings
from tests.e2e.corpus import QUESTIONS, ingest_corpus
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.ledger import totals
from tests.simulators.groq.server import KEY, GroqSimulator

WORKSPACE, FAST = "corpus", ModelSettings().fast
_READ_WITHIN_S = 120
ROWS: dict[str, dict[str, Any]] = {
    "as it comes (hybrid search, mode balanced)": {},
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

Usage = Mapping[str, float]


def main() -> None:
    """Ask everything in every way and print the table."""
    with GroqSimulator() as simulator:
        environment = {"GROQ_API_KEY": KEY, "GROQ_BASE_URL": simulator.base_url, "CITEWELL_GRAPH__EXTRACTOR": "model"}
        with running_stack(**environment) as stack:
            documents = ingest_corpus(stack, WORKSPACE)
            _until_graphs_are_read(stack, documents)
            read = simulator.ledger.billed
            prompt, completion, _ = totals(read)
            simulator.reset()
            usual = _usage(stack, {})
            fast = sum(totals(each for each in simulator.ledger.billed if each.model == FAST)[:2]) / len(QUESTIONS)
            rows = [(name, _usage(stack, body)) for name, body in ROWS.items() if _exists(stack, body)]
    _print(rows)
    share = fast / (usual["prompt_tokens"] + usual["completion_tokens"])
    Console(width=120).print(f"The fast model's share of the tokens of a question: {share:.0%}.", highlight=False)
    Console(width=120).print(
        f"Reading the {len(documents)} documents for the knowledge graph took {len(read)} calls, {prompt:,} prompt and "
        f"{completion:,} completion tokens, once; the setting graph.extractor local or off saves them.",
        highlight=False,
    )


def _until_graphs_are_read(stack: Stack, documents: Mapping[str, str]) -> None:
    for document_id in documents.values():
        deadline = time.monotonic() + _READ_WITHIN_S
        while stack.http.get(f"/v1/documents/{document_id}").json()["graph"]["status"] in ("queued", "building"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the knowledge graph of document {document_id} was not built in time")
            time.sleep(0.1)


def _exists(stack: Stack, body: Mapping[str, Any]) -> bool:
    """Whether this version knows all fields of the row."""
    known = stack.http.get("/openapi.json").json()["components"]["schemas"]["QueryCreate"]["properties"]
    return body.keys() <= known.keys()


def _usage(stack: Stack, body: Mapping[str, Any]) -> Usage:
    found = list(_asked(stack, body))
    return {name: sum(each[name] for each in found) / len(found) for name in found[0]}


def _asked(stack: Stack, body: Mapping[str, Any]) -> Iterator[Usage]:
    for question in QUESTIONS:
        query = stack.ask(question["question"], **{"mode": question["mode"], "workspace": WORKSPACE, **body})
        if query["status"] != "succeeded":
            raise RuntimeError(f"a query failed: {query['error']}")
        yield query["usage"]


def _print(rows: list[tuple[str, Usage]]) -> None:
    table = Table(title=f"Per question, averages of {len(QUESTIONS)}")
    for heading in ("setting", "calls", "prompt tokens", "completion", "$ per 1,000", "of the default"):
        table.add_column(heading, justify="left" if heading == "setting" else "right")
    base = rows[0][1]["cost_usd"]
    for name, usage in rows:
        table.add_row(
            name,
            f"{usage['llm_calls']:.1f}",
            f"{usage['prompt_tokens']:,.0f}",
            f"{usage['completion_tokens']:,.0f}",
            f"{usage['cost_usd'] * 1000:.2f}",
            f"{usage['cost_usd'] / base:.0%}",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
