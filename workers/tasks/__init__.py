"""All tasks, a module per pool. A task is a doorway: what it does is a function of `services`."""

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
