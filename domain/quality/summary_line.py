"""Summarises the verification of an answer in one line for people: its signal, and what is not in order."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.quality.signal import signal_in


def verification_line(signal: Mapping[str, Any] | None, states: Sequence[str], removed: int, *, korean: bool) -> str:
    """Say the signal of an answer, and how many of its sentences with these `states` failed, were not checked, and of
    its citations were removed; the signal is None from a server of an older version.
    """
    claims = [state for state in states if state != "no_claim"]
    counts = len(claims), claims.count("supported"), claims.count("not_checked"), removed
    details = _in_korean(*counts) if korean else _in_english(*counts)
    told = signal_in(signal, korean=korean) if signal else {"word": "", "reason": ""}
    said = " ".join(text for text in (f"{told['word']}." if told["word"] else "", told["reason"]) if text)
    return f"{said} {'; '.join(details)}.".strip() if details else said


def _in_english(all_: int, supported: int, unchecked: int, removed: int) -> list[str]:
    parts = [f"{supported} of {_many(all_, 'statement')} supported"] if supported < all_ else []
    if unchecked:
        parts.append(f"{unchecked} could not be checked")
    if removed:
        parts.append(f"{_many(removed, 'citation')} removed")
    return parts


def _in_korean(all_: int, supported: int, unchecked: int, removed: int) -> list[str]:
    parts = [f"진술 {all_}개 중 {supported}개가 출처로 확인됨"] if supported < all_ else []
    if unchecked:
        parts.append(f"{unchecked}개는 확인하지 못함")
    if removed:
        parts.append(f"인용 {removed}개 삭제됨")
    return parts


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
