"""All tasks, by what they work on. A task only calls a function of `services`."""

from workers.tasks import answer, graph, ingestion, maintenance, verification, webhooks

__all__ = ["answer", "graph", "ingestion", "maintenance", "verification", "webhooks"]
