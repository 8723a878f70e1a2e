"""Rewrites a question: restated after a conversation (N9), and in variants that find more passages (S3.2)."""

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import RESTATE_QUESTION, REWRITE_QUESTION
from domain.errors.requests import QuestionInvalid
from domain.query.budget import new_queries
from domain.query.conversation import as_lines
from domain.query.outcomes import Restated, Reworded
from services.core.context import StepContext, StepResult
from services.queries.submission import checked_question

LONGEST = 1_500
"""A question with more characters is clear by itself; restating it would only cost."""
_MOST_CHARS = 4_000
NONE_WRITTEN = "the model wrote no other question"


async def restate_question(context: StepContext) -> StepResult:
    asked, turns = context.query.question, context.query.options.conversation
    if len(asked) > LONGEST:
        return StepResult.single(Restated(status="restated", question=asked))
    fields = {"conversation": as_lines(turns), "question": asked}
    reply = await context.tools.models.ask(RESTATE_QUESTION, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Restated(status="fallback", question=None, reason=reply.reason))
    try:
        question = checked_question(" ".join(reply.standalone_question.split()), _MOST_CHARS)
    except QuestionInvalid as error:
        return StepResult.single(Restated(status="fallback", question=None, reason=f"the model's is unusable: {error}"))
    if question == " ".join(asked.split()):
        return StepResult.single(Restated(status="restated", question=asked))
    event = ("question_restated", {"question": question})
    return StepResult.single(Restated(status="restated", question=question), events=[event])


async def rewrite_question(context: StepContext) -> StepResult:
    question, count = context.question, context.query.options.multi_query
    reply = await context.tools.models.ask(REWRITE_QUESTION, {"question": question, "count": count}, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Reworded(status="fallback", queries=[], reason=reply.reason))
    if not (queries := new_queries(reply.questions, [question], count)):
        return StepResult.single(Reworded(status="fallback", queries=[], reason=NONE_WRITTEN))
    event = ("question_rewritten", {"round": context.round, "queries": queries})
    return StepResult.single(Reworded(status="reworded", queries=queries), events=[event])
