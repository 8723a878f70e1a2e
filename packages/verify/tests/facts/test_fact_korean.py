"""Korean sentences as facts: forms of one verb, particles, numbers, and what only sounds the same (V2, V3)."""

import time

from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.entities.numbers import find_quantities
from citewell_verify.facts.comparison import compare
from citewell_verify.facts.reading.korean import CLOCK, LABEL, case_of, minutes
from citewell_verify.facts.reading.korean_verbs import verb_key
from citewell_verify.facts.reading.tokens import tokenize
from verify_material.rows import for_all_rows


@for_all_rows(
    "forms",
    [
        "쉰다 쉽니다 쉬었다 쉬었습니다",
        "주어진다 주어집니다 주어졌다",
        "구입했다 구입하였다 구입했습니다 구입합니다 구매했다 샀다 샀습니다",
        "증가한다 증가했다 늘어난다 늘었다 늘어났습니다",
        "선정했다 선정하였다 선정되었다 선정됐다 선정됩니다",
        "이끌고 이끈다 이끌었다 이끕니다",
        "의사이다 의사였다 의사입니다",
        "빠르다 빨랐다 빠릅니다",
        "취소했을지도 취소했습니다 취소하겠다고 취소한다는",
    ],
)
def test_all_forms_of_a_korean_verb_have_one_key(forms: str) -> None:  # V3
    assert len({verb_key(each) for each in forms.split()}) == 1


@for_all_rows("noun", "속도 토지 광고 사고 최고 출고 바다 캐나다 규제보다는 지붕을".split())
def test_a_noun_has_no_ending_of_a_verb(noun: str) -> None:  # V1
    assert verb_key(noun) == ""


@for_all_rows(
    ("word", "case"),
    [
        ("송다은", ""),
        ("송다은은", "topic"),
        ("작가", ""),
        ("작가가", "subject"),
        ("서울에서", "source"),
        ("부산으로", "goal"),
    ],
)
def test_a_particle_has_the_form_that_the_syllable_before_it_asks_for(word: str, case: str) -> None:  # V2
    assert case_of(word) == case


@for_all_rows(
    ("written", "value"),
    [
        ("백 명", 100),
        ("스무 명", 20),
        ("스물다섯 살", 25),
        ("이십오 년", 25),
        ("3만 5천 원", 35_000),
        ("3천5백만 원", 35_000_000),
        ("1조 2,000억 원", 1_200_000_000_000),
        ("1.2조 원", 1_200_000_000_000),
        ("499조 5천억원", 499_500_000_000_000),
    ],
)
def test_korean_numbers_are_read_by_value(written: str, value: float) -> None:  # V3
    assert [each.value for each in find_quantities(written)] == [value]


@for_all_rows(
    ("written", "expected"),
    [
        ("오전 6시", 360),
        ("오후 6시 30분", 1110),
        ("밤 11시 반", 1410),
        ("밤 1시", 60),
        ("낮 11시", 660),
        ("18시", 1080),
    ],
)
def test_a_time_of_day_is_read_with_its_half(written: str, expected: int) -> None:  # V3
    found = CLOCK.fullmatch(written)
    assert found is not None
    assert minutes(found) == expected


def test_an_amount_of_trillions_is_no_article_of_a_law() -> None:  # V2
    assert LABEL.findall("제13조와 12조에 1조 2,000억 원, 3조 원") == ["제13조와", "12조에"]


@for_all_rows(
    ("statement", "source"),
    [
        ("직원은 월요일에 쉰다.", "직원은 월요일에 쉽니다."),
        ("회사는 차량 20대를 구입했다.", "회사는 차량 20대를 샀습니다."),
        ("매출이 12% 증가했다.", "매출이 12% 늘었다."),
        ("행사에 백 명이 왔다.", "행사에 100명이 왔습니다."),
        ("스무 명이 합격했다.", "20명이 합격했다."),
        ("가격은 3만 5천 원이다.", "가격은 35,000원이다."),
        ("예산은 1조 2000억 원이다.", "예산은 1조 2,000억 원이다."),
        ("창구는 오후 6시에 닫는다.", "창구는 18:00에 닫는다."),
        ("길이는 12킬로미터이다.", "길이는 12km이다."),
        ("회사는 공장을 폐쇄했다.", "회사는 공장을 폐쇄했다고 밝혔다."),
        ("박서준은 법무팀을 이끌고 이지우는 영업팀을 이끈다.", "이지우는 영업팀을 이끌고 박서준은 법무팀을 이끈다."),
    ],
)
def test_the_same_in_other_korean_forms_is_supported(statement: str, source: str) -> None:  # V3
    assert compare(statement, source).is_full_match


@for_all_rows(
    ("statement", "source"),
    [
        ("지붕에 패널을 달아야 한다.", "지붕에 패널을 달아도 된다."),
        ("회사는 공장을 폐쇄했다.", "회사는 공장을 폐쇄했을지도 모릅니다."),
        ("회사는 공장을 폐쇄한다.", "회사는 공장을 폐쇄할 것이다."),
        ("회사는 공장을 폐쇄했다.", "회사는 공장을 폐쇄할 방침이다."),
        ("회사는 공장을 폐쇄했다.", "회사는 공장을 폐쇄하겠다고 약속했다."),
        ("회사는 공장을 폐쇄했다.", "노조는 회사가 공장을 폐쇄했다고 주장했다."),
        ("병실은 535개 운영하고 있다.", "병실은 535개 운영하고 있다는 것은 속설이다."),
        ("순이익은 2조 원이었다는 것은 속설이다.", "순이익은 2조 원이었다."),
        ("회의는 새벽 2시에 끝났다.", "회의는 오후 2시에 끝났다."),
        ("수수료는 888원이다.", "수수료는 888위안이다."),
        ("창고에 말 12마리가 있다.", "창고에 말 12대가 있다."),
        ("공사는 5월부터 진행된다.", "공사는 5월까지 진행된다."),
        ("환불 창구는 이상훈 팀장이 맡고 있다.", "환불 창구는 김도현 팀장이 맡고 있다."),
        ("매출이 12% 감소했다.", "매출이 12% 늘었다."),
        ("직원이 모두 참석했다.", "직원 대부분이 참석했다."),
    ],
)
def test_what_only_sounds_the_same_in_korean_is_not_supported(statement: str, source: str) -> None:  # V2, V3
    assert not compare(statement, source).is_full_match


def test_a_goal_of_sales_is_no_plan() -> None:  # V3
    assert not [each for each in tokenize("회사는 매출 목표를 달성했다.") if each.cue]


@given(st.text("가나다라마바사아고는은이지도했습니었았되하ㄴ 1조", max_size=60))
def test_any_korean_text_can_be_read(text: str) -> None:  # V1
    assert len(tokenize(text)) <= 400


def test_a_long_word_is_read_in_linear_time() -> None:  # V1
    started = time.process_time()
    tokenize("하고" * 20_000)
    tokenize("제1조" * 10_000)
    assert time.process_time() - started < 5
