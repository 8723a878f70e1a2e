"""Statements that copy a sentence of their source but for one place (V2, V3), and verbatim ones (V1)."""

import pytest

from citewell_verify.evidence.equivalence import stands_verbatim
from citewell_verify.evidence.substitution import decides, plain_substitution
from verify_material.rows import for_all_rows

_ENGLISH = """
The museum opened in 1987 and closes at 5 pm on weekdays. The trip takes up to 3 hours by ferry.
If the tenant breaches this agreement, the landlord may end it with ten days' notice.
The warranty covers all parts except the battery for two years. Anna Berg founded Norvik Foods in Bergen.
At least two witnesses sign the form. Some of the rooms have a balcony. Visitors must wear a helmet in the hall.
The northern plant produces more tyres than the southern plant. Sales rose by 4% to $5 million in the third quarter.
The pump is not tested before delivery. Refunds are paid within 14 days unless the ticket was used.
The treasurer signed the lease and the secretary keeps the minutes. It is not true that the bank closed its branches.
"""
_KOREAN = """
박물관은 1987년에 문을 열었고 평일에는 오후 5시에 닫는다. 수수료는 최대 15%이다.
임차인이 계약을 위반하면 임대인은 10일 전 통지로 계약을 해지할 수 있다.
배터리를 제외한 모든 부품에 2년 보증이 적용된다. 한빛은행은 동해캐피탈에 채권을 매각했다.
방문객은 생산동에서 안전모를 착용해야 한다. 매출은 2024년보다 18% 늘었다. 사무실은 7월에 센텀시티로 이전한다.
이 약은 졸음을 유발할 수 있다. 주류 비용은 환급되지 않는다. 회원 대부분이 개정안에 찬성하였다.
어제 잠실에서 열린 경기에서 두산이 LG를 5 대 3으로 이겼다.
"""


@for_all_rows(
    ("kind", "statement"),
    [
        ("date", "The museum opened in 1978 and closes at 5 pm on weekdays."),
        ("number", "The museum opened in 1987 and closes at 6 pm on weekdays."),
        ("quantifier", "The trip takes 3 hours by ferry."),
        ("quantifier", "Two witnesses sign the form."),
        ("order", "If the landlord breaches this agreement, the tenant may end it with ten days' notice."),
        ("negation", "If the tenant breaches this agreement, the landlord must end it with ten days' notice."),
        ("quantifier", "The warranty covers all parts including the battery for two years."),
        ("quantifier", "The warranty covers all parts for two years."),
        ("name", "Anna Berg founded Halden Steel in Bergen."),
        ("name", "Anna Berg founded Norvik Foods in Oslo."),
        ("quantifier", "All of the rooms have a balcony."),
        ("negation", "Visitors may wear a helmet in the hall."),
        ("order", "The southern plant produces more tyres than the northern plant."),
        ("negation", "The northern plant produces fewer tyres than the southern plant."),
        ("negation", "Sales fell by 4% to $5 million in the third quarter."),
        ("number", "Sales rose by 4% to $5 billion in the third quarter."),
        ("unit", "Sales rose by 4% to €5 million in the third quarter."),
        ("negation", "The pump is tested before delivery."),
        ("negation", "The pump is not tested after delivery."),
        ("unit", "Refunds are paid within 14 weeks unless the ticket was used."),
        ("quantifier", "Refunds are paid within 14 days."),
        ("negation", "The bank closed its branches."),
        ("number", "The museum closes at 9 pm on weekdays."),
    ],
)
def test_one_place_that_differs_from_an_english_sentence_is_named(kind: str, statement: str) -> None:
    found = plain_substitution(statement, _ENGLISH)

    assert found is not None
    assert found.kind == kind


@for_all_rows(
    ("kind", "statement"),
    [
        ("date", "박물관은 1978년에 문을 열었고 평일에는 오후 5시에 닫는다."),
        ("number", "박물관은 1987년에 문을 열었고 평일에는 오전 5시에 닫는다."),
        ("quantifier", "수수료는 15%이다."),
        ("order", "임대인이 계약을 위반하면 임차인은 10일 전 통지로 계약을 해지할 수 있다."),
        ("negation", "임차인이 계약을 위반하면 임대인은 10일 전 통지로 계약을 해지하여야 한다."),
        ("quantifier", "배터리를 포함한 모든 부품에 2년 보증이 적용된다."),
        ("order", "동해캐피탈은 한빛은행에 채권을 매각했다."),
        ("negation", "방문객은 생산동에서 안전모를 착용할 수 있다."),
        ("negation", "매출은 2024년보다 18% 줄었다."),
        ("subject", "사무실은 7월에 해운대로 이전한다."),
        ("modality", "이 약은 졸음을 유발한다."),
        ("negation", "주류 비용은 환급된다."),
        ("quantifier", "회원 모두가 개정안에 찬성하였다."),
        ("order", "LG가 두산을 5 대 3으로 이겼다."),
    ],
)
def test_one_place_that_differs_from_a_korean_sentence_is_named(kind: str, statement: str) -> None:
    found = plain_substitution(statement, _KOREAN)

    assert found is not None
    assert found.kind == kind


