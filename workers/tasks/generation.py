"""Pool `generation`."""

from services.generation import generate
from workers.step import Step, step_task

generate_task = step_task(
    Step("generate", "generating", generate, failed={"status": "failed", "text": "", "model": None})
)
