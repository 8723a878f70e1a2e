"""Questions of a conversation in words that stand alone, by rules in English and Korean (N9)."""

from itertools import product
from time import process_time

import pytest

from citewell_verify.text.words import content_stems
from domain.question.follow_up import standalone_question
from verify_material.rows import for_all_rows

PUMP = "How much pressure does pump 4 run at?"
VISITORS = "How many visitors came in 2021?"
EARNED = "What did Acme earn in Q1 2024?"
CAPITAL = "What is the capital of France?"
OFFICE = "How many employees work in the Berlin office?"
WARRANTY = "How long is the warranty for laptops?"
LAMP = "What is the price of a lamp?"
RED = "What does the red lamp weigh?"
MUSEUM = "When does the museum open on Saturdays?"
CEO = "Who is the CEO of Acme Robotics?"
CUSTOMERS = "How long do customers have to return a product?"
HOTEL = "How many rooms does Hotel Adler have?"
FIRE = "How many people died in the fire in Tarvik on 3 May 2021?"
ENGLISH = [
    # Another of its kind in the place of what has a number, a time, a name, or the same noun.
    (PUMP, "What about pump 20?", "How much pressure does pump 20 run at?"),
    (PUMP, "And pump 20?", "How much pressure does pump 20 run at?"),
    (PUMP, "and number 20?", "How much pressure does pump number 20 run at?"),
    (PUMP, "And 20?", "How much pressure does pump 20 run at?"),
    (PUMP, "Is it the same for pump 20?", "How much pressure does pump 20 run at?"),
    ("What does section 2.1 require?", "And section 4?", "What does section 4 require?"),
    ("How many seats does Room B have?", "Room C?", "How many seats does Room C have?"),
    ("Is pump 4 heavier than pump 7?", "What about pump 9?", "Is pump 9 heavier than pump 7?"),
    (VISITORS, "And in 2022?", "How many visitors came in 2022?"),
    (VISITORS, "What about 2022?", "How many visitors came in 2022?"),
    (EARNED, "And in Q2?", "What did Acme earn in Q2 2024?"),
    (EARNED, "What about Beta Corp?", "What did Beta Corp earn in Q1 2024?"),
    ("What was the revenue in March 2023?", "And in April?", "What was the revenue in April 2023?"),
    (CAPITAL, "And Germany?", "What is the capital of Germany?"),
    (OFFICE, "And in Paris?", "How many employees work in the Paris office?"),
    (OFFICE, "What about the Paris office?", "How many employees work in the Paris office?"),
    (OFFICE, "And Paris?", "How many employees work in the Paris office?"),
    (WARRANTY, "And for tablets?", "How long is the warranty for tablets?"),
    (WARRANTY, "What about tablets?", "How long is the warranty for tablets?"),
    (LAMP, "And a desk?", "What is the price of a desk?"),
    (RED, "And the blue lamp?", "What does the blue lamp weigh?"),
    (RED, "What about the blue one?", "What does the blue lamp weigh?"),
    (CUSTOMERS, "What about business customers?", "How long do business customers have to return a product?"),
    # A circumstance, in the place of another or in addition.
    (MUSEUM, "And on Sundays?", "When does the museum open on Sundays?"),
    ("When does the museum open?", "And on Sundays?", "When does the museum open on Sundays?"),
    # Another property of the same thing.
    (PUMP, "And the temperature?", "What is the temperature of pump 4?"),
    (PUMP, "What is the temperature?", "What is the temperature of pump 4?"),
    (PUMP, "What about its temperature?", "What is the temperature of pump 4?"),
    (LAMP, "And the weight?", "What is the weight of a lamp?"),
    # Pronouns.
    (PUMP, "And when is it inspected?", "When is pump 4 inspected?"),
    (PUMP, "Who inspects it?", "Who inspects pump 4?"),
    (PUMP, "Where is its manual?", "Where is pump 4's manual?"),
    (PUMP, "How often is that pump inspected?", "How often is pump 4 inspected?"),
    (PUMP, "How heavy is the pump?", "How heavy is pump 4?"),
    (PUMP, "And who is called when it overheats?", "Who is called when pump 4 overheats?"),
    (CAPITAL, "How large is it?", "How large is France?"),
    (OFFICE, "Who works there?", "Who works in the Berlin office?"),
    (WARRANTY, "What does it cover?", "What does the warranty for laptops cover?"),
    (LAMP, "Where is it made?", "Where is a lamp made?"),
    ("When was the Eiffel Tower built?", "How tall is it?", "How tall is the Eiffel Tower?"),
    (CEO, "When was she born?", "When was the CEO of Acme Robotics born?"),
    (CEO, "Where is it based?", "Where is Acme Robotics based?"),
    ("Who is Jane Doe?", "What is her address?", "What is Jane Doe's address?"),
    ("Who wrote the report?", "When was it published?", "When was the report published?"),
    (CUSTOMERS, "Do they need a receipt?", "Do they need a receipt (customers have to return a product)?"),
    ("Who runs Acme Robotics?", "What do they make?", "What do Acme Robotics make?"),
    (HOTEL, "Is there a pool there?", "Is there a pool in Hotel Adler?"),
    # What is asked of an accident.
    (FIRE, "And the injured?", "How many injured were there in the fire in Tarvik on 3 May 2021?"),
    (FIRE, "How many were hurt?", "How many were hurt in the fire in Tarvik on 3 May 2021?"),
    (FIRE, "What was the cause?", "What was the cause of the fire in Tarvik on 3 May 2021?"),
    ("How many sheep were killed in 2022?", "And goats?", "How many goats were killed in 2022?"),
    ("Is smoking allowed in the garden?", "And inside?", "Is smoking allowed inside?"),
    ("Which plan includes phone support?", "And e-mail support?", "Which plan includes e-mail support?"),
    ("Who approved the budget?", "Who voted against it?", "Who voted against the budget?"),
]  # fmt: skip
BESIDE_IN_ENGLISH = [
    (PUMP, "How long does it take?", "How long does pump 4 take?"),
    (PUMP, "Is that normal?", "Is that normal (pump 4)?"),
    (PUMP, "What is the fee?", "What is the fee (pump 4)?"),
    (PUMP, "Are there any exceptions?", "Are there any exceptions (pump 4)?"),
    (HOTEL, "How much do they cost?", "How much do they cost (rooms, Hotel Adler)?"),
    (CUSTOMERS, "And when does it begin?", "When does it begin (customers have to return a product)?"),
    (CUSTOMERS, "What about deposits?", "How long do deposits have to return a product?"),
    ("How long do returns take?", "Who pays for it?", "Who pays for returns?"),
    ("How long do returns take?", "And opened items?", "How long do opened items take?"),
    ("When does the lease in Busan end?", "And the rent?", "The rent (the lease in Busan)?"),
    ("What do ducks eat?", "And geese?", "What do geese eat?"),
    # Another question word.
    ("Who paints the shed?", "By when?", "By when: paints the shed?"),
    ("Where does the choir meet?", "When?", "When does the choir meet?"),
    ("Is smoking allowed in the garden?", "Since when?", "Since when is smoking allowed in the garden?"),
    (VISITORS, "And a year earlier?", "How many visitors came in 2020?"),
]
BEHIND_IN_ENGLISH = [
    (PUMP, "Tell me more."),
    ("펌프 4는 몇 바에서 작동하나요?", "And when is it inspected?"),
]
ALONE_IN_ENGLISH = [
    "What does the warranty of a laptop cover?",
    "Is there a warranty on laptops?",
    "What is the fee that applies to late returns?",
    "How long do I have to return an item if it is opened?",
    "Which documents do employees need when they travel?",
    "How many days of vacation do employees have?",
    "Is it possible to return opened items?",
    "How long does it take to repair a lamp?",
    "What time does the office open?",
    "Who is responsible for security?",
    "And who is responsible for security?",
    "Thanks!",
    "List the documents that a refund needs.",
    "Describe the inspection of pumps.",
    "What is the capital of Spain?",
    "Where is the first aid kit?",
    "Can customers cancel their orders?",
    "Does the company pay for its employees' travel?",
    "What is the price of a desk?",
    "How do I reset my password?",
    "When is the pump of building 2 inspected?",
    "How much does pump 7 weigh?",
    "Is pump 7 heavier than pump 12?",
    "What happens if a pump overheats?",
    "Are there any pumps that are never inspected?",
    "Should there be an inspection every year?",
    "Should those who travel keep their receipts?",
    "What had the board planned before it was replaced?",
    "Would it be dangerous for visitors to enter?",
    "What was the revenue in 2019?",
    "Is it easier or harder to change a law than to keep it?",
    "What is a way that one should not go?",
    "What is a pecten?",
    "What is Goodwill?",
    "What was one of the city's major exports?",
    "Whose activities were recorded in the log?",
    "How does the company estimate the fair value of their stock options?",
]

