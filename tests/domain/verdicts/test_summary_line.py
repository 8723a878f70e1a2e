"""The line that summarises a verification (N9)."""

import pytest

from domain.verdicts.summary_line import verification_line

SAID = ["supported", "no_claim", "supported", "contradicted", "not_checked"]


@pytest.mark.parametrize(
    ("states", "removed", "english", "korean"),
    [
        (None, 0, "Not verified.", "검증되지 않았습니다."),
        (["supported"], 0, "Verified: 1 of 1 statement supported.", "검증: 진술 1개 중 1개가 출처로 확인됨."),
        (
            SAID,
            1,
            "Verified: 2 of 4 statements supported; 1 could not be checked; 1 citation removed.",
            "검증: 진술 4개 중 2개가 출처로 확인됨; 1개는 확인하지 못함; 인용 1개 삭제됨.",
        ),
        (
            ["no_claim"],
            2,
            "Verified: 0 of 0 statements supported; 2 citations removed.",
            "검증: 진술 0개 중 0개가 출처로 확인됨; 인용 2개 삭제됨.",
        ),
    ],
)
def test_it_counts_claims_and_what_became_of_them(
    states: list[str] | None, removed: int, english: str, korean: str
) -> None:  # N9
    assert verification_line(states, removed, korean=False) == english
    assert verification_line(states, removed, korean=True) == korean


def test_a_supported_statement_that_may_be_no_answer_is_not_told_without_that() -> None:  # V9
    for relevant, english, korean in (
        ("yes", "1 of 1 statement supported.", "진술 1개 중 1개가 출처로 확인됨."),
        (
            "partly",
            "1 of 1 statement supported; it is uncertain whether the question is answered.",
            "진술 1개 중 1개가 출처로 확인됨; 질문에 대한 답인지는 확실하지 않음.",
        ),
    ):
        verdict = {"relevant": relevant}
        assert verification_line(["supported"], 0, korean=False, question=verdict) == f"Verified: {english}"
        assert verification_line(["supported"], 0, korean=True, question=verdict) == f"검증: {korean}"
    assert "uncertain" not in verification_line(["no_claim"], 0, korean=False, question={"relevant": "no"})