def test_a_copy_with_another_name_and_another_value_is_said_of_something_else() -> None:  # V2
    line = "Pump B28 runs at 22 bar and is checked every 8 months."
    found = plain_substitution("Pump B19 runs at 28 bar and is checked every 8 months.", line)
    assert found is not None
    assert (found.kind, decides(found, line)) == ("subject", False)


@for_all_rows(
    ("statement", "source"),
    [
        ("Bob is married to Ann.", "Ann is married with Bob."),
        ("Macau is twinned with Lisbon.", "Lisbon is twinned with Macau."),
        ("독일은 프랑스와 협력한다.", "독일은 프랑스와 협력한다고 밝혔다."),
        ("Visitors may not borrow more than five books.", "Visitors may borrow up to five books."),
        ("Owls do not often hunt by day.", "Owls rarely hunt by day."),
        ("서울시는 요금을 올렸다.", "서울특별시는 요금을 올렸다."),
        ("The tank holds 2 L of oil.", "The tank holds 2 litres of oil."),
        ("Profit was $6 million.", "Revenue was $40 million and profit was $6 million."),
        ("Nordline pays an annual rent of 9 euros.", "Nordline pays a yearly rent of 9 euros."),
    ],
)
def test_what_may_mean_the_same_decides_nothing(statement: str, source: str) -> None:  # V1
    found = plain_substitution(statement, source)
    assert found is None or not decides(found, source)


@for_all_rows(
    ("statement", "source"),
    [
        ("Profit was $40 million.", "Revenue was $40 million and profit was $6 million."),
        ("Mary Jones is the CEO.", "The CEO is John Smith. The CFO is Mary Jones."),
        (
            "The strike took place on 13 October.",
            "The launch took place on 13 October. The strike took place on 2 July.",
        ),
        ("Nordline pays a monthly rent of 9 euros.", "Nordline pays a yearly rent of 9 euros, adjusted in May."),
        ("보고서는 매월 발간된다.", "보고서는 매년 발간된다."),
        ("The results were published.", "The results were unpublished at the time of the review."),
        ("송다은은 황준서 다음에 발표했다.", "황준서는 송다은 다음에 발표했다."),
        ("임대 계약서에는 조은비가 서명했다.", "임대 계약서에는 송다은이 서명했다."),
        ("Eva Lind won the race from Turin.", "Aldo Rossi won the race from Turin. Eva Lind was last."),
    ],
)
def test_an_exchange_of_what_the_source_has_decides(statement: str, source: str) -> None:  # V2
    found = plain_substitution(statement, source)
    assert found is not None
    assert decides(found, source)


@for_all_rows(
    "statement",
    [
        "The museum opened in 1987.",
        "The museum closes at 17:00 on weekdays.",
        "The trip takes at most three hours by ferry.",
        "The landlord may end it with ten days' notice if the tenant breaches this agreement.",
        "The warranty covers all parts apart from the battery for two years.",
        "No fewer than two witnesses sign the form.",
        "Several rooms have a balcony.",
        "Visitors are required to wear a helmet in the hall.",
        "The southern plant produces fewer tyres than the northern plant.",
        "Sales increased by 4% to $5,000,000 in the third quarter.",
        "Sales rose by 4 percent.",
        "The pump isn't tested before delivery.",
        "Norvik Foods was founded by Anna Berg in Bergen.",
        "The company established in Bergen makes food.",
    ],
)
def test_other_words_for_an_english_sentence_and_parts_of_it_are_no_substitution(statement: str) -> None:
    assert plain_substitution(statement, _ENGLISH) is None


@for_all_rows(
    "statement",
    [
        "박물관은 1987년에 문을 열었다.",
        "박물관은 1987년에 문을 열었고 평일에는 17시에 닫는다.",
        "수수료는 15% 이하이다.",
        "임대인은 임차인이 계약을 위반하면 10일 전 통지로 계약을 해지할 수 있다.",
        "2년 보증은 배터리를 제외한 모든 부품에 적용된다.",
        "한빛은행은 채권을 동해캐피탈에 매각하였습니다.",
        "매출은 2024년보다 18퍼센트 증가했다.",
        "7월에 사무실은 센텀시티로 이전합니다.",
        "이 약은 졸음을 일으킬 수 있다.",
        "LG를 두산이 5 대 3으로 이겼다.",
    ],
)
def test_other_words_for_a_korean_sentence_and_parts_of_it_are_no_substitution(statement: str) -> None:
    assert plain_substitution(statement, _KOREAN) is None


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("The trip takes 3 hours by ferry.", "the statement leaves out “maximum”"),
        ("The museum opened in 1978 and closes at 5 pm on weekdays.", "the statement says “1978”, the same sentence"),
        ("The pump is not tested after delivery.", "says “after”, the same sentence of the source says “before”"),
    ],
)
def test_the_message_says_what_both_have_in_that_place(statement: str, message: str) -> None:
    found = plain_substitution(statement, _ENGLISH)

    assert found is not None
    assert message in found.message


