"""Summarises the verification of an answer in one line for people."""

from collections.abc import Mapping, Sequence
from typing import Any


def verification_line(
    states: Sequence[str] | None, removed: int, *, korean: bool, question: Mapping[str, Any] | None = None
) -> str:
    """Sum up the states of an answer's sentences, the number of removed citations, and whether it answers its question.

    `states` are those of `domain.answers.statements`' sentences (`no_claim` does not count); None: nothing was
    verified. `question` is the verdict on relevance (`domain.question.QuestionVerdict`), if there is one: a statement
    may be supported and still be no answer.
    """
    if states is None:
        return _NOT_VERIFIED_KOREAN if korean else _NOT_VERIFIED
    claims = [state for state in states if state != "no_claim"]
    unclear = bool(claims) and question is not None and question["relevant"] != "yes"
    counts = claims.count("supported"), len(claims), claims.count("not_checked"), removed, unclear
    return _in_korean(*counts) if korean else _in_english(*counts)


_NOT_VERIFIED = "Not verified."
_NOT_VERIFIED_KOREAN = "검증되지 않았습니다."


def _in_english(supported: int, all_: int, unchecked: int, removed: int, unclear: bool) -> str:
    parts = [f"{supported} of {_many(all_, 'statement')} supported"]
    if unchecked:
        parts.append(f"{unchecked} could not be checked")
    if removed:
        parts.append(f"{_many(removed, 'citation')} removed")
    if unclear:
        parts.append("it is uncertain whether the question is answered")
    return f"Verified: {'; '.join(parts)}."


def _in_korean(supported: int, all_: int, unchecked: int, removed: int, unclear: bool) -> str:
    parts = [f"진술 {all_}개 중 {supported}개가 출처로 확인됨"]
    if unchecked:
        parts.append(f"{unchecked}개는 확인하지 못함")
    if removed:
        parts.append(f"인용 {removed}개 삭제됨")
    if unclear:
        parts.append("질문에 대한 답인지는 확실하지 않음")
    return f"검증: {'; '.join(parts)}."


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
