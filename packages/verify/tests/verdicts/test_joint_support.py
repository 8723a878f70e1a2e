"""What several sources say together, and what only looks like it (V7): pairs of facts of one kind, in two sources."""

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.verdicts.joint_support import JointSupport, find_joint_support, joint_rulings
from verify_material.rows import for_all_rows

YES = StatementCheck(evidence="", explanation="all of it", relation="supports", is_accurate=True, confidence=0.97)
Write = Callable[[str, int], str]


@dataclass(frozen=True)
class Kind:
    """Things of one kind, their line in a source, and how two lines are joined in an answer."""

    things: tuple[str, ...]
    line: Write
    join: Callable[[str, int, str, int], str]


def _and(line: Write) -> Callable[[str, int, str, int], str]:
    return lambda a, x, b, y: f"{line(a, x)[:-1]} and {line(b, y)}"


def _while(line: Write) -> Callable[[str, int, str, int], str]:
    return lambda a, x, b, y: f"{line(a, x)[:-1]}, while {line(b, y)}"


def _weighs(thing: str, value: int) -> str:
    return f"{thing} weighs {value} kg."


def _opened(thing: str, value: int) -> str:
    return f"{thing} opened {value} shops."


def _staff(thing: str, value: int) -> str:
    return f"{thing} 지점의 직원은 {value}명이다."


KINDS = (
    Kind(("Nova", "Orion", "Vega", "Lyra", "Mira", "Atria"), _weighs, _and(_weighs)),
    Kind(("Pump 3", "Pump 4", "Pump 17", "Pump 31", "Pump 40"), _weighs, _while(_weighs)),
    Kind(("Berlin", "Hamburg", "Munich", "Leipzig", "Dresden"), _opened, _and(_opened)),
    Kind(
        ("서울", "부산", "대전", "광주", "인천", "울산"),
        _staff,
        lambda a, x, b, y: f"{a} 지점의 직원은 {x}명이고 {b} 지점의 직원은 {y}명이다.",
    ),
    Kind(
        ("3호 펌프", "4호 펌프", "17호 펌프", "21호 펌프"),
        lambda thing, value: f"{thing}는 {value}바로 가동된다.",
        lambda a, x, b, y: f"{a}는 {x}바로 가동되며 {b}는 {y}바로 가동된다.",
    ),
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Kind, str, int, str, int]:
    kind = draw(st.sampled_from(KINDS))
    one, other = draw(st.lists(st.sampled_from(kind.things), min_size=2, max_size=2, unique=True))
    x, y = draw(st.lists(st.integers(50, 99), min_size=2, max_size=2, unique=True))
    return kind, one, x, other, y


def read(statement: str, *sources: str) -> JointSupport | None:
    return find_joint_support(statement, sources)


def approved(joint: JointSupport | None, *sources: str) -> list[bool]:
    """Whether each source is approved when a model says yes to everything."""
    rulings = joint_rulings(joint, YES, range(len(sources))) if joint else {}
    return [place in rulings and rulings[place].supports for place in range(len(sources))]


@pytest.mark.slow  # three seconds
@settings(max_examples=400, deadline=None)
@given(pairs())
def test_two_facts_of_two_sources_are_supported_by_both(pair: tuple[Kind, str, int, str, int]) -> None:  # V7
    kind, one, x, other, y = pair
    sources = kind.line(one, x), kind.line(other, y)
    joint = read(kind.join(one, x, other, y), *sources)
    assert joint
    assert joint.complete
    assert approved(joint, *sources) == [True, True]


@settings(max_examples=400, deadline=None)
@given(pairs())
@pytest.mark.slow
def test_no_model_can_approve_two_facts_with_their_subjects_exchanged(
    pair: tuple[Kind, str, int, str, int],
) -> None:  # V2, V7
    kind, one, x, other, y = pair
    sources = kind.line(one, x), kind.line(other, y)
    assert approved(read(kind.join(other, x, one, y), *sources), *sources) == [False, False]


