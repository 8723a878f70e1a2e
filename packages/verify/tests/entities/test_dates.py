"""Dates: they are read as stated, and one may follow from another."""

from datetime import date
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.entities.dates import Date, find_dates
from verify_material.rows import for_all_rows


def only(text: str) -> Date:
    (date,) = find_dates(text)
    return date


@for_all_rows(
    ("text", "years", "month", "day"),
    [
        ("May 5, 2020", (2020, 2020), 5, 5),
        ("5th of May 2020", (2020, 2020), 5, 5),
        ("2020-05-05", (2020, 2020), 5, 5),
        ("2020. 5. 5", (2020, 2020), 5, 5),
        ("2020-05-05에", (2020, 2020), 5, 5),
        ("5/13/2020", (2020, 2020), 5, 13),
        ("2020년 5월 5일", (2020, 2020), 5, 5),
        ("5월 5일", None, 5, 5),
        ("Sept. 2019", (2019, 2019), 9, None),
        ("2019년", (2019, 2019), None, None),
        ("1999", (1999, 1999), None, None),
        ("the 1990s", (1990, 1999), None, None),
        ("1990년대", (1990, 1999), None, None),
        ("the 1900s", (1900, 1999), None, None),
        ("19th century", (1800, 1900), None, None),
        ("nineteenth-century", (1800, 1900), None, None),
        ("21세기", (2000, 2100), None, None),
    ],
)
def test_a_date_is_read_as_far_as_it_is_stated(
    text: str, years: tuple[int, int] | None, month: int | None, day: int | None
) -> None:
    read = only(text)
    assert (read.years, read.month, read.day) == (years, month, day)
    assert text[read.start : read.end] == read.text


@for_all_rows("text", ["1,999 people", "$2019", "2000%", "1500 million", "3.1999", "3년간", "may run", "12345"])
def test_what_is_no_date_is_left_alone(text: str) -> None:
    assert find_dates(text) == []


def test_a_range_of_years_is_two_dates() -> None:
    assert [read.text for read in find_dates("from 2010–2015")] == ["2010", "2015"]


@for_all_rows(
    ("claim", "source"),
    [
        ("May 2020", "5 May 2020"),
        ("2020", "2020-05-05"),
        ("the 1990s", "1994"),
        ("20th century", "the 1990s"),
        ("5 May 2020", "May 5"),
        ("2020년 5월", "May 5, 2020"),
        ("5 May", "5 May 2020"),
    ],
)
def test_a_wider_date_follows_from_a_closer_one(claim: str, source: str) -> None:
    assert only(claim).follows_from(only(source))


@for_all_rows(
    ("claim", "source"),
    [("5 May 2020", "May 2020"), ("1994", "the 1990s"), ("2019", "2020"), ("May 2020", "June 2020"), ("2020", "5 May")],
)
def test_another_or_a_closer_date_does_not_follow(claim: str, source: str) -> None:
    assert not only(claim).follows_from(only(source))


@given(st.text(max_size=80))
def test_any_text_is_read_without_failing_and_without_overlap(text: str) -> None:
    assert all(date.end <= following.start for date, following in pairwise(find_dates(text)))


@given(st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_a_day_is_read_in_every_form(day: date) -> None:
    forms = [f"{day}", f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%b} {day.year}"]
    forms.append(f"{day.year}년 {day.month}월 {day.day}일")
    for form in forms:
        read = only(form)
        assert (read.years, read.month, read.day) == ((day.year, day.year), day.month, day.day)