BAR = "펌프 4는 몇 바에서 작동하나요?"
SEOUL = "서울 지점의 직원은 몇 명인가요?"
FRANCE = "프랑스의 수도는 어디인가요?"
PRICE = "램프의 가격은 얼마인가요?"
RETURNS = "반품은 며칠 걸리나요?"
ACCIDENT = "2023년 7월 12일에 무슨 사고가 있었나요?"
SAMSUNG = "삼성전자의 2021년 매출은 얼마인가요?"
KOREAN = [
    (BAR, "펌프 20은?", "펌프 20은 몇 바에서 작동하나요?"),
    (BAR, "그럼 펌프 20은요?", "펌프 20은 몇 바에서 작동하나요?"),
    (BAR, "20번은?", "펌프 20번은 몇 바에서 작동하나요?"),
    (BAR, "펌프 20의 경우는요?", "펌프 20은 몇 바에서 작동하나요?"),
    (BAR, "펌프 20은 어때요?", "펌프 20은 몇 바에서 작동하나요?"),
    (BAR, "펌프 20도 그런가요?", "펌프 20은 몇 바에서 작동하나요?"),
    (BAR, "20번 펌프는?", "펌프 20번은 몇 바에서 작동하나요?"),
    ("4번 펌프는 언제 점검하나요?", "20번은요?", "20번 펌프는 언제 점검하나요?"),
    ("제4조는 무엇을 규정하나요?", "제5조는?", "제5조는 무엇을 규정하나요?"),
    ("회의실 B에는 좌석이 몇 개 있나요?", "회의실 C는?", "회의실 C에는 좌석이 몇 개 있나요?"),
    ("2층에는 무엇이 있나요?", "3층에는요?", "3층에는 무엇이 있나요?"),
    ("3팀의 팀장은 누구인가요?", "그럼 4팀은?", "4팀의 팀장은 누구인가요?"),
    ("버전 2.1은 리눅스를 지원하나요?", "버전 3은?", "버전 3은 리눅스를 지원하나요?"),
    ("2021년에 방문객은 몇 명이었나요?", "2022년에는?", "2022년에 방문객은 몇 명이었나요?"),
    ("1분기 매출은 얼마인가요?", "2분기는?", "2분기 매출은 얼마인가요?"),
    ("토요일에는 몇 시에 여나요?", "일요일은?", "일요일에는 몇 시에 여나요?"),
    (SAMSUNG, "2022년은?", "삼성전자의 2022년 매출은 얼마인가요?"),
    (SAMSUNG, "현대자동차는?", "현대자동차의 2021년 매출은 얼마인가요?"),
    (SEOUL, "부산 지점은?", "부산 지점의 직원은 몇 명인가요?"),
    (SEOUL, "부산은?", "부산 지점의 직원은 몇 명인가요?"),
    (FRANCE, "독일은?", "독일의 수도는 어디인가요?"),
    (PRICE, "책상은?", "책상의 가격은 얼마인가요?"),
    (RETURNS, "교환은?", "교환은 며칠 걸리나요?"),
    ("김민수 팀장은 언제 입사했나요?", "박지훈 팀장은?", "박지훈 팀장은 언제 입사했나요?"),
    (BAR, "온도는?", "펌프 4의 온도는?"),
    (BAR, "온도는 얼마인가요?", "펌프 4의 온도는 얼마인가요?"),
    (FRANCE, "인구는?", "프랑스의 인구는?"),
    (BAR, "그건 언제 점검하나요?", "펌프 4는 언제 점검하나요?"),
    (BAR, "그것의 온도는 몇 도인가요?", "펌프 4의 온도는 몇 도인가요?"),
    (BAR, "그게 고장 나면 누구에게 연락하나요?", "펌프 4가 고장 나면 누구에게 연락하나요?"),
    (BAR, "그걸 어떻게 끄나요?", "펌프 4를 어떻게 끄나요?"),
    (BAR, "그 펌프는 누가 관리하나요?", "펌프 4는 누가 관리하나요?"),
    (BAR, "언제 점검하나요?", "펌프 4는 언제 점검하나요?"),
    (BAR, "어느 부서가 담당하나요?", "펌프 4는 어느 부서가 담당하나요?"),
    (SEOUL, "그 지점은 언제 열었나요?", "서울 지점은 언제 열었나요?"),
    (SEOUL, "거기서 누가 일하나요?", "서울 지점에서 누가 일하나요?"),
    ("보증 기간은 얼마인가요?", "그건 언제 시작하나요?", "보증 기간은 언제 시작하나요?"),
    ("에이스로보틱스의 대표는 누구인가요?", "그 사람은 언제 태어났나요?", "에이스로보틱스의 대표는 언제 태어났나요?"),
    ("삼성전자의 매출은 얼마인가요?", "그 회사의 대표는 누구인가요?", "삼성전자의 대표는 누구인가요?"),
    (ACCIDENT, "사망자는?", "2023년 7월 12일에 사고의 사망자는?"),
    (ACCIDENT, "부상자는 몇 명인가요?", "2023년 7월 12일에 사고의 부상자는 몇 명인가요?"),
    ("2023년 7월 12일 사고의 부상자는 몇 명인가요?", "사망자는?", "2023년 7월 12일 사고의 사망자는 몇 명인가요?"),
    (BAR, "점검 주기는?", "펌프 4의 점검 주기는?"),
    ("정규직의 연차는 며칠인가요?", "계약직은?", "계약직의 연차는 며칠인가요?"),
    ("김민수 팀장은 언제 입사했나요?", "박지영은?", "박지영은 언제 입사했나요?"),
    ("정원에서 흡연이 가능한가요?", "실내에서는?", "실내에서 흡연이 가능한가요?"),
    ("3급의 월급은 얼마인가요?", "4급은?", "4급의 월급은 얼마인가요?"),
    ("도서관은 토요일에 몇 시에 여나요?", "언제 닫나요?", "도서관은 토요일에 언제 닫나요?"),
]  # fmt: skip
BESIDE_IN_KOREAN = [
    (BAR, "왜요?", "펌프 4는 왜 작동하나요?"),
    (BAR, "배송비는 얼마인가요?", "펌프 4의 배송비는 얼마인가요?"),
    (RETURNS, "개봉한 전자 제품은요?", "개봉한 전자 제품은 며칠 걸리나요?"),
    ("누가 초대장을 만드나요?", "언제까지요?", "언제까지 초대장을 만드나요?"),
    ("초대장 발송 담당은 누구인가요?", "언제까지요?", "초대장 발송은 언제까지인가요?"),
    ("Y-20의 단가가 얼마예요?", "그럼 X-10은?", "X-10의 단가가 얼마예요?"),
    ("2024년 회비는 얼마인가요?", "1년 전에는?", "2023년 회비는 얼마인가요?"),
    ("펌프 20의 압력은 얼마인가요?", "그건 언제 점검하나요?", "펌프 20은 언제 점검하나요?"),
    ("계약은 언제 끝나나요?", "연장할 수 있나요?", "계약은 연장할 수 있나요?"),
]
BEHIND_IN_KOREAN = [
    (BAR, "더 자세히 알려 주세요"),
    ("How long do returns take?", "그건 누가 내나요?"),
]
ALONE_IN_KOREAN = [
    "반품은 며칠 안에 해야 하나요?",
    "휴가는 언제 신청하나요?",
    "어디에 휴가를 신청하나요?",
    "그럼 전자 제품은 언제까지 반품해야 하나요?",
    "펌프 7은 몇 바에서 작동하나요?",
    "대구 지점의 직원은 몇 명인가요?",
    "스페인의 수도는 어디인가요?",
    "감사합니다",
    "안녕하세요",
    "보안 담당자는 누구인가요?",
    "노트북의 보증은 무엇을 포함하나요?",
    "직원이 출장을 가면 어떤 서류가 필요한가요?",
    "비밀번호를 어떻게 재설정하나요?",
    "회의실 예약은 어떻게 하나요?",
    "환불 정책을 요약해 주세요",
    "물품을 개봉했으면 그것을 반품할 수 있나요?",
    "펌프가 과열되면 누구에게 연락하나요?",
    "2022년 매출은 얼마인가요?",
    "사무실은 몇 시에 문을 여나요?",
    "이 회사의 설립 연도는 언제인가요?",
    "모든 펌프를 점검하나요?",
    "점검 주기는 펌프마다 다른가요?",
    "펌프 7과 펌프 20 중 어느 것이 더 무거운가요?",
    "고객은 주문을 취소할 수 있나요?",
    "휴가 규정은 어디에 있나요?",
    "온도 센서는 어디에 있나요?",
    "가장 큰 펌프는 무엇인가요?",
    "비용은 누가 내나요?",
    "누가 환불을 승인하나요?",
    "영수증이 꼭 필요한가요?",
    "회의실은 몇 개인가요?",
    "환불은 어떻게 하나요?",
    "제1급감염병이란 무엇인가요?",
]


