"""Quantities: the same amount is recognised in every form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.entities.numbers import find_quantities, table_scale
from citewell_verify.entities.quantities import Quantity, agrees, same_dimension
from verify_material.rows import for_all_rows


def only(text: str) -> Quantity:
    (quantity,) = find_quantities(text)
    return quantity


@for_all_rows(
    ("text", "value", "dimension"),
    [
        ("$394 billion", 394e9, "usd"),
        ("US$ 394.3bn", 394.3e9, "usd"),
        ("$5m", 5e6, "usd"),
        ("EUR 310", 310, "eur"),
        ("a fee of CHF 1.2 million", 1.2e6, "chf"),
        ("3,940억 원", 394e9, "krw"),
        ("3조 5,000억원", 3.5e12, "krw"),
        ("100만 달러", 1e6, "usd"),
        ("12만 명", 120_000, ""),
        ("30-day", 30, "time"),
        ("3시간", 3, "time"),
        ("six and a half feet", 6.5, "length"),
        ("45 , 000 people", 45_000, ""),
        ("41 181 flats", 41_181, ""),
        ("1 250 000 euros", 1.25e6, "eur"),
        ("41\u202f181 Flats", 41_181, ""),
        ("Flats\t41 181", 41_181, ""),
        ("twenty-five millions", 25e6, ""),
        ("five decades", 5, "months"),
        ("200 mg", 200, "mass"),
        ("2.5kW", 2.5, "power"),
        ("25 °C", 25, "celsius"),
        ("3.5%포인트", 3.5, "percentage points"),
        ("245만 원의", 2.45e6, "krw"),
        ("five-year", 5, "months"),
        ("3.5%", 3.5, "percent"),
        ("3.5 percentage points", 3.5, "percentage points"),
        ("5퍼센트", 5, "percent"),
        ("two hundred and fifty thousand", 250_000, ""),
        ("twenty-one", 21, ""),
        ("17th", 17, ""),
        ("third place", 3, ""),
        ("세 번", 3, ""),
    ],
)
def test_a_quantity_is_read_with_its_scale_and_unit(text: str, value: float, dimension: str) -> None:
    quantity = only(text)
    assert (quantity.value, quantity.dimension) == (pytest.approx(value), dimension)
    assert quantity.text == text[quantity.start :][: len(quantity.text)]


@for_all_rows(
    ("text", "values"),
    [
        ("12 737 MAX 9 aircraft", [12, 737, 9]),
        ("since the revolution of 1956 200 000 Hungarians fled", [1956, 200, 0]),
        ("between 40 and 100 or 200 300 and 400 flats", [40, 100, 200, 300, 400]),
        ("2.1 × 10 100 years", [2.1, 10, 100]),
    ],
)
def test_numbers_beside_each_other_are_not_joined(text: str, values: list[float]) -> None:
    assert [quantity.value for quantity in find_quantities(text)] == values


@for_all_rows(
    "text",
    [
        "제3조",
        "B2B",
        "(a) and b",
        "1. First, terms\n2) Then, more"[3:6],
        "someone",
        "fiveable",
        "Fifty Shades",
        "the 80s",
    ],
)
def test_what_is_no_quantity_is_left_alone(text: str) -> None:
    assert find_quantities(text) == []


def test_the_number_of_a_list_item_is_no_quantity() -> None:
    assert [quantity.value for quantity in find_quantities("1. pay 20 euros\n2) pay 30 euros")] == [20, 30]


@for_all_rows(
    ("claim", "source"),
    [
        ("394 billion", "$394,000 million"),
        ("3,940억 원", "394,000,000,000원"),
        ("two weeks", "14 days"),
        ("24 hours", "one day"),
        ("one year", "12 months"),
        ("50 km", "about 31 miles"),
        ("$394 billion", "$394.3 billion"),
        ("37%", "36.8 percent"),
        ("about 1,200 staff", "1,234 staff"),
        ("more than 5 billion years", "5.54 billion years"),
        ("5년 이상", "7년"),
        ("fewer than 50 people", "30 people"),
        ("7", "seven"),
        ("50 years", "five decades"),
        ("less than $1 million", "$181,674"),
        ("200 mg", "0.2 g"),
        ("at least 5 days", "7 days"),
    ],
)
def test_the_same_amount_agrees_in_every_form(claim: str, source: str) -> None:
    assert agrees(only(claim), only(source))
    assert same_dimension(only(claim), only(source))


@for_all_rows(
    ("claim", "source"),
    [
        ("394 billion", "394 million"),
        ("30 days", "14 days"),
        ("30 days", "30 weeks"),
        ("5%", "4.6%"),
        ("1,200 staff", "1,234 staff"),
        ("more than 5 years", "3 years"),
        ("more than 5 years", "70 years"),
        ("fewer than 50 people", "60 people"),
        ("at 5:30", "at 6:30"),
        ("at least 6 months", "at least 9 months"),
        ("no more than 7%", "no more than 10%"),
        ("within 31 days", "within 30 days"),
        ("up to 52 units", "up to 50 units"),
        ("9자 이상", "14자 이상"),
        ("200 mg", "200 g"),
        ("2.1.3", "2.1.4"),
        ("3억", "3만"),
    ],
)
def test_different_amounts_do_not_agree(claim: str, source: str) -> None:
    assert not agrees(only(claim), only(source))


@pytest.mark.parametrize(("left", "right"), [("5%", "5 dollars"), ("30 days", "30 km"), ("5%", "5 percentage points")])
def test_units_of_different_kinds_are_told_apart(left: str, right: str) -> None:
    assert not same_dimension(only(left), only(right))


def test_a_table_in_millions_scales_its_plain_numbers() -> None:
    table = "(in millions)\nTotal | 3,954"
    assert table_scale(table) == 1e6
    assert agrees(only("$3,954 million"), find_quantities(table)[0], table_scale(table))
    assert table_scale("(단위: 억원) 매출 3,940") == 1e8
    assert table_scale("It sold millions in total.") == 1


@given(st.integers(0, 10**15))
def test_an_integer_is_the_same_with_and_without_separators_and_in_korean_units(number: int) -> None:
    korean = "".join(
        f"{part}{scale} "
        for part, scale in ((number // 10**12, "조"), (number // 10**8 % 10**4, "억"), (number // 10**4 % 10**4, "만"))
        if part
    )
    forms = [str(number), f"{number:,}", f"{number} dollars", f"{korean}{number % 10**4 or ''}".strip() or "0"]
    for form in forms:
        assert only(form).value == pytest.approx(number)
    assert all(agrees(only(left), only(right)) for left in forms for right in forms)


@given(st.text(max_size=80))
def test_any_text_is_read_without_failing_and_in_order(text: str) -> None:
    starts = [quantity.start for quantity in find_quantities(text)]
    assert starts == sorted(starts)


@for_all_rows("text", ["a 10-Q, a 10-K or an 8-K", "COVID-19", "the B-52", "Uranium-235", "GPT-4", "10-Q 보고서"])
def test_a_number_that_a_hyphen_joins_to_a_capital_is_a_name(text: str) -> None:
    assert find_quantities(text) == []


@pytest.mark.parametrize(("text", "value"), [("a 20-year bond", 20), ("mid-2020", 2020), ("3-day", 3), ("10-15", 10)])
def test_a_number_that_a_hyphen_joins_to_small_letters_is_one(text: str, value: float) -> None:
    assert find_quantities(text)[0].value == value
