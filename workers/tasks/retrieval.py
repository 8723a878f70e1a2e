"""Pool `retrieval`."""

from services.retrieval.agentic_steps import search
from services.retrieval.candidates import retrieve
from workers.execution.step_tasks import define_step, step_task

search_task = step_task(define_step("search", search, failed={"status": "failed", "searches": []}))
retrieve_task = step_task(define_step("retrieve", retrieve, failed={"status": "failed", "candidates": []}))
