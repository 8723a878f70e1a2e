"""Names: another one in the same place is found, another form of the same one is not (S4.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.evidence.contradictions import disagreements
from verify_material.rows import for_all_rows

NEWS = (
    "A ferry ran aground near Stavanger on Monday. Captain Lars Bekken told Coastal Radio that the radar had failed. "
    "The World Health Organization praised the French crew, and the United States sent the vessel Terrapin X2."
)
KOREAN = (
    "여객선이 통영시 앞바다에서 좌초했다. 정해성 선장은 레이더가 고장 났다고 말했다. "
    "한누리전자는 지난달 매출을 발표했다. 코르바딘은 하루 두 번 먹는다. 회의는 덴마크에서 열렸다."
)


def names(claim: str, source: str) -> list[tuple[str, str | None]]:
    return [
        (disagreement.claim_value, disagreement.source_value)
        for disagreement in disagreements(claim, source)
        if disagreement.kind == "name"
    ]


@pytest.mark.parametrize(
    ("claim", "wrong", "right"),
    [
        ("A ferry ran aground near Rotterdam on Monday.", "Rotterdam", "Stavanger"),
        ("Captain Edmund Hale told Coastal Radio that the radar had failed.", "Edmund Hale", "Lars Bekken"),
        ("Captain Lars Hale told Coastal Radio that the radar had failed.", "Lars Hale", "Lars Bekken"),
        ("Captain Lars Bekken told Harbour Trust that the radar had failed.", "Harbour Trust", "Coastal Radio"),
    ],
)
def test_another_name_in_the_same_place_is_found(claim: str, wrong: str, right: str) -> None:
    assert names(claim, NEWS) == [(wrong, right)]  # S4.4


@for_all_rows(
    ("claim", "wrong", "right"),
    [
        ("여객선이 군산시 앞바다에서 좌초했다.", "군산시", "통영시"),
        ("김도현 선장은 레이더가 고장 났다고 말했다.", "김도현", "정해성"),
        ("성문은행은 지난달 매출을 발표했다.", "성문은행", "한누리전자"),
        ("나조렐은 하루 두 번 먹는다.", "나조렐", "코르바딘"),
        ("회의는 스웨덴에서 열렸다.", "스웨덴", "덴마크"),
    ],
)
def test_another_korean_name_in_the_same_place_is_found(claim: str, wrong: str, right: str) -> None:
    assert names(claim, KOREAN) == [(wrong, right)]  # S4.4


@for_all_rows(
    "claim",
    [
        "A ship ran aground near Stavanger's harbour.",
        "Bekken told Coastal Radio that the radar had failed.",
        "Captain L. Bekken told Coastal Radio that the radar had failed.",
        "The WHO praised the French crew.",
        "The World Health Organization praised the crew from France.",
        "The U.S. sent the vessel Terrapin X2.",
        "America sent the vessel Terrapin X2.",
        "Yesterday, the Captain told Coastal Radio that the radar had failed.",
        "Additionally, Lars Bekken told Coastal Radio that the radar had failed.",
        "통영 앞바다에서 여객선이 좌초했다.",
        "정 선장은 레이더가 고장 났다고 말했다.",
        "한누리전자가 지난달 매출을 발표했다.",
        "하루 두 번 코르바딘을 먹는다.",
    ],
)
def test_another_form_of_the_same_name_raises_no_alarm(claim: str) -> None:
    assert disagreements(claim, f"{NEWS} {KOREAN}") == ()  # S4.4


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_name_is_only_ever_replaced_by_one_of_the_source(claim: str, source: str) -> None:
    assert all(right and right in source for _, right in names(claim, source))
