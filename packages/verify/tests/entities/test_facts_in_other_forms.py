"""The same fact in another form is no difference, and another fact in that form is one (V1, V3)."""

from citewell_verify.entities.dates import find_dates
from citewell_verify.entities.numbers import find_quantities
from citewell_verify.evidence.contradictions import disagreements
from verify_material.rows import for_all_rows

SAME = [
    ("Hundreds of people signed the petition.", "The petition was signed by 640 people."),
    ("A few thousand users were affected.", "The outage affected 4,300 users."),
    ("수백 명이 청원에 서명했다.", "청원에 640명이 서명했다."),
    ("Dozens of firms left the town.", "In 2019, 57 firms left the town."),
    ("Output rose by 2 million barrels per day.", "Output rose by 2 mb/d."),
    ("The plant emits 5 million tonnes of CO2.", "The plant emits 5 Mt of CO2."),
    ("The grid used 3 TWh.", "The grid used 3,000 GWh."),
    ("The season of 2020 was short.", "The season of 2019/20 was short."),
    ("The war of 1914-18 changed Europe.", "The war of 1914 to 1918 changed Europe."),
    ("The clinics had no vaccine.", "The clinics were out of vaccine."),
    ("The team lacks funding.", "The team has no funding."),
    ("The phone costs 90 euros.", "The telephone costs 90 euros."),
]
OTHER = [
    ("Several hundred people signed the petition.", "The petition was signed by 1,640 people.", "number"),
    ("640 people signed the petition.", "Several hundred people signed the petition.", "number"),
    ("수천 명이 청원에 서명했다.", "청원에 640명이 서명했다.", "number"),
    ("Output rose by 2 million barrels per day.", "Output rose by 2 kb/d.", "number"),
    ("The drought of 2012 was severe.", "The drought of 2007-08 was severe.", "date"),
    ("The team has funding.", "The team lacks funding.", "negation"),
    ("The clinics were out of vaccine.", "The clinics had enough vaccine.", "negation"),
]


@for_all_rows(("statement", "source"), SAME)
def test_the_same_in_another_form_is_no_disagreement(statement: str, source: str) -> None:  # V1
    assert disagreements(statement, source) == ()


@for_all_rows(("statement", "source", "kind"), OTHER)
def test_another_fact_in_such_a_form_is_one(statement: str, source: str, kind: str) -> None:  # V3
    assert kind in {disagreement.kind for disagreement in disagreements(statement, source)}


def test_a_span_of_years_states_its_last_one_and_a_month_is_none() -> None:  # S4.4
    assert [date.years for date in find_dates("the crisis of 2007-08")] == [(2007, 2007), (2008, 2008)]
    assert [date.years for date in find_dates("the release 2021-04")] == [(2021, 2021)]


def test_millions_in_the_head_of_a_table_are_no_figure() -> None:  # S4.4
    assert [quantity.text for quantity in find_quantities("(in millions of dollars)\n3,954")][-1] == "3,954"
    assert [quantity.value for quantity in find_quantities("tens of thousands of users")] == [10_000.0]
