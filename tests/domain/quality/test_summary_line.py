"""The line that summarises a verification (N9)."""

import pytest

from domain.quality.signal import signal_of
from domain.quality.summary_line import verification_line

SAID = ["supported", "no_claim", "supported", "contradicted", "not_checked"]


@pytest.mark.parametrize(
    ("states", "removed", "english", "korean"),
    [
        (
            None,
            0,
            "Not checked. Nothing in this answer was checked against its sources.",
            "확인 안 됨. 출처와 대조한 내용이 없습니다.",
        ),
        (
            ["supported"],
            0,
            "Quoted exactly; may not be what you asked. Shared words alone cannot say whether it answers the question.",
            "원문 그대로 인용, 질문의 답이 아닐 수 있음. 겹치는 낱말만으로는 질문의 답인지 알 수 없습니다.",
        ),
        (
            SAID,
            1,
            "Not proven. The sources contradict some of it. 2 of 4 statements supported; 1 could not be checked; "
            "1 citation removed.",
            "입증되지 않음. 출처와 다른 내용이 있습니다. 진술 4개 중 2개가 출처로 확인됨; 1개는 확인하지 못함; "
            "인용 1개 삭제됨.",
        ),
        (
            ["no_claim"],
            2,
            "Nothing claimed. It says nothing that a source could prove. 2 citations removed.",
            "주장 없음. 출처로 입증할 주장이 없습니다. 인용 2개 삭제됨.",
        ),
    ],
)
def test_it_says_the_signal_and_what_is_not_in_order(
    states: list[str] | None, removed: int, english: str, korean: str
) -> None:  # N9, V10
    signal = signal_of(
        states,
        0.49,
        {"relevant": "partly", "complete": True, "probability": 0.5},
        is_asked=True,
        is_measured=True,
        wording="quoted",
        abstained=False,
    ).as_json()
    assert verification_line(signal, states or [], removed, korean=False) == english
    assert verification_line(signal, states or [], removed, korean=True) == korean