def test_another_sentence_of_the_source_that_says_it_settles_the_matter() -> None:
    source = "In 2023, the fund held 40 bonds in Oslo. In 2024, the fund held 55 bonds in Oslo."

    assert plain_substitution("In 2024, the fund held 55 bonds in Oslo.", source) is None
    assert plain_substitution("In 2025, the fund held 55 bonds in Oslo.", source) is not None


def test_words_of_the_headings_may_stand_in_the_statement() -> None:
    source = "The monthly rent is 900 euros."

    assert plain_substitution("The monthly rent for storage is 950 euros.", source) is None
    found = plain_substitution("The monthly rent for storage is 950 euros.", source, "Contracts > Storage")
    assert found is not None
    assert found.claim_value == "950 euros"


def test_a_language_that_is_not_read_is_not_compared() -> None:
    source = "Der Vermieter zahlt die Miete nicht und der Mieter zahlt im Mai 500 Euro."

    assert plain_substitution("Der Vermieter zahlt die Miete und der Mieter zahlt im Mai 500 Euro.", source) is None


@for_all_rows(
    ("statement", "source"),
    [
        ("pH농도가 7보다 낮으면 산성이다.", "안내문의 일부이다. pH농도가 7보다 낮으면 산성이다. 높으면 염기성이다."),
        ("IT서비스 부문은 적자였다.", "보고서이다. IT서비스 부문은 적자였다."),
        ("Der Umsatz stieg auf 12,8 Mio. Euro.", "Bericht. Der Umsatz stieg auf 12,8 Mio. Euro. Das freut uns."),
        ("売上高は12億円だった。", "概要です。売上高は12億円だった。利益は減った。"),
        ("The museum opened in 1987", _ENGLISH),
        ("The roof was repaired", "Notes\n\n- The roof was repaired\n- The lift was replaced"),
        ("Damage by fire", "Not covered:\n\n- Theft\n\nThe following is covered:\n\n- Damage by fire\n"),
        ("Guests pay 5 euros.", "Members do not pay:\n\nGuests pay 5 euros."),
    ],
)
def test_a_sentence_that_stands_in_its_source_is_found_in_every_script(statement: str, source: str) -> None:
    span = stands_verbatim(statement, source)

    assert span is not None
    assert source[slice(*span)] == statement
    assert plain_substitution(statement, source) is None


@for_all_rows(
    ("statement", "source"),
    [
        ("The bank closed its branches.", _ENGLISH),
        ("The gate opens.", "If the alarm rings, the gate opens."),
        ("The fee is refunded.", "The fee is refunded, unless the guest has stayed."),
        ("The mayor took bribes", "A newspaper claims that the mayor took bribes."),
        ("물이 오염되었다", "물이 오염되었다는 것은 사실이 아니다."),
        ("문이 열린다", "경보가 울리면 문이 열린다."),
        ("das Dach ist dicht", "Es ist nicht wahr, das Dach ist dicht zu nennen."),
        ("Damage by water", "The following is not covered:\n\n- Theft of bicycles\n- Damage by water\n"),
        ("홍수로 생긴 손해", "다음 각 호의 손해는 보상하지 아니한다.\n1. 지진으로 생긴 손해\n2. 홍수로 생긴 손해\n"),
        ("Guided tours", "## Not included in the price\n\nMeals\nGuided tours\n"),
    ],
)
def test_words_that_their_sentence_reverses_do_not_stand_verbatim(statement: str, source: str) -> None:
    assert stands_verbatim(statement, source) is None


@for_all_rows(
    ("statement", "source"),
    [
        ("Guests are not allowed to smoke on the balcony.", "Guests must not smoke on the balcony."),
        ("Guests cannot smoke on the balcony.", "Guests must not smoke on the balcony."),
        ("A tenth of the trees died last winter.", "10 % of the trees died last winter."),
        ("한솔은 2018년에 다온을 매각했다.", "다온은 2018년에 한솔에 의해 매각되었다."),
        (
            "Lima has 3 tram lines.",
            "Lima\n====\n\nThe town has 3 tram lines.\n\nBari\n====\n\nThe town has 5 tram lines.",
        ),
    ],
)
def test_the_same_in_other_words_is_no_substitution(statement: str, source: str) -> None:  # V1
    assert plain_substitution(statement, source) is None
