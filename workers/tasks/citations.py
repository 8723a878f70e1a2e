"""Pool `citations`."""

from typing import Any

from celery import Signature

from services.extraction import extract_citations
from services.research import research_notes
from services.step import StepContext
from workers import pipeline
from workers.step import Step, step_task


def draft(run: pipeline.Run, _: StepContext) -> Signature[Any]:
    """The synthesis writes, with notes or without."""
    return pipeline.drafting(run)


extract_citations_task = step_task(
    Step("extract_citations", None, extract_citations, failed={"status": "failed", "citations": []})
)
research_notes_task = step_task(
    Step(
        "research_notes",
        "researching",
        research_notes,
        failed={"status": "failed", "notes": [], "dropped": 0},
        then=draft,
    )
)
