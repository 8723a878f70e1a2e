"""Judges whether an answer answers its question (V8); the verdict is stored among the checks of its verification."""

from collections.abc import Mapping
from typing import Any

from citewell_verify.judging.shown import named_text
from citewell_verify.question.verdict import ModelJudgement, QuestionVerdict, judge_question
from domain.query.outcomes import CHECK_ALIGNMENT
from services.core.context import StepContext


def with_question_verdict(
    context: StepContext, answer: str, checks: Mapping[str, Any], *, is_shortened: bool = False
) -> dict[str, Any]:
    """Return `checks` with the verdict on `answer` added to the alignment check, which asks the model for it.

    `is_shortened` says that a repair has dropped a statement of the draft, which is what the model read. Unchanged
    where nothing was asked: there is no question (N2), or the request left that check out.
    """
    check = context.read(CHECK_ALIGNMENT)
    if check is None or check["status"] == "skipped":
        return dict(checks)
    verdict = _judged(context, answer, is_shortened=is_shortened)
    if verdict is None:
        return dict(checks)
    return {**checks, CHECK_ALIGNMENT: {**checks.get(CHECK_ALIGNMENT, {}), "question": verdict.as_json()}}


def is_question_answered(context: StepContext, answer: str, *, is_shortened: bool) -> bool:
    """Whether `answer`, of which each sentence is supported, answers the question at least in part; False where that
    was not checked."""
    check = context.read(CHECK_ALIGNMENT)
    if not answer or not check or check["status"] != "checked":
        return False
    verdict = _judged(context, answer, is_shortened=is_shortened)
    return verdict is None or verdict.relevant != "no"


def leaves_as_much_open(context: StepContext, part: str, whole: str) -> bool:
    """Whether `part` of an answer answers as much of the question as the `whole` one."""
    texts = _named_texts(context)
    left, before = (judge_question(context.question, text, texts) for text in (part, whole))
    return left is None or before is None or set(left.open_parts) <= set(before.open_parts)


def _judged(context: StepContext, answer: str, *, is_shortened: bool) -> QuestionVerdict | None:
    return judge_question(
        context.question,
        answer,
        _named_texts(context),
        model_judgement(context, is_shortened=is_shortened),
        context.query.options.refusal,
    )


def judges_by_model(context: StepContext) -> bool:
    return not context.tools.models.judges_offline


def model_judgement(context: StepContext, *, is_shortened: bool = False) -> ModelJudgement | None:
    """A model's verdict on the draft; None where none was asked or it gave none."""
    check = context.read(CHECK_ALIGNMENT)
    verdict = check["verdict"] if check else None
    # The offline provider applies the same rules as the verdict itself.
    if verdict is None or "answers" not in verdict or not judges_by_model(context):
        return None
    # The statement that is gone may be the one that answered the question.
    answers = "partly" if is_shortened and verdict["answers"] == "yes" else verdict["answers"]
    return ModelJudgement(answers, tuple(verdict.get("open_parts", ())))


def _named_texts(context: StepContext) -> list[str]:
    keys = context.selection["ranked"]
    passages = context.selected_passages() if context.query.is_external or not keys else context.passages(keys)
    return [named_text(passage) for passage in passages]
