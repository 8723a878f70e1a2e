"""All tasks, one module per subject. A task only calls a function of `services`."""

from workers.tasks import ingestion, questions, webhooks

__all__ = ["ingestion", "questions", "webhooks"]
