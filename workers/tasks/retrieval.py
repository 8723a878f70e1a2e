"""Pool `retrieval`."""

from services.retrieval.agentic_steps import search
from services.retrieval.candidates import retrieve
from workers.execution.step_tasks import step_of, step_task

search_task = step_task(step_of("search", search, failed={"status": "failed", "searches": []}))
retrieve_task = step_task(step_of("retrieve", retrieve, failed={"status": "failed", "candidates": []}))
