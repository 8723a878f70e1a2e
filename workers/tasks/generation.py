"""Pool `generation`."""

from services.core.context import StepContext
from services.generation.answer import generate
from services.verification.checks import ALIGNMENT_CHUNKS
from workers.execution.step_tasks import define_step, step_task


def _read_while_checked(context: StepContext) -> list[int]:
    """The passages that the answer is written from, and those that its checks also need."""
    return [*context.selection["selected"], *context.selection["ranked"][:ALIGNMENT_CHUNKS]]


generate_task = step_task(
    define_step(
        "generate",
        generate,
        failed={"status": "failed", "text": "", "model": None},
        fresh=True,
        reads=_read_while_checked,
    )
)
