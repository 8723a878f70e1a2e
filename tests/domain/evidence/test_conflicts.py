"""Documents that disagree: the same statement with another value is found, and what only looks alike is not."""

import pytest

from benchmarks.answers.conflicts import measure
from citewell_verify.evidence.conflicts.finding import Conflict, Evidence, conflicts
from citewell_verify.evidence.conflicts.replacements import Excerpt, Known
from verify_material.rows import for_all_rows


def excerpts_of(one: str, other: str) -> list[Excerpt]:
    return [Excerpt("one.md", "one.md", one), Excerpt("other.md", "other.md", other)]


def last_line(excerpt: Excerpt) -> Evidence:
    line = excerpt.text.split("\n")[-1]
    return Evidence(line, excerpt, len(excerpt.text) - len(line), len(excerpt.text))


def found_both_ways(one: str, other: str) -> list[list[Conflict]]:
    """The conflicts of an answer that rests on the last line of the first text, and of one on that of the second."""
    excerpts = excerpts_of(one, other)
    return [conflicts([last_line(each)], excerpts) for each in excerpts]


@for_all_rows(
    ("one", "other", "values"),
    [
        (
            "Applications are accepted until 30 April.",
            "Applications are accepted until 15 May.",
            ("30 April", "15 May"),
        ),
        ("Invoices are paid within 30 days.", "Invoices are paid within 14 days.", ("30 days", "14 days")),
        (
            "Laptops are replaced every four years.",
            "Laptops are replaced every three years.",
            ("four years", "three years"),
        ),
        ("The rent is EUR 9,400 a month.", "A month the rent is EUR 9,800.", ("EUR 9,400", "EUR 9,800")),
        ("The desk opens from 9:00 to 17:00.", "The desk opens from 9:00 to 18:00.", ("17:00", "18:00")),
        ("Overtime is paid with 25 percent more.", "Overtime is paid with 30 % more.", ("25%", "30 %")),
        ("The contact for complaints is Ms Olsen.", "The contact for complaints is Mr Petit.", ("Olsen", "Petit")),
        ("The meeting point is the red gate.", "The meeting point is the old mill.", ("red gate", "old mill")),
        (
            "The picnic takes place at the Mill Pond.",
            "The picnic takes place at the River Park.",
            ("Mill Pond", "River Park"),
        ),
        ("Phone of the travel desk: 0800 111 222", "Phone of the travel desk: 0800 333 444", ("111 222", "333 444")),
        ("| Lamp | EUR |\n|---|---|\n| Orla 5 | 20 |", "| Lamp | EUR |\n|---|---|\n| Orla 5 | 24 |", ("20", "24")),
        ("The limit for mails is 25 MB.", "The limit for mails is now 50 MB, and covers pictures.", ("25 MB", "50 MB")),
        ("Dues in Group 5 are EUR 24.", "| Group | Dues (EUR) |\n|---|---|\n| Group 5 | 20 |", ("EUR 24", "20")),
        ("출장비는 1일 7만원을 지급한다.", "출장비는 1일 80,000원을 지급한다.", ("7만원", "80,000원")),
        ("신청 기한은 5월 10일까지이다.", "신청 기한은 5월 20일까지이다.", ("5월 10일", "5월 20일")),
        ("시설 관리 책임자는 박민수 과장이다.", "시설 관리 책임자는 최유나 과장이다.", ("박민수", "최유나")),
    ],
)
def test_another_value_for_the_same_thing_is_found_from_either_side(
    one: str, other: str, values: tuple[str, str]
) -> None:
    (first,), (second,) = found_both_ways(one, other)
    assert (first.stated.value, first.other.value) == values
    assert (second.stated.value, second.other.value) == values[::-1]
    assert (first.other.quote, first.in_force) == (other.split("\n")[-1].strip(), None)
    # If the answer quotes both documents, the conflict is reported once.
    excerpts = excerpts_of(one, other)
    assert conflicts([last_line(excerpt) for excerpt in excerpts], excerpts) == [first]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Visitors may take photos in the hall.", "Visitors may not take photos in the hall."),
        ("Smoking is permitted on the balcony.", "Smoking is prohibited on the balcony."),
        ("사내에서 음식을 먹을 수 있다.", "사내에서 음식을 먹을 수 없다."),
    ],
)
def test_a_yes_and_a_no_show_both_statements(one: str, other: str) -> None:
    assert [(each.stated.value, each.other.value) for (each,) in found_both_ways(one, other)] == [
        (one, other),
        (other, one),
    ]


