"""Pool `citations`."""

from services.extraction import extract_citations
from workers.step import Step, step_task

extract_citations_task = step_task(
    Step("extract_citations", "generating", extract_citations, failed={"status": "failed", "citations": []})
)
