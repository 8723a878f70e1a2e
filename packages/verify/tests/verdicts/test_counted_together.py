"""Sums, differences and changes that follow from figures of several sources, and those that do not (V7)."""

from hypothesis import given, settings
from hypothesis import strategies as st

from citewell_verify.verdicts.counted_together import find_operands
from citewell_verify.verdicts.joint_support import find_joint_support
from verify_material.rows import for_all_rows

DEPOTS = "The east depot shipped 1,310 crates in May.", "The west depot shipped 745 crates in May."
LOANS = "The bank holds 1,240 loans in Spain.", "The bank holds 860 loans in Portugal."
VISITORS = "In 2020 the museum had 48,000 visitors.", "In 2023 the museum had 61,500 visitors."
VACANCY = "The vacancy rate was 3.5 percent in 2021.", "The vacancy rate was 5 percent in 2022."
CENTRES = "동부 물류센터는 5월에 상자 1,310개를 출하했다.", "서부 물류센터는 5월에 상자 745개를 출하했다."
KOREAN_LOANS = "은행은 스페인에서 1,240건의 대출을 보유한다.", "은행은 포르투갈에서 860건의 대출을 보유한다."
KOREAN_VISITORS = "2020년 박물관 관람객은 48,000명이었다.", "2023년 박물관 관람객은 61,500명이었다."
KOREAN_VACANCY = "2021년 공실률은 3.5%였다.", "2022년 공실률은 5%였다."

FOLLOWS = [
    (DEPOTS, "Together, the east depot and the west depot shipped 2,055 crates in May."),
    (DEPOTS, "The east depot shipped 565 more crates than the west depot in May."),
    (DEPOTS, "The west depot shipped 565 fewer crates than the east depot in May."),
    (LOANS, "The bank holds 1,240 loans in Spain and 860 loans in Portugal, together 2,100 loans."),
    (VISITORS, "The number of visitors of the museum rose from 48,000 in 2020 to 61,500 in 2023."),
    (VISITORS, "The museum had 13,500 more visitors in 2023 than in 2020."),
    (VACANCY, "The vacancy rate increased by 1.5 percentage points from 2021 to 2022."),
    (CENTRES, "동부 물류센터와 서부 물류센터는 5월에 합쳐서 상자 2,055개를 출하했다."),
    (CENTRES, "동부 물류센터는 5월에 서부 물류센터보다 상자 565개를 더 출하했다."),
    (KOREAN_LOANS, "은행은 스페인과 포르투갈에서 합계 2,100건의 대출을 보유한다."),
    (KOREAN_LOANS, "은행은 스페인에서 포르투갈보다 대출을 380건 많이 보유한다."),
    (KOREAN_VISITORS, "박물관 관람객은 2020년 48,000명에서 2023년 61,500명으로 늘었다."),
    (KOREAN_VACANCY, "공실률은 2021년보다 2022년에 1.5%포인트 높아졌다."),
]


@for_all_rows(("sources", "statement"), FOLLOWS)
def test_what_follows_from_a_figure_of_each_source_has_both_as_evidence(
    sources: tuple[str, str], statement: str
) -> None:  # V7
    joint = find_joint_support(statement, sources)
    assert joint is not None
    assert joint.complete
    assert [part.text for part in joint.parts] == list(sources)


@for_all_rows(
    ("sources", "statement"),
    [
        (DEPOTS, "Together, the east depot and the west depot shipped 2,155 crates in May."),
        (DEPOTS, "Together, the north depot and the west depot shipped 2,055 crates in May."),
        (DEPOTS, "Together, the east depot and the west depot shipped 2,055 crates in June."),
        (DEPOTS, "The east depot shipped 2,055 crates in May."),
        (DEPOTS, "The east depot shipped a total of 2,055 crates in May."),
        (DEPOTS, "The west depot shipped 565 more crates than the east depot in May."),
        (DEPOTS, "The east depot shipped 565 fewer crates than the west depot in May."),
        (
            (DEPOTS[0], DEPOTS[1].replace("shipped", "returned")),
            "Together, the east depot and the west depot shipped 2,055 crates in May.",
        ),
        (LOANS, "The bank holds 860 loans in Spain and 1,240 loans in Portugal, together 2,100 loans."),
        (LOANS, "Together, the bank does not hold 2,100 loans in Spain and Portugal."),
        (LOANS, "The bank may hold 2,100 loans in Spain and Portugal together."),
        (LOANS, "Together, the bank holds 2,100 euros in Spain and Portugal."),
        (VISITORS, "The number of visitors of the museum rose from 61,500 in 2020 to 48,000 in 2023."),
        (VISITORS, "The number of visitors of the museum fell from 48,000 in 2020 to 61,500 in 2023."),
        (VACANCY, "The vacancy rate increased by 1.5 percent from 2021 to 2022."),
        (VACANCY, "The vacancy rate decreased by 1.5 percentage points from 2021 to 2022."),
        (CENTRES, "동부 물류센터는 5월에 상자 2,055개를 출하했다."),
        (KOREAN_LOANS, "은행은 스페인에서 포르투갈보다 대출을 380건 적게 보유한다."),
        (KOREAN_VISITORS, "박물관 관람객은 2020년 48,000명에서 2023년 61,500명으로 줄었다."),
        (KOREAN_VACANCY, "공실률은 2021년보다 2022년에 2.5%포인트 높아졌다."),
    ],
)
def test_a_wrong_result_operation_direction_or_operand_does_not_follow(
    sources: tuple[str, str], statement: str
) -> None:  # V2, V7
    assert find_operands(statement, sources) == ()


FORMS = [
    ("{} has {} pupils.", "{} and {} have {} pupils together.", ("Alder School", "Birch School", "Cedar School")),
    ("{} 지점의 직원은 {}명이다.", "{} 지점과 {} 지점의 직원은 모두 {}명이다.", ("서울", "부산", "대전")),
]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(FORMS), st.permutations(range(3)), st.integers(20, 400), st.integers(20, 400), st.integers(-9, 9)
)
def test_only_the_sum_of_what_is_named_is_a_total(
    form: tuple[str, str, tuple[str, ...]], order: list[int], first: int, second: int, off: int
) -> None:  # V7
    line, total, things = form
    named = [things[at] for at in order]
    sources = [line.format(named[0], first), line.format(named[1], second)]
    assert bool(find_operands(total.format(named[0], named[1], first + second + off), sources)) == (off == 0)
    assert not find_operands(total.format(named[0], named[2], first + second), sources)
