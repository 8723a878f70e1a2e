"""Restates a question that follows earlier ones in words that stand alone, without a model (N9)."""

from domain.question.follow_up.standalone import standalone_question

__all__ = ["standalone_question"]
