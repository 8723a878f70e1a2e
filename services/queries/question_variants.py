"""Multi-query retrieval: rewrites the question so that more passages are found (S3.2)."""

from clients.llm.gateway import Failure
from domain.prompting.judgements import REWRITE_QUESTION
from domain.query.outcomes import Reworded
from domain.query.searches import new_queries
from services.core.context import StepContext, StepResult

NONE_WRITTEN = "the model wrote no other question"


async def rewrite_question(context: StepContext) -> StepResult:
    """Ask for `multi_query` rewritings; without a usable one the question is searched for alone."""
    question, count = context.question, context.query.options.multi_query
    reply = await context.tools.models.ask(REWRITE_QUESTION, {"question": question, "count": count}, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Reworded(status="fallback", queries=[], reason=reply.reason))
    if not (queries := new_queries(reply.questions, [question], count)):
        return StepResult.single(Reworded(status="fallback", queries=[], reason=NONE_WRITTEN))
    event = ("question_rewritten", {"round": context.round, "queries": queries})
    return StepResult.single(Reworded(status="reworded", queries=queries), events=[event])
