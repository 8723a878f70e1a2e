"""A value counts only for the part of a coordinated sentence that it stands in (V2)."""

from citewell_verify.evidence.contradictions import disagreements
from verify_material.rows import for_all_rows

PLANTS = "The southern plant produces 80 tonnes a week, the northern one 120."
SYRUP = "Honey contains about 80 percent sugar, maple syrup 67."
YEARS = "Sales were 6 million in 2020 and 8 million in 2021."
METRICS = "Revenue was $40 million and profit was $6 million."
SIRUP = "꿀은 당분이 80%이고 단풍나무 시럽은 67%이다."
SEXES = "암컷은 9mm까지 자라지만 수컷은 4mm까지만 자란다."
TOWNS = "광주 학회는 5월 4일에, 대전 학회는 6월 11일에 열린다."


@for_all_rows(
    ("statement", "source"),
    [
        ("The southern plant produces 80 tonnes a week.", PLANTS),
        ("Honey contains about 80 percent sugar.", SYRUP),
        ("Sales in 2020 were 6 million.", YEARS),
        ("Sales in 2021 were 8 million.", YEARS),
        ("Profit was $6 million.", METRICS),
        ("단풍나무 시럽은 당분이 67%이다.", SIRUP),
        ("암컷은 9mm까지 자란다.", SEXES),
        ("대전 학회는 6월 11일에 열린다.", TOWNS),
    ],
)
def test_a_value_of_the_subject_s_own_part_is(statement: str, source: str) -> None:  # V2
    assert disagreements(statement, source) == ()