@for_all_rows(
    ("one", "other"),
    [
        # The same value.
        ("The room is 4 m wide in all.", "The room is 400 cm wide in all."),
        ("Lunch in the canteen costs about EUR 9.", "Lunch in the canteen costs EUR 8.90."),
        ("The fee of the club is EUR 30, before it was EUR 25.", "The fee of the club is EUR 30."),
        ("The fee of the club is EUR 30.", "The fee of the club was EUR 25 for years, and is now EUR 30."),
        ("교육비는 1인당 30만 원이다.", "교육비는 1인당 300,000원이다."),
        # Another thing, case, time or kind of value.
        ("Full members pay EUR 60 a year.", "Junior members pay EUR 30 a year."),
        ("Staff get 2 days off for a move.", "Staff get 1 day off for a wedding."),
        ("The northern gate is closed at night.", "The southern gate is closed at night."),
        ("On 4 May the hall is closed.", "On 11 May the hall is closed."),
        ("The rent of the hall is EUR 90.", "The rent of the hall is EUR 90 more in winter."),
        ("A tour needs at least 5 guests.", "A tour takes at most 20 guests."),
        ("1층 회의실은 10명이 쓸 수 있다.", "2층 회의실은 20명이 쓸 수 있다."),
        # Another thing by what stands above or before.
        ("Lyon: the rate for a hotel is EUR 90.", "Paris: the rate for a hotel is EUR 180."),
        ("# Summer fair\n\nThe entry fee is EUR 5.", "# Christmas market\n\nThe entry fee is EUR 3."),
        ("# Travel policy\n\nThe daily allowance is EUR 20.", "# Training policy\n\nThe daily allowance is EUR 15."),
        ("# Survey 1\n\nThe share of happy guests is 81 %.", "# Survey 2\n\nThe share of happy guests is 84 %."),
        (
            "# Stock, 31 March 2026\n\nThe stock of gaskets is 340 pieces.",
            "# Stock, 30 April 2026\n\nThe stock of gaskets is 310 pieces.",
        ),
        (
            "# Contract\n\nbetween Alpha and Norden\n\nThe term of payment is 30 days.",
            "# Contract\n\nbetween Alpha and Sudwerk\n\nThe term of payment is 45 days.",
        ),
        (
            "# 출장 보고서\n\n출장자: 김민수\n\n숙박비는 120,000원이다.",
            "# 출장 보고서\n\n출장자: 이서연\n\n숙박비는 95,000원이다.",
        ),
        (
            "# Trips\n\n## At home\n\nA night costs at most EUR 90.",
            "# Trips\n\n## Abroad\n\nA night costs at most EUR 150.",
        ),
        # Two fillings of one form; what has several values; what refers to something else.
        ("Date: 2 March\nHours: 12\nTotal of it: EUR 840", "Date: 9 March\nHours: 18\nTotal of it: EUR 1,260"),
        ("Bus 12 leaves the depot at 8:15.\nBus 12 leaves the depot at 8:45.", "Bus 12 leaves the depot at 9:15."),
        ("It costs EUR 40 with a bracket.", "It costs EUR 60 with a bracket."),
        # Each goes on to say of what it speaks.
        (
            "# Fees\n\nThe fee is EUR 120, and applies to students.",
            "# Fees\n\nThe fee is EUR 240, and applies to firms.",
        ),
        ("The pump weighs 40 kg, which includes the motor.", "The pump weighs 31 kg, which excludes the motor."),
        # Tables of two years have the same value by chance.
        (
            "# Accidents 2023\n\n| Site | Accidents |\n|---|---|\n| Ulm | 0 |\n| Bonn | 3 |",
            "# Accidents 2024\n\n| Site | Accidents |\n|---|---|\n| Ulm | 0 |\n| Bonn | 2 |",
        ),
        # A year and one word of a title name no document that is replaced.
        (
            "# Fleet report 2024\n\nThe fleet has 22 cars.",
            "# Fleet report 2025\n\nIn 2024 the diesel fleet was replaced by electric cars.\n\nThe fleet has 14 cars.",
        ),
    ],
)
def test_what_only_looks_alike_is_no_conflict(one: str, other: str) -> None:
    assert found_both_ways(one, other) == [[], []]


