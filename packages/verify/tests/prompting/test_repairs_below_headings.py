"""A repair reads a passage below its headings: it is given to what they name, and to nothing else (V6)."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell_verify.correction.corrected_answer import is_proven, source_wording
from citewell_verify.offline.judge import rewrite_statement
from citewell_verify.prompting.numbered_sources import Source, Sources
from verify_material.rows import for_all_rows

ENGLISH = [
    ("It weighs {} kilograms and runs on two batteries.", "{} weighs {} kilograms."),
    ("The device weighs {} kilograms and has two ports.", "{} weighs {} kilograms."),
    ("Weighs {} kilograms without its case.", "{} weighs {} kilograms."),
    ("- Weight: {} kg\n- Ports: 2", "The weight of {} is {} kg."),
]
CITY = [("The city has {} million inhabitants and two airports.", "{} has {} million inhabitants.")]
KOREAN = [
    ("이 제품은 무게가 {}킬로그램이고 배터리 두 개로 작동한다.", "{}의 무게는 {}킬로그램이다."),
    ("무게는 {}킬로그램이다.", "{}의 무게는 {}킬로그램이다."),
    ("- 무게: {}kg\n- 포트: 2개", "{}의 무게는 {}kg이다."),
]
MODELS = [("X100", "X1000"), ("X1000", "X100"), ("XR2000", "XR2001"), ("Model X100", "Model X200")]
PUMPS = [("Pump 4", "Pump 14"), ("Pump 14", "Pump 4")]
KOREAN_THINGS = [("X100", "X200"), ("X100", "X1000"), ("4호 펌프", "14호 펌프"), ("서울 지점", "부산 지점")]
CASES = [
    *product(ENGLISH, [*MODELS, *PUMPS]),
    *product(CITY, [("Berlin", "Hamburg"), ("Hamburg", "Berlin")]),
    *product(KOREAN, KOREAN_THINGS),
]


@for_all_rows("path", ["{}", "Manual › {}", "{} › Weight", "3장 {}"])
@for_all_rows(("texts", "things"), CASES)
def test_what_stands_below_a_heading_is_said_of_what_it_names(
    texts: tuple[str, str], things: tuple[str, str], path: str
) -> None:
    (body, claim), (named, unnamed) = texts, things
    text, context = body.format(7), path.format(named)
    assert is_proven(claim.format(named, 7), text, context)
    assert not is_proven(claim.format(named, 7), text)
    assert not is_proven(claim.format(named, 9), text, context)
    assert not is_proven(claim.format(unnamed, 7), text, context)
    # A rule gives a sentence of the source or nothing: what a heading names is left to a model's rewriting.
    assert source_wording(claim.format(named, 9), text, context) is None
    assert source_wording(claim.format(unnamed, 9), text, context) is None


@for_all_rows(("texts", "things"), CASES)
def test_the_last_heading_of_its_form_counts(texts: tuple[str, str], things: tuple[str, str]) -> None:
    (body, claim), (last, before) = texts, things
    text, context = body.format(7), f"{before} › {last}"
    assert is_proven(claim.format(last, 7), text, context)
    assert not is_proven(claim.format(before, 7), text, context)
    assert source_wording(claim.format(before, 9), text, context) is None
    both = {"en": "{} and {} weigh 7 kilograms.", "ko": "{} 및 {}의 무게는 7킬로그램이다."}
    for first, second in ((last, before), (before, last)):
        assert not is_proven(both["ko" if "무게" in claim else "en"].format(first, second), text, context)


@pytest.mark.slow
@for_all_rows("heading", ["# {}", "**{}**", "{}"])
@for_all_rows(("texts", "things"), CASES)
def test_each_section_keeps_its_values(texts: tuple[str, str], things: tuple[str, str], heading: str) -> None:
    (body, claim), (upper, lower) = texts, things
    first, second = body.format(5), body.format(7)
    within = f"{heading.format(upper)}\n\n{first}\n\n{heading.format(lower)}\n\n{second}\n"
    begun = f"{first}\n\n{heading.format(lower)}\n\n{second}\n"
    for source, context in ((within, ""), (begun, upper)):
        for thing, right, wrong in ((upper, 5, 7), (lower, 7, 5)):
            # A quotation that runs into the heading of the next pump does not have the number of this one.
            assert is_proven(claim.format(thing, right), source, context) or "Pump" in thing or "펌프" in thing
            assert not is_proven(claim.format(thing, wrong), source, context)
            for stated in (wrong, 9):
                wording = source_wording(claim.format(thing, stated), source, context)
                assert wording in (None, claim.format(thing, right))


@for_all_rows("heading", ["# {}", "**{}**", "{}"])
@for_all_rows(("texts", "things"), CASES)
def test_a_section_that_says_nothing_of_it_gets_no_value_of_another(
    texts: tuple[str, str], things: tuple[str, str], heading: str
) -> None:
    (body, claim), (described, silent_thing) = texts, things
    silent = "빨간색으로 판매된다." if "무게" in claim else "It is sold in red."
    told = f"{heading.format(described)}\n\n{body.format(5)}\n\n"
    for source, context in (
        (f"{told}{heading.format(silent_thing)}\n\n{silent}\n", ""),
        (f"{silent}\n\n{told}", silent_thing),
    ):
        assert not is_proven(claim.format(silent_thing, 5), source, context)
        assert source_wording(claim.format(silent_thing, 9), source, context) is None


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("Model X100 weighed 7 kilograms in 2024.", "Model X100 › Report 2024"),
        ("Germany has 7 million inhabitants.", "Germany › Berlin"),
        ("The charger of Model X100 weighs 7 kilograms.", "Model X100"),
    ],
)
def test_a_heading_proves_no_value_no_outer_thing_and_no_part(text: str, context: str) -> None:
    source = "It weighs 7 kilograms." if "Model" in text else "The city has 7 million inhabitants."
    assert not is_proven(text, source, context)


def test_another_thing_of_the_section_is_not_what_the_heading_names() -> None:
    source = "The charger weighs 2 kilograms and has a cable."
    assert not is_proven("Model X100 weighs 2 kilograms.", source, "Model X100")
    assert source_wording("Model X100 weighs 3 kilograms.", source, "Model X100") is None


ROWS = "X100\t5 kg\t300 euros\nX200\t7 kg\t450 euros"


@pytest.mark.parametrize("figure", ["weight of the X200 is 9 kg", "price of the X100 is 450 euros"])
def test_a_row_is_no_sentence_that_could_replace_one(figure: str) -> None:
    assert source_wording(f"The {figure}.", ROWS, "Scales\nModel\tWeight\tPrice") is None
    assert not is_proven(f"The {figure}.", ROWS, "Scales\nModel\tWeight\tPrice")


THINGS = {
    "{} weighs {} kilograms.": ("X100", "X1000", "X200", "XR2000", "XR2001", "Model A5", "Model A50"),
    "{} runs at {} bar.": ("Pump 4", "Pump 14", "Pump 40", "Pump 41"),
    "{} has {} million inhabitants.": ("Berlin", "Hamburg", "Munich", "Leipzig"),
    "{}의 무게는 {}킬로그램이다.": ("X100", "X200", "X1000", "4호 펌프", "14호 펌프"),
}
TEXTS = {
    "{} weighs {} kilograms.": "It weighs {} kilograms and runs on two batteries.",
    "{} runs at {} bar.": "It runs at {} bar and is made of steel.",
    "{} has {} million inhabitants.": "The city has {} million inhabitants and an airport.",
    "{}의 무게는 {}킬로그램이다.": "무게는 {}킬로그램이고 배터리 두 개로 작동한다.",
}


@pytest.mark.slow  # ten seconds
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_of_many_sections_each_thing_gets_its_own_value_or_none(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(sorted(THINGS)))
    things = data.draw(st.permutations(THINGS[form]))
    values = data.draw(st.lists(st.integers(51, 98), min_size=len(things), max_size=len(things), unique=True))
    known = dict(list(zip(things, values, strict=True))[1:])
    sources = Sources(
        Source(number, "manual.md", TEXTS[form].format(value), f"Manual › {thing}")
        for number, (thing, value) in enumerate(known.items(), start=1)
    )
    for thing in things:
        found = rewrite_statement({"statement": form.format(thing, 99), "sources": sources})
        assert found.text in ("", *(form.format(thing, known[thing]) for _ in range(thing in known)))
