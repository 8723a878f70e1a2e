"""Substitution: a wrong value is replaced by the source's, and the sentence stays grammatical (S4.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.correction.substitution import corrected, substituted
from domain.evidence.contradictions import Disagreement, disagreements

SOURCE = "The lease runs for 24 months and costs $1,850 in Leeds. 계약 기간은 24개월이고 보증금은 500만 원이다."


def wrong(old: str, new: str | None) -> Disagreement:
    return Disagreement("number", old, new, "")


@pytest.mark.parametrize(
    ("claim", "old", "new", "expected"),
    [
        ("It lasts 14 days.", "14 days", "30 days", "It lasts 30 days."),
        ("It costs $5, or $50 a year.", "$5", "$7", "It costs $7, or $50 a year."),
        ("서울은 수도다.", "서울", "제주", "제주는 수도다."),
        ("대구가 가깝다.", "대구", "부산", "부산이 가깝다."),
        ("부산을 떠나 왔다.", "부산", "대구", "대구를 떠나 왔다."),
        ("대구와 가깝다.", "대구", "부산", "부산과 가깝다."),
        ("부산으로 옮겼다.", "부산", "서울", "서울로 옮겼다."),
        ("서울로부터 왔다.", "서울", "부산", "부산으로부터 왔다."),
        ("비율은 5%를 넘는다.", "5%", "6%", "비율은 6%를 넘는다."),
        ("버전 2는 빠르다.", "2", "3", "버전 3은 빠르다."),
        ("기한은 14일이다.", "14일", "3주", "기한은 3주이다."),
    ],
)
def test_a_wrong_value_is_replaced_and_the_particle_fits(claim: str, old: str, new: str, expected: str) -> None:
    assert substituted(claim, [wrong(old, new)]) == expected  # S4.4


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("It lasts 14 days.", []),
        ("It lasts 14 days.", [wrong("14 days", None)]),
        ("It lasts 14 days and costs $5.", [wrong("14 days", "30 days"), wrong("$5", None)]),
        ("It is not required.", [wrong("required", "required")]),
        ("It lasts 14 days.", [wrong("15 days", "30 days")]),
        ("It lasts 14 days.", [wrong("14 days", "30일이내")]),
        ("기한은 14일이다.", [wrong("14일", "30 days")]),
        ("5 here and 5 there", [wrong("5", "6"), wrong("5", "7")]),
        ("5 here and 5 there", [wrong("5", "6")]),
    ],
)
def test_nothing_is_rewritten_where_a_value_is_unknown_or_ambiguous(claim: str, found: list[Disagreement]) -> None:
    assert substituted(claim, found) is None  # S4.4


@given(
    st.integers(25, 900),
    st.sampled_from(
        [
            ("The lease runs for {} months.", "24"),
            ("계약 기간은 {}개월이다.", "24"),
            ("The lease costs ${} in Leeds.", "1,850"),
        ]
    ),
)
def test_a_planted_number_is_put_right(number: int, planted: tuple[str, str]) -> None:
    template, right = planted
    claim = template.format(number)
    mended = substituted(claim, disagreements(claim, SOURCE))
    assert mended is not None
    assert mended == template.format(right)
    assert disagreements(mended, SOURCE) == ()


@given(st.text(max_size=40), st.text(max_size=10), st.text(max_size=10))
def test_any_text_can_be_rewritten(claim: str, old: str, new: str) -> None:
    assert substituted(claim, [wrong(old, new)]) != claim


OTHER_PREDICATES = [
    (
        "The bank sold its mortgage portfolio to Calder Capital for £320 million in June.",
        "In June, the bank acquired a mortgage portfolio from Calder Capital for £320 million.",
    ),
    (
        "In March 2021 Halden Shipping sold three tankers to Oriel Lines for $84 million.",
        "In March 2021 Halden Shipping bought three tankers from Oriel Lines for $84 million.",
    ),
    (
        "The committee rejected the proposal of the Northgate school by nine votes to two.",
        "The committee approved the proposal of the Northgate school by nine votes to two.",
    ),
    (
        "The landlord pays the tenant interest on the deposit every January.",
        "The tenant pays the landlord interest on the deposit every January.",
    ),
    (
        "Net sales fell from 41 million in 2019 to 36 million in 2020.",
        "Net sales rose from 41 million in 2019 to 46 million in 2020.",
    ),
    (
        "The museum lent the painting to the Rijks gallery in Delft for two years.",
        "The museum borrowed the painting to the Rijks gallery in Delft for three years.",
    ),
    (
        "Dr Amara Osei trained Dr Lene Holt at the clinic in Accra.",
        "Dr Lene Holt trained Dr Amara Osei at the clinic in Accra.",
    ),
    (
        "The pump starts when the pressure drops below 2.5 bar.",
        "The pump stops when the pressure drops below 2.5 bar.",
    ),
    (
        "Kestrel Foods exports barley from Canada to Japan.",
        "Kestrel Foods imports barley from Canada to Japan.",
    ),
    (
        "The court ordered Velo Inc. to pay Harmon Ltd. damages of $3.2 million.",
        "The court ordered Harmon Ltd. to pay Velo Inc. damages of $2.3 million.",
    ),
    (
        "Employees hired after 1 July 2018 contribute 6% of their salary to the fund.",
        "Employees hired after 1 July 2018 withdraw 8% of their salary to the fund.",
    ),
    (
        "한빛전자는 2021년 3월 물류 부문을 대신상사에 매각했다.",
        "한빛전자는 2021년 3월 물류 부문을 대신상사에서 인수했다.",
    ),
    (
        "임대인은 임차인에게 보증금 이자를 매년 1월에 지급한다.",
        "임차인은 임대인에게 보증금 이자를 매년 1월에 지급한다.",
    ),
    (
        "위원회는 찬성 2표, 반대 9표로 제안을 부결했다.",
        "위원회는 찬성 2표, 반대 9표로 제안을 가결했다.",
    ),
    (
        "매출은 2019년 410억 원에서 2020년 360억 원으로 감소했다.",
        "매출은 2019년 410억 원에서 2020년 460억 원으로 증가했다.",
    ),
    (
        "압력이 2.5바 아래로 내려가면 펌프가 작동한다.",
        "압력이 2.5바 아래로 내려가면 펌프가 정지한다.",
    ),
]


@pytest.mark.parametrize(("source", "claim"), OTHER_PREDICATES)
def test_no_substitution_exchanges_what_is_done_by_whom_or_where_to(source: str, claim: str) -> None:  # V6
    assert corrected(claim, source) is None


VALUES = [
    (
        "The deposit of 450 euros is returned within 30 days.",
        "The deposit of 450 euros is returned within 60 days.",
    ),
    (
        "The bridge at Tarn was opened on 4 May 1996.",
        "The bridge at Tarn was opened on 6 May 1996.",
    ),
    (
        "The plant in Olten employs 320 people.",
        "The plant in Olten employs 230 people.",
    ),
    (
        "The pressure must not exceed 2.5 bar.",
        "The pressure must not exceed 2.5 psi.",
    ),
    (
        "Members pay a fee of 12% of the price.",
        "Members pay a fee of 15% of the price.",
    ),
    (
        "보증금은 30일 이내에 반환된다.",
        "보증금은 60일 이내에 반환된다.",
    ),
    (
        "다리는 1996년 5월 4일에 개통되었다.",
        "다리는 1996년 5월 6일에 개통되었다.",
    ),
    (
        "공장은 320명을 고용한다.",
        "공장은 230명을 고용한다.",
    ),
]


@pytest.mark.parametrize(("source", "claim"), VALUES)
def test_one_wrong_value_in_a_sentence_of_the_source_is_put_right(source: str, claim: str) -> None:  # N5, V6
    assert corrected(claim, source) == source


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Tighten the eight bolts to 45 Nm.", "Tighten the eight bolts {} 54 Nm."),
        ("The ship was built in Gdansk in 1998.", "The ship was built {} Gdansk in 1989."),
        ("The premium rises for members by 6.5% on 1 July.", "The premium rises {} members by 5.6% on 1 July."),
    ],
)
@pytest.mark.parametrize("word", ["after", "until", "without", "from"])
def test_nothing_is_put_right_beside_another_preposition(source: str, claim: str, word: str) -> None:  # V6
    assert corrected(claim.format(word), source) is None


@pytest.mark.parametrize("particle", ["에서", "까지", "보다", "부터"])
def test_nothing_is_put_right_beside_another_particle(particle: str) -> None:  # V6
    source = "회사는 물류 부문을 대신상사에 320억 원에 넘겼다."
    assert corrected("회사는 물류 부문을 대신상사에 230억 원에 넘겼다.", source) == source
    assert corrected(f"회사는 물류 부문을 대신상사{particle} 230억 원에 넘겼다.", source) is None


@pytest.mark.parametrize("word", ["funded", "plan", "new", "spring"])
def test_nothing_is_put_right_beside_another_word(word: str) -> None:  # V6
    source = "Under the plan the council funded a new library in Harwick with 4 million euros in the spring."
    claim = source.replace("4 million", "5 million")
    assert corrected(claim, source) == source
    assert corrected(claim.replace(word, "ferried"), source) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Acme paid 12 million dollars.", "Acme was paid 15 million dollars."),
        ("Acme was sued 12 times in 2023.", "Acme sued 15 times in 2023."),
        ("Acme received 12 million dollars.", "From Acme, Borealis received 15 million dollars."),
        ("Acme employs 400 people.", "Unlike Acme, Borealis employs 500 people."),
        ("Acme employs 400 people.", "Acme's rival employs 500 people."),
        ("Acme employs 400 people.", "Acme employs fewer than 500 people."),
        ("Sales of Acme rose 12%.", "Sales rose 15% at Borealis, a rival of Acme."),
        ("The minimum age is 30 years.", "The maximum age is 20 years."),
        ("It costs 300 euros to join.", "It is false that it costs 500 euros to join."),
        ("에이컴 직원은 30명이다.", "에이컴과 달리 보리스 직원은 20명이다."),
        ("최소 인원은 30명이다.", "최대 인원은 20명이다."),
        ("계약은 3년 동안 유효하다.", "계약은 5년 동안 유효하지 않다."),
        ("직원은 30일 전에 알려야 한다.", "직원은 20일 후에 알려야 한다."),
    ],
)
def test_a_value_is_replaced_only_in_a_sentence_of_the_source(claim: str, source: str) -> None:  # N5, V6
    assert corrected(claim, source) is None
