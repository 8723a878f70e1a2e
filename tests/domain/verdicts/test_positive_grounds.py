"""A contradiction needs a positive ground: the same subject and attribute, with another value or polarity (V2, V3).

Each true statement stands beside a near one that is not true, so that what is mended touches nothing else.
"""

import pytest

from domain.prompting.judgements import StatementCheck
from domain.verdicts.ruling import Grounds
from domain.verdicts.states import PairVerdict, SentenceStatus, sentence_status

SUPPORTED, PARTIAL, CONTRADICTED = SentenceStatus.SUPPORTED, SentenceStatus.PARTIAL, SentenceStatus.CONTRADICTED


def status(statement: str, source: str) -> SentenceStatus:
    """The verdict on a model that says yes and quotes the whole source: what the rules alone hold back."""
    reply = StatementCheck(is_accurate=True, relation="supports", confidence=1.0, evidence=source, explanation="")
    ruled = Grounds.of(statement, [source]).rule(reply)
    verdict = PairVerdict(1, "checked", ruled.is_accurate, ruled.relation, ruled.confidence, "")
    return sentence_status(True, [verdict])


SOLD = "Brandt sold its warehouse in Antwerp to Corvo in March 2022 for 14 million euros."
SOLD_KO = "한빛물류는 2022년 3월에 평택 창고를 서해식품에 140억 원에 팔았다."
HANDED_KO = "박 대리는 5월에 휴직하는 최 과장에게서 소식지 업무를 넘겨받는다."
FASTER = "Sales in Europe grew faster than sales in Asia."


@pytest.mark.parametrize(
    ("source", "statement", "converse_of_another"),
    [
        (
            SOLD,
            "Corvo bought the warehouse in Antwerp from Brandt.",
            "Brandt bought the warehouse in Antwerp from Corvo.",
        ),
        (
            "Patel will send the budget to Rossi by Friday.",
            "Rossi will receive the budget from Patel by Friday.",
            "Patel will receive the budget from Rossi by Friday.",
        ),
        (FASTER, "Sales in Asia grew more slowly than sales in Europe.", "Sales in Asia grew faster than in Europe."),
        (SOLD_KO, "서해식품은 한빛물류로부터 평택 창고를 샀다.", "한빛물류는 서해식품으로부터 평택 창고를 샀다."),
        (
            HANDED_KO,
            "최 과장은 박 대리에게 소식지 업무를 넘겨준다.",
            "박 대리는 최 과장에게 소식지 업무를 넘겨준다.",
        ),
    ],
)
def test_the_same_fact_may_be_told_from_its_other_side(
    source: str, statement: str, converse_of_another: str
) -> None:  # V2
    assert status(statement, source) is not CONTRADICTED
    assert status(converse_of_another, source) is not SUPPORTED


OPENS = "The museum is open from 10:00 to 17:00. It is closed on Mondays."
PLANTS = "The first plant made 310 tonnes of cheese last year, the second one 190 tonnes."
E_BIKES_KO = "전기 자전거 판매량은 2021년 1만 8천 대에서 2023년 2만 7천 대로 늘었다."
AGES_KO = "6세에서 11세까지의 어린이는 반 알을 복용한다."