@for_all_rows(("before", "question", "meant"), ENGLISH + KOREAN + BESIDE_IN_ENGLISH + BESIDE_IN_KOREAN)
def test_a_follow_up_is_asked_with_all_words_of_what_is_meant_and_no_other(
    before: str, question: str, meant: str
) -> None:
    assert set(content_stems(standalone_question(question, [before]))) == set(content_stems(meant))


@pytest.mark.parametrize(("before", "question"), BEHIND_IN_ENGLISH + BEHIND_IN_KOREAN)
def test_what_no_rule_knows_is_put_behind_the_question_before(before: str, question: str) -> None:
    assert standalone_question(question, [before]) == f"{before} {question}"


ALONE = [
    *product([PUMP, CAPITAL, CUSTOMERS], ALONE_IN_ENGLISH),
    *product([BAR, SEOUL, RETURNS], ALONE_IN_KOREAN),
]


@for_all_rows(("before", "question"), ALONE)
def test_a_question_that_says_all_itself_stays_as_it_is(before: str, question: str) -> None:
    assert standalone_question(question, [before]) == question
    assert standalone_question(question, []) == question


@for_all_rows(
    ("said", "meant"),
    [
        ([PUMP, "What about pump 20?", "And when is it inspected?"], "When is pump 20 inspected?"),
        ([BAR, "펌프 20은?", "그건 언제 점검하나요?"], "펌프 20은 언제 점검하나요?"),
        ([PUMP, "Why?", "And pump 20?"], "Why does pump 20 run at (pressure)?"),
        ([PUMP, "What is the fee?", "Is that normal?"], "Is that normal (pump 4)?"),
        ([PUMP, "Thanks!", "And pump 20?"], "How much pressure does pump 20 run at?"),
        ([PUMP, CAPITAL, "And Germany?"], "What is the capital of Germany?"),
        # As it was stored when no rule knew how to restate it.
        ([f"{PUMP} Why?", "And pump 20?"], "How much pressure does pump 20 run at?"),
        (["And pump 20?"], "And pump 20?"),
    ],
)
def test_a_conversation_goes_on_from_what_was_meant(said: list[str], meant: str) -> None:
    assert standalone_question(said[-1], said[:-1]) == meant


def test_nothing_is_taken_from_a_text() -> None:
    text = "Pump 4 runs at a pressure of 24 bar and is inspected every month. " * 10
    assert standalone_question("And pump 20?", [text.strip()]) == f"{text}And pump 20?"
    assert standalone_question("And pump 20, " * 50 + "?", [PUMP]) == "And pump 20, " * 50 + "?"


@for_all_rows("piece", ["and it ", "the a of ", "What about ", "펌프 4의 ", "그 것은 ", "4번 ", "A B ", "의 경우 "])
def test_a_hostile_question_is_read_in_bounded_time(piece: str) -> None:  # F9
    text = (piece * 500)[:499]
    started = process_time()
    standalone_question(text + "?", [text + "?", PUMP, BAR, text + "?"])
    assert process_time() - started < 2
