"""A question whose answer is spread over two documents, on a whole stack: answered over the graph, and not without
it."""

import time
from typing import Any

import pytest

from tests.e2e.corpus import assert_exact
from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

QUESTION = "Who leads the company that owns Acme Corp?"
ACME = "Acme Corp makes industrial robots. Acme Corp is owned by Beta AG."
BETA = "Beta AG thanks Maria Keller, its leader. It was founded in 1987 and has its seat in Zurich."
FIRMS = "Gamma Ltd,Delta Holding,Epsilon Works,Zeta Foods,Theta Marine,Kappa Steel,Lambda Rail".split(",")


def until_built(stack: Stack, document_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while (graph := stack.http.get(f"/v1/documents/{document_id}").json()["graph"])["status"] != "ready":
        assert graph["status"] in {"queued", "building"}, graph
        assert time.monotonic() < deadline, graph
        time.sleep(0.05)
    return graph


def test_hybrid_answers_what_naive_does_not(offline: Stack) -> None:  # S5.1
    texts = [
        ACME,
        BETA,
        *(f"{firm} is a company that leads its market, and the company that owns it." for firm in FIRMS),
    ]
    ids = [offline.add_text(f"{number}.md", text, workspace="firms") for number, text in enumerate(texts)]
    graphs = [until_built(offline, document_id) for document_id in ids]
    assert [(each["entities"], each["relations"]) for each in graphs[:2]] == [(2, 1), (3, 1)]
    asked: dict[str, Any] = {"workspace": "firms", "rerank": {"top_k": 3}}
    naive = offline.ask(QUESTION, retrieval={"graph": "naive", "k": 5}, **asked)
    assert "Keller" not in naive["answer"]
    hybrid = offline.ask(QUESTION, retrieval={"graph": "hybrid", "k": 5}, **asked)
    assert "Maria Keller, its leader" in hybrid["answer"]
    assert {"doc_0::chunk_0", "doc_1::chunk_0"} <= {each["chunk_id"] for each in hybrid["citations"]}
    assert_exact(offline, hybrid)
    verified = {"question": QUESTION, "workspace": "firms", "mode": "local"}
    told = offline.http.post("/query/verified", json=verified).raise_for_status().json()
    assert [source["filename"] for source in told["sources"]] == ["0.md", "1.md"]