@pytest.mark.parametrize(
    ("source", "derived", "changed"),
    [
        (OPENS, "The museum is open for seven hours.", "The museum is open from 10:00 to 18:00."),
        (OPENS, "The museum closes at 5 pm.", "The museum is open from 11:00 to 17:00."),
        (PLANTS, "Together they made 500 tonnes of cheese last year.", "The first plant made 500 tonnes of cheese."),
        (
            "Adults should take one tablet twice a day after meals.",
            "The adult dose is two tablets a day.",
            "Adults should take two tablets twice a day after meals.",
        ),
        (
            "This agreement takes effect on 1 January 2024 and ends on 31 December 2026.",
            "The agreement runs for three years.",
            "This agreement ends on 31 December 2027.",
        ),
        (
            "Trains run every 20 minutes on weekdays.",
            "On weekdays there are three trains an hour.",
            "Trains run every 30 minutes on weekdays.",
        ),
        (
            "Children between 6 and 12 take half a tablet.",
            "A seven-year-old takes half a tablet.",
            "Children between 5 and 12 take half a tablet.",
        ),
        (
            "Velten died in 1940 in Bern, three years after Ahrens.",
            "Ahrens died in 1937.",
            "Velten died in 1938 in Bern.",
        ),
        (
            E_BIKES_KO,
            "전기 자전거의 판매량은 2년 사이에 9천 대 늘었다.",
            "전기 자전거 판매량은 2023년 2만 9천 대로 늘었다.",
        ),
        (AGES_KO, "일곱 살 어린이의 복용량은 반 알이다.", "6세에서 11세까지의 어린이는 한 알을 복용한다."),
        ("필터는 3개월마다 청소한다.", "필터는 1년에 네 번 청소해야 한다.", "필터는 4개월마다 청소한다."),
        (
            "이 계약은 2024년 1월 1일에 시작되어 2026년 12월 31일에 끝난다.",
            "계약 기간은 3년이다.",
            "이 계약은 2027년 12월 31일에 끝난다.",
        ),
    ],
)
def test_a_value_that_follows_from_others_is_not_contradicted(source: str, derived: str, changed: str) -> None:  # V3
    assert status(derived, source) in (SUPPORTED, PARTIAL)
    assert status(changed, source) is not SUPPORTED


@pytest.mark.parametrize(
    ("source", "told_otherwise", "changed"),
    [
        (
            "Do not use the device in the bath.",
            "The device must not be used in the bath.",
            "Use the device in the bath.",
        ),
        (
            "Before you clean the machine, unplug it.",
            "The machine should be unplugged before it is cleaned.",
            "Before you unplug the machine, clean it.",
        ),
        (
            "Pets are not allowed without the landlord's written consent.",
            "Pets require the written consent of the landlord.",
            "Pets are allowed without the landlord's written consent.",
        ),
        (
            "The licensee may not sublicense the software.",
            "Sublicensing the software is prohibited for the licensee.",
            "The licensee may sublicense the software.",
        ),
        (
            "Admission is free for children under six.",
            "Children under 6 do not pay admission.",
            "Admission is not free for children under six.",
        ),
        (
            "The upper fan runs only when the temperature is above 200 °C.",
            "The upper fan does not run below 200 °C.",
            "The upper fan runs only when the temperature is below 200 °C.",
        ),
        (
            "Three of the five proposals were accepted.",
            "Two of the five proposals were not accepted.",
            "Two of the five proposals were accepted.",
        ),
        (
            "반려동물은 임대인의 서면 동의가 있어야만 키울 수 있다.",
            "임대인의 서면 동의 없이는 반려동물을 키울 수 없다.",
            "반려동물은 임대인의 서면 동의가 있어도 키울 수 없다.",
        ),
        (
            "수프가 식은 다음에 크림을 넣는다.",
            "크림은 수프를 식힌 후에 넣는다.",
            "수프가 식기 전에 크림을 넣는다.",
        ),
    ],
)
def test_the_same_polarity_in_other_words_is_not_contradicted(
    source: str, told_otherwise: str, changed: str
) -> None:  # V3
    assert status(told_otherwise, source) in (SUPPORTED, PARTIAL)
    assert status(changed, source) is not SUPPORTED


CITIES = (
    "Lyon is a city in France. It has 520,000 inhabitants. Lille is a city in the north. It has 235,000 inhabitants."
)
TWO_PLANTS = "The northern plant has 84 employees. It was opened in 1978. The southern plant has 61 employees."
TWO_PLANTS_KO = "북부 공장의 직원은 84명이다. 이 공장은 1978년에 문을 열었다. 남부 공장의 직원은 61명이다."
CHEMIST = "Maria Velten met her husband Karl Ahrens in Zurich. In 1904 she discovered a method of bleaching wool."