@pytest.mark.slow  # three seconds
@settings(max_examples=400, deadline=None)
@given(pairs(), st.integers(100, 140))
def test_a_part_that_no_source_says_is_told(pair: tuple[Kind, str, int, str, int], odd: int) -> None:  # V3, V7
    kind, one, x, other, y = pair
    sources = kind.line(one, x), kind.line(other, y)
    joint = read(kind.join(one, x, other, odd), *sources)
    assert joint
    assert len(joint.missing) == 1
    ruling = joint_rulings(joint, None, range(2))
    assert [each.relation for each in ruling.values()] == ["partially_supports"]
    assert ruling[0].explanation.startswith("for: ")
    assert "no cited source says" in ruling[0].explanation


@settings(max_examples=200, deadline=None)
@given(pairs())
@pytest.mark.slow
def test_evidence_stands_in_the_source_that_it_is_for(pair: tuple[Kind, str, int, str, int]) -> None:  # V4, V7
    kind, one, x, other, y = pair
    sources = f"A first line. {kind.line(one, x)}", f"{kind.line(other, y)} A last line."
    joint = read(kind.join(one, x, other, y), *sources)
    assert joint
    for place, (thing, value) in enumerate(((one, x), (other, y))):
        (part,) = joint.of_source(place)
        found = part.evidence[place]
        assert thing in sources[place][found.start : found.end]
        assert str(value) in sources[place][found.start : found.end]


SHARED = [
    ("The Nova pump weighs 12 kg and costs $90.", "The Nova pump weighs 12 kg.", "The Nova pump costs $90."),
    ("Acme makes pumps and valves.", "Acme makes pumps.", "Acme makes valves."),
    ("Ada Lee, born in Lodz in 1867, won prizes.", "Ada Lee was born in Lodz in 1867.", "Ada Lee won prizes."),
    ("노바의 무게는 12kg이고 가격은 90달러이다.", "노바의 무게는 12kg이다.", "노바의 가격은 90달러이다."),
]  # fmt: skip


@pytest.mark.parametrize("case", SHARED)
def test_parts_may_share_their_subject_or_verb(case: tuple[str, str, str]) -> None:  # V7, S4.7
    assert approved(read(*case), *case[1:]) == [True, True]


ELSEWHERE = [
    ("The Nova pump weighs 12 kg and costs $90.", "The Nova pump weighs 12 kg.", "The Orion pump costs $90."),
    ("Acme makes pumps and valves.", "Acme makes pumps.", "Acme sells valves."),
    ("Marie Curie, born in Lodz in 1867, won prizes.", "Ada Lee was born in Lodz in 1867.", "Marie Curie won prizes."),
    ("노바의 무게는 12kg이고 가격은 90달러이다.", "노바의 무게는 12kg이다.", "오리온의 가격은 90달러이다."),
    ("Acme's sales were $5 million and services grew 8%.", "Acme's sales were $5 million.", "Bolt services grew 8%."),
]  # fmt: skip


@for_all_rows("case", ELSEWHERE)
def test_what_parts_share_is_not_what_another_subject_has(case: tuple[str, str, str]) -> None:  # V2, V7
    assert approved(read(*case), *case[1:]) == [False, False]


def test_a_model_that_says_no_is_not_overruled() -> None:  # V7, S5.4
    joint = read("Nova weighs 12 kg and Orion weighs 15 kg.", "Nova weighs 12 kg.", "Orion weighs 15 kg.")
    no = StatementCheck(evidence="", explanation="", relation="contradicts", is_accurate=False, confidence=0.9)
    assert joint
    assert joint_rulings(joint, no, range(2)) == {}


def test_a_source_that_says_no_part_is_not_accurate() -> None:  # V7
    sources = "Nova weighs 12 kg.", "Orion weighs 15 kg.", "Ships are built in Nantes."
    assert approved(read("Nova weighs 12 kg and Orion weighs 15 kg.", *sources), *sources) == [True, True, False]


@pytest.mark.parametrize("joint", [" and ", ", ", "고 ", " and a, b; "])
def test_the_time_is_bounded_by_the_length_of_the_texts(joint: str) -> None:  # A6
    source = "Nova weighs 13 kg, and Orion 14. " * 150
    for count in (30, 3_000):
        started = process_time()
        read(joint.join(["Nova weighs 12 kg"] * count), source, source)
        assert process_time() - started < 10
