"""All tasks, by what they work on. A task only calls a function of `services`."""

from workers.tasks import answer, ingestion, verification, webhooks

__all__ = ["answer", "ingestion", "verification", "webhooks"]
