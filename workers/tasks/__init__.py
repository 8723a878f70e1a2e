"""All tasks, one module per pool. A task only calls a function of `services`."""

from workers.tasks import (
    citations,
    generation,
    graph,
    ingestion,
    maintenance,
    reranking,
    retrieval,
    verification,
    webhooks,
)

__all__ = [
    "citations",
    "generation",
    "graph",
    "ingestion",
    "maintenance",
    "reranking",
    "retrieval",
    "verification",
    "webhooks",
]
