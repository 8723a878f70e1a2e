"""A wrong statement becomes the sentence of its source that says otherwise about the same, or nothing (N5, V6)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell_verify.correction.corrected_answer import is_proven, source_wording
from verify_material.rows import for_all_rows

OTHERWISE = [
    (
        "The bank sold its mortgage portfolio to Calder Capital for £320 million in June.",
        "In June, the bank acquired a mortgage portfolio from Calder Capital for £320 million.",
    ),
    (
        "Net sales fell from 41 million in 2019 to 36 million in 2020.",
        "Net sales rose from 41 million in 2019 to 46 million in 2020.",
    ),
    ("Dr Osei trained Dr Holt at the clinic in Accra.", "Dr Holt trained Dr Osei at the clinic in Accra."),
    (
        "Guests must not open the valve before the pump has stopped.",
        "Guests must open the valve before the pump stops.",
    ),
    ("The grant covers at most 60 percent of the costs.", "The grant covers 60 percent of the costs."),
    ("Ines Falk founded the choir in 1988 with 24 singers.", "Ines Falk founded the choir in 1998 with 42 singers."),
    (
        "한빛전자는 2021년 3월 물류 부문을 대신상사에 매각했다.",
        "한빛전자는 2021년 3월 물류 부문을 대신상사에서 인수했다.",
    ),
    (
        "임대인은 임차인에게 보증금 이자를 매년 1월에 지급한다.",
        "임차인은 임대인에게 보증금 이자를 매년 1월에 지급한다.",
    ),
    ("위원회는 찬성 2표, 반대 9표로 제안을 부결했다.", "위원회는 찬성 2표, 반대 9표로 제안을 가결했다."),
    ("필터는 식기세척기로 세척할 수 있다.", "필터는 식기세척기로 세척할 수 없다."),
]


@for_all_rows(("sentence", "statement"), OTHERWISE)
def test_what_a_judge_found_contradicted_becomes_the_sentence_that_contradicts_it(
    sentence: str, statement: str
) -> None:  # V6
    source = f"The report has two parts.\n\n{sentence} Nothing else was decided."
    start = source.index(sentence)
    assert source_wording(statement, source, contradicting=(start, start + len(sentence))) == sentence
    assert source_wording(statement, source, contradicting=(0, 5)) != statement


VALUES = [
    ("The deposit of 450 euros is returned within 30 days.", "The deposit of 450 euros is returned within 60 days."),
    ("The bridge at Tarn was opened on 4 May 1996.", "The bridge at Tarn was opened on 6 May 1996."),
    ("The pressure must not exceed 2.5 bar.", "The pressure must not exceed 2.5 psi."),
    ("보증금은 30일 이내에 반환된다.", "보증금은 60일 이내에 반환된다."),
    ("공장은 320명을 고용한다.", "공장은 230명을 고용한다."),
]


@for_all_rows(("sentence", "statement"), VALUES)
def test_a_plain_substitution_is_put_right_without_a_judge(sentence: str, statement: str) -> None:  # N5, V6
    assert source_wording(statement, f"Terms.\n\n{sentence}\n\nThe end of the terms follows.") == sentence


def test_the_signs_of_the_source_stay() -> None:  # V6
    source = "매출은 24％ 증가했고，이익은 3억 원이었다。"
    statement = "매출은 42% 증가했고, 이익은 3억 원이었다."
    assert source_wording(statement, source, contradicting=(0, len(source))) == source


@for_all_rows(
    ("sentence", "statement"),
    [
        ("It weighs 7 kilograms and runs on two batteries.", "The drill weighs 9 kilograms and runs on two batteries."),
        ("Otherwise the membership fee is 50 euros a year.", "The membership fee is 40 euros a year."),
        ("그 회비는 1년에 5만 원이다.", "회비는 1년에 4만 원이다."),
        ("The membership fee is how many euros a year?", "The membership fee is 40 euros a year."),
        ("Membership fee | 50 euros a year | due in May", "The membership fee is 40 euros a year."),
        ("- Membership fee: 50 euros a year", "The membership fee is 40 euros a year."),
        ("Borealis employs 500 people in Leeds.", "Acme employs 400 people in Leeds."),
        ("Pump 4 runs at 14 bar.", "Pump 14 runs at 24 bar."),
        ("1팀의 예산은 3억 원이다.", "2팀의 예산은 5억 원이다."),
        (
            "Acme employs 500 people, " + "most of them in the north, " * 9 + "and pays them well.",
            "Acme employs 400 people.",
        ),
    ],
)
def test_no_sentence_that_needs_others_or_is_about_another_is_put_there(sentence: str, statement: str) -> None:  # V6
    assert source_wording(statement, sentence, contradicting=(0, len(sentence))) is None


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        (
            "Die Kaution wird nach 30 Tagen an den Mieter gezahlt.",
            "Die Kaution wird nach 60 Tagen an den Mieter gezahlt.",
        ),
        ("保证金在30天内退还给租户。", "保证金在60天内退还给租户。"),
    ],
)
def test_no_rule_repairs_a_language_that_rules_do_not_read(sentence: str, statement: str) -> None:  # V6
    assert source_wording(statement, sentence, contradicting=(0, len(sentence))) is None


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60), st.text(max_size=120))
def test_any_text_is_replaced_by_words_of_the_source_or_not_at_all(statement: str, source: str) -> None:  # V6
    found = source_wording(statement, source, contradicting=(0, len(source)))
    assert found is None or found in source


SOLD = "The bank sold its mortgage portfolio to Calder Capital for £320 million in June."


@pytest.mark.parametrize(
    ("text", "proven"),
    [
        ("The bank sold its mortgage portfolio to Calder Capital.", True),
        ("In June, the bank acquired a mortgage portfolio to Calder Capital for £320 million.", False),
        ("The bank sold its mortgage portfolio to Calder Capital at a loss.", False),
    ],
)
def test_a_rewriting_in_other_words_than_those_of_the_source_is_not_proven(text: str, *, proven: bool) -> None:  # V6
    assert is_proven(text, SOLD) == proven


PRICES = "| Plan | Price | Storage |\n|---|---|---|\n| Basic | EUR 5 | 10 GB |\n| Pro | EUR 9 | 50 GB |"


@pytest.mark.parametrize(
    ("text", "proven"),
    [
        ("The Pro plan has 50 GB storage.", True),
        ("The price of the Pro plan is EUR 9 per month.", False),
        ("Basic has 10 GB of encrypted storage.", False),
    ],
)
def test_a_rewriting_adds_no_words_to_a_cell(text: str, *, proven: bool) -> None:  # V6
    assert is_proven(text, PRICES) == proven