@pytest.mark.parametrize(
    ("source", "of_the_nearer", "of_the_other"),
    [
        (CITIES, "Lille has 235,000 inhabitants.", "Lyon has 235,000 inhabitants."),
        (CITIES, "Lyon has 520,000 inhabitants.", "Lille has 520,000 inhabitants."),
        (TWO_PLANTS, "The northern plant was opened in 1978.", "The southern plant was opened in 1978."),
        (
            CHEMIST,
            "Maria Velten discovered a method of bleaching wool.",
            "Karl Ahrens discovered a method of bleaching wool.",
        ),
        (TWO_PLANTS_KO, "북부 공장은 1978년에 문을 열었다.", "남부 공장은 1978년에 문을 열었다."),
    ],
)
def test_a_pronoun_refers_to_the_subject_before_it(source: str, of_the_nearer: str, of_the_other: str) -> None:  # V2
    assert status(of_the_nearer, source) is SUPPORTED
    assert status(of_the_other, source) is not SUPPORTED


STEPS = "First spread the groundsheet, then thread the poles through the sleeves, and finally hook in the inner tent."
STEPS_KO = "먼저 바닥 깔개를 펴고, 다음에 폴대를 끼우고, 마지막으로 이너 텐트를 건다."
EFFECTS = "Common side effects are headache, nausea and a dry mouth; a rash is rare."
COLOURS_KO = "앞쪽 폴대는 빨간색, 뒤쪽 폴대는 회색이다."
FOUND_KO = "카를 아렌스는 물리를 가르쳤다. 1904년에 펠텐은 염소 없이 양털을 표백하는 방법을 발견했다."


@pytest.mark.parametrize(
    ("source", "said", "joined"),
    [
        (
            STEPS,
            "First spread the groundsheet, then thread the poles through the sleeves.",
            "First thread the poles through the sleeves, then spread the groundsheet.",
        ),
        (
            STEPS_KO,
            "먼저 바닥 깔개를 펴고 다음에 폴대를 끼운다.",
            "먼저 폴대를 끼우고 다음에 바닥 깔개를 편다.",
        ),
        (
            "열람실은 밤 10시까지, 어린이실은 오후 6시까지 연다.",
            "어린이실은 오후 6시까지 연다.",
            "어린이실은 밤 10시까지 연다.",
        ),
        (EFFECTS, "Nausea is a common side effect.", "A rash is a common side effect."),
        (COLOURS_KO, "뒤쪽 폴대는 회색이다.", "앞쪽 폴대는 회색, 뒤쪽 폴대는 빨간색이다."),
        (
            FOUND_KO,
            "펠텐은 1904년에 양털을 표백하는 방법을 발견했다.",
            "아렌스는 1904년에 양털을 표백하는 방법을 발견했다.",
        ),
        (
            "Adults and children over 12 take one tablet twice a day. Children between 6 and 12 take half a tablet.",
            "Children over 12 take one tablet twice a day.",
            "Children between 6 and 12 take one tablet twice a day.",
        ),
    ],
)
def test_parts_of_two_clauses_are_not_joined(source: str, said: str, joined: str) -> None:  # V2
    assert status(said, source) is SUPPORTED
    assert status(joined, source) is not SUPPORTED


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "The first train leaves Bonn at 5:40 and arrives in Cologne at 6:05. Trains run every 20 minutes.",
            "The journey takes 25 minutes.",
        ),
        ("The council voted to close Bridge Street to cars from next April.", "Bridge Street will be closed to cars."),
        ("오 위원은 회원이 412명으로 늘었다고 보고했다.", "오 위원에 따르면 현재 회원은 412명이다."),
        ("회계 담당자는 3월에 결산을 발표한다.", "결산 발표는 3월에 있을 예정이다."),
        ("남부 공장의 직원은 61명이다. 이 공장은 3월부터 11월까지만 가동한다.", "남부 공장은 1월에 가동하지 않는다."),
        ("이 약은 졸음을 일으킬 수 있다. 복용 후 4시간 동안은 운전하지 말아야 한다.", "이 약을 먹으면 졸릴 수 있다."),
    ],
)
def test_what_is_about_something_else_does_not_contradict(source: str, said: str) -> None:  # V3
    assert status(said, source) in (SUPPORTED, PARTIAL)
