"""An answer in parts: every claim in exactly one of them, and never more calls than are worth it (S1.4, S2.1)."""

from itertools import pairwise

import pytest

from domain.answer_parts import MOST_PARTS, answer_parts, fact_parts
from domain.citations import statements

ANSWER = (
    "## Returns\n\nReturns are accepted within 30 days [†1]. They take 10 business days [†2]. Is that long? "
    "A receipt is required [†1][†3]. Returns are accepted within 30 days [†1]. Fees are 9 euros.\n\n"
    "References:\n[†1] policy.pdf, p. 2"
)


def sentences(count: int) -> str:
    return " ".join(f"Rule number {number} forbids parking [†1]." for number in range(count))


@pytest.mark.parametrize("most", [1, 2, 3])
def test_every_claim_is_in_one_part_in_order(most: int) -> None:  # S2.1
    parts = answer_parts(ANSWER, most)
    said = {each.index: each for each in statements(ANSWER)}
    asked = [index for part in parts for index in part.indexes]
    # Neither the heading nor the question claims anything, and the same words are asked about once.
    assert asked == [index for index, each in said.items() if each.claim and index != 5]
    assert len(asked) == 4
    assert all(1 <= len(part.indexes) <= most for part in parts)
    assert "\n\n".join(part.text for part in parts).split("\n\n") == [said[index].text for index in asked]


def test_a_part_is_shown_with_what_stands_before_it() -> None:  # S2.1
    first, second, third, last = answer_parts(ANSWER, 1)
    assert (first.text, first.before) == ("Returns are accepted within 30 days.", "Returns")
    assert (second.text, second.before) == ("They take 10 business days.", f"Returns\n\n{first.text}")
    assert third.before == f"Returns\n\n{first.text}\n\n{second.text}\n\nIs that long?"
    assert last.before == f"Returns\n\nIs that long?\n\n{third.text}\n\n{first.text}"


COUNTRIES = "\n\n".join(
    f"{sign}{name}{sign if sign == '**' else ''}\n\nIts people are {people} million [†1]."
    for sign, name, people in (
        ("## ", "France", 68),
        ("**", "Germany", 84),
        ("### ", "Spain", 48),
        ("## ", "Italy", 59),
    )
)


def test_a_heading_between_the_sentences_of_a_part_stays_there() -> None:  # S2.1
    first, second = answer_parts(COUNTRIES, 2)
    assert (first.before, first.indexes) == ("France", (1, 3))
    assert first.text == "Its people are 68 million.\n\n**Germany**\n\nIts people are 84 million."
    assert second.before.endswith("Spain")
    assert second.text == "Its people are 48 million.\n\nItaly\n\nIts people are 59 million."


def test_a_part_is_shown_under_which_heading_and_lead_it_stands_however_far_back() -> None:  # S2.1
    items = "\n".join(f"- The fee of zone {zone} is {zone + 3} euros [†1]." for zone in range(1, 7))
    *_, last = answer_parts(f"## Germany\n\nThe fees for 2024 are these:\n\n{items}\n\n## Spain\n\nIt is free [†2].", 1)
    assert last.before.endswith("Spain")
    assert "Germany" not in last.before.split("\n\n")
    *_, sixth, _ = answer_parts(f"## Germany\n\nFees:\n\n{items}\n\n## Spain\n\nIt is free [†2].", 1)
    assert sixth.text == "The fee of zone 6 is 9 euros."
    assert sixth.before.startswith("Germany\n\nFees:\n\nThe fee of zone 3")


def test_the_rows_of_a_table_are_shown_with_its_head() -> None:  # S2.1
    rows = "\n".join(f"| Zone {zone} | {zone + 3} euros [†1] | {zone + 5} euros [†1] |" for zone in range(1, 7))
    *_, last = answer_parts(f"| Zone | Day | Night |\n|---|---|---|\n{rows}", 1)
    assert last.text == "Zone 6 | 9 euros | 11 euros"
    assert last.before.startswith("Zone | Day | Night\n\nZone 3")


def test_the_same_words_under_another_heading_are_asked_about_too() -> None:  # S2.1, N4
    said = "Dogs are forbidden [†1]. Dogs are forbidden [†1]."
    parts = answer_parts(f"## Beach\n\n{said}\n\n## Park\n\n{said}", 1)
    assert [part.indexes for part in parts] == [(1,), (4,)]


@pytest.mark.parametrize(("answer", "most"), [(ANSWER, 0), (ANSWER, 4), (sentences(1), 1), ("Is it?", 1), ("", 1)])
def test_what_is_one_part_anyway_is_asked_as_a_whole(answer: str, most: int) -> None:  # S2.1
    assert answer_parts(answer, most) == []


@pytest.mark.parametrize(("count", "sizes"), [(8, {1}), (9, {1, 2}), (40, {5}), (41, {5, 6})])
def test_a_long_answer_has_longer_parts_and_not_more(count: int, sizes: set[int]) -> None:
    parts = answer_parts(sentences(count), 1)
    assert len(parts) <= MOST_PARTS
    assert {len(part.indexes) for part in parts} == sizes


@pytest.mark.parametrize(
    ("count", "per_call", "quotas"),
    [
        (3, 3, []),
        (4, 3, [2, 2]),
        (6, 3, [2, 3]),
        (40, 3, [2, 3]),
        (6, 1, [1] * 5),
        (2, 1, [1, 1]),
        (6, 5, []),
        (9, 0, []),
    ],
)
def test_the_parts_have_five_key_claims_between_them(count: int, per_call: int, quotas: list[int]) -> None:  # S1.4
    parts = fact_parts(sentences(count), 5, per_call)
    assert [quota for _, quota in parts] == quotas
    asked = [index for part, _ in parts for index in part.indexes]
    assert asked == (list(range(count)) if quotas else [])
    assert all(after.indexes[0] == before.indexes[-1] + 1 for (before, _), (after, _) in pairwise(parts))
    assert all(len(part.indexes) >= quota for part, quota in parts)
