"""Pool `citations`."""

from services.generation.extraction import extract_citations
from services.retrieval.agentic_steps import research_notes
from workers.execution.step_tasks import define_step, step_task

extract_citations_task = step_task(
    define_step("extract_citations", extract_citations, failed={"status": "failed", "citations": []})
)
research_notes_task = step_task(
    define_step("research_notes", research_notes, failed={"status": "failed", "notes": [], "dropped": 0})
)