@for_all_rows(
    ("old", "new"),
    [
        (
            "# Canteen\n\nIn force from 1 May 2024.\n\nLunch costs EUR 6.",
            "# Canteen\n\n1 May 2025. This notice replaces all earlier versions.\n\nLunch costs EUR 7.",
        ),
        (
            "# Notice of 3 May 2025\n\nThe gate is locked at 22:00.",
            "# Gate\n\nThe notice of 3 May 2025 is withdrawn.\n\nThe gate is locked at 20:00.",
        ),
        (
            "# Manual\n\nVersion 1.3\n\nHelmets last 5 years.",
            "# Manual\n\nVersion 2.0 supersedes version 1.3.\n\nHelmets last 4 years.",
        ),
        (
            "# Fees\n\nThis list was replaced by the list of 3 March 2026.\n\nThe fee for adults is EUR 60.",
            "# Fees\n\n3 March 2026\n\nThe fee for adults is EUR 70.",
        ),
        (
            "# Talk, 4 May\n\nThe new pontoon opens on 2 June.",
            "This replaces what we decided on 4 May: the new pontoon opens on 30 June 2026 at the bank.",
        ),
        (
            "# Meals\n\nVersion 3\n\nA day is EUR 45 at home and EUR 58 abroad.",
            "# Meals\n\nVersion 4 replaces version 3.\n\nA day is EUR 52 at home and EUR 64 abroad.",
        ),
        (
            "# 복장 지침\n\n시행일: 2023년 1월 1일\n\n여름 기간은 6월 1일에 시작한다.",
            "# 복장 지침\n\n2025년 1월 1일\n본 지침은 종전의 지침을 대체한다.\n\n여름 기간은 5월 15일에 시작한다.",
        ),
    ],
)
def test_a_document_that_says_that_it_replaces_the_other_is_in_force(old: str, new: str) -> None:
    of_old, of_new = found_both_ways(old, new)
    assert {each.in_force for each in (*of_old, *of_new)} == {"other.md"}
    assert of_old
    assert of_new


def test_that_something_else_is_replaced_puts_no_document_in_force() -> None:
    filters = "Filters are replaced every 2 years.\n\nA day in the pool costs EUR 13."
    (first,), (second,) = found_both_ways("# Pool\n\nA day in the pool costs EUR 12.", f"# Pool\n\n{filters}")
    assert (first.in_force, second.in_force) == (None, None)


@for_all_rows(
    ("text", "name", "date"),
    [
        (
            "# Policy\n\nVersion 3, in force from 1 June 2024.\n\nThe audit begins on 2 March 2025.",
            "policy.md",
            "2024-06-01",
        ),
        ("# Minutes, 14 April 2026\n\nThe hedge is cut in May.", "minutes.md", "2026-04-14"),
        ("# 규정\n\n시행일: 2022년 1월 1일\n\n연차는 5일이다.", "규정.md", "2022-01-01"),
        ("The audit begins on 2 March 2025.", "audit-2024.pdf", "2024"),
        ("The audit begins on 2 March 2025.", "audit.pdf", None),
    ],
)
def test_the_date_of_a_document_is_the_one_that_it_gives_itself(text: str, name: str, date: str | None) -> None:
    assert Known((Excerpt(name, name, text),)).date == date


def test_only_values_that_the_answer_states_are_compared() -> None:
    table = "| Lamp | Price (EUR) | Height (cm) |\n|---|---|---|\n| Orla 5 | {} | 40 |\n| Orla 7 | 30 | 50 |"
    one, other = excerpts_of(table.format(20), table.format(24))
    start = one.text.index("| Orla 5")
    height, price = "Orla 5 · Height (cm): 40", "Orla 5 · Price (EUR): 20"
    assert conflicts([Evidence(height, one, start, start + 10)], [one, other]) == []
    assert len(conflicts([Evidence(price, one, start, start + 10)], [one, other])) == 1


def test_the_pairs_of_the_benchmark_are_told_without_a_false_alarm() -> None:
    measured = measure()
    assert measured["told"] >= 18
    assert measured["in force"] == measured["told"]
    assert measured["false alarms"] == 0
