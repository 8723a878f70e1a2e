"""Analyses what a question asks and names, and whether an answer answers it (V8)."""

from domain.question.named_things import missing_things
from domain.question.nearest import mentions, why_refused
from domain.question.question_parts import is_greeting
from domain.question.relevance import answer_relevance
from domain.question.verdict import ModelJudgement, QuestionVerdict, judge_question, question_of

__all__ = [
    "ModelJudgement",
    "QuestionVerdict",
    "answer_relevance",
    "is_greeting",
    "judge_question",
    "mentions",
    "missing_things",
    "question_of",
    "why_refused",
]
