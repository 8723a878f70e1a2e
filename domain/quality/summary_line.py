"""The verification of an answer in a few sentences for people, in English or Korean."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.quality.signal import signal_in


def verification_line(signal: Mapping[str, Any] | None, states: Sequence[str], removed: int, *, korean: bool) -> str:
    """Return the signal of an answer in words, with the numbers of its sentences that failed or were not checked,
    counted in `states`, and of its `removed` citations. The signal is None for a query without a result.
    """
    claims = [state for state in states if state != "no_claim"]
    counts = len(claims), claims.count("supported"), claims.count("not_checked"), removed
    details = _in_korean(*counts) if korean else _in_english(*counts)
    shown = signal_in(signal, korean=korean) if signal else {"word": "", "reason": ""}
    said = " ".join(text for text in (f"{shown['word']}." if shown["word"] else "", shown["reason"]) if text)
    return f"{said} {'; '.join(details)}.".strip() if details else said


def explained(
    signal: Mapping[str, Any], calibration: Mapping[str, Any] | None, *, asked: bool = True, korean: bool = False
) -> str:
    """Return the reason of a signal, and explain its number: which probability it is, and who measured it.

    `calibration` is that of the verification; without one the number is the model's own.
    """
    shown = signal_in(signal, korean=korean)
    if (number := shown["probability"]) is None:
        return shown["reason"]
    if korean:
        claim = "문서가 모두 뒷받침하고 질문에 답할 확률" if asked else "출처가 모두 뒷받침할 확률"
        return f"{shown['reason']} {claim}{'' if calibration else '(모델이 스스로 매긴 값)'}: {number:.2f}."
    claim = "the documents say all of it and that it answers the question" if asked else "the sources say all of it"
    return f"{shown['reason']} Probability that {claim}{'' if calibration else ', as the model puts it'}: {number:.2f}."


def verifier_note(calibration: Mapping[str, Any] | None, *, korean: bool = False) -> str:
    """Return the measured error rates of this verifier, or the reason why they do not hold here; "" for neither."""
    if calibration is None:
        return ""
    if reason := calibration.get("reason"):
        return "이런 답변이 얼마나 자주 맞는지는 측정되지 않았습니다." if korean else reason
    if calibration.get("false_pass") is None or not calibration.get("holds"):
        return ""
    passed = round(100 * calibration["false_pass"])
    if korean:
        return f"이 검증기는 출처에 근거가 없는 문장 100개 가운데 약 {passed}개를 근거가 있다고 판정합니다."
    return f"Of 100 statements that the sources do not support, this verifier calls about {passed} supported."


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
