"""Statements about lists of similar things, some missing or wrong: the results of repairs (V6).

The source is a list of facts; the answer says every fact, with other values for some and about things that the source
lacks for others. The offline judge decides and rewrites, as in the services.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citewell_verify.correction.corrected_answer import is_proven, source_wording
from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.evidence.equivalence import names_subjects
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.ruling import Grounds

# Some 260 lists; tests/services/test_missing_subjects.py has two long ones in the short set.
pytestmark = pytest.mark.slow

WORDS_ONLY = Meaning(None)
Write = Callable[[str, int], str]


@dataclass(frozen=True)
class Kind:
    """Things of one kind and how a line gives their value."""

    things: tuple[str, ...]
    write: Write


def _numbered(name: str, count: int = 30) -> tuple[str, ...]:
    return tuple(f"{name} {number}" for number in range(1, count))


QUARTERS = tuple(f"Q{quarter} {year}" for year in range(2019, 2025) for quarter in range(1, 5))
KINDS = (
    Kind(_numbered("Pump"), lambda thing, value: f"{thing} runs at {value} bar."),
    Kind(_numbered("Room"), lambda thing, value: f"{thing} has {value} seats."),
    Kind(_numbered("Section"), lambda thing, value: f"{thing} contains {value} exercises."),
    Kind(tuple(f"Item {letter}" for letter in "BCDEFGHJKLMN"), lambda thing, value: f"{thing} costs ${value}."),
    Kind(QUARTERS, lambda thing, value: f"Revenue in {thing} was ${value} million."),
    Kind(
        ("Hamburg", "Berlin", "Munich", "Leipzig", "Dresden", "Bremen", "Kassel", "Bonn"),
        lambda thing, value: f"{thing} has {value} hospitals.",
    ),
    Kind(
        ("revenue", "profit", "dividend", "debt", "headcount", "output", "inventory"),
        lambda thing, value: f"The company's {thing} rose by {value} percent.",
    ),
    Kind(
        ("Alice Moore", "Robert Lang", "Maria Silva", "Peter Novak", "Ingrid Dahl", "Omar Haddad"),
        lambda thing, value: f"{thing} leads a team of {value} engineers.",
    ),
    Kind(tuple(f"{n}호 펌프" for n in range(1, 30)), lambda thing, value: f"{thing}는 {value}바로 가동된다."),
    Kind(tuple(f"{n}팀" for n in range(1, 30)), lambda thing, value: f"{thing}은 예산 {value}억 원을 쓴다."),
    Kind(
        ("서울", "부산", "대전", "광주", "인천", "울산"), lambda thing, value: f"{thing} 지점의 직원은 {value}명이다."
    ),
    Kind(("매출", "순이익", "자산", "부채"), lambda thing, value: f"회사의 {thing}은 {value}퍼센트 늘었다."),
)


@dataclass(frozen=True)
class Listed:
    """`known` are the source's values by thing, `claimed` those of the answer, which has more things."""

    kind: Kind
    known: dict[str, int]
    claimed: dict[str, int]

    @property
    def source(self) -> str:
        return "\n".join(self.kind.write(*each) for each in self.known.items())

    def right(self) -> set[str]:
        return {self.kind.write(*each) for each in self.known.items()}


@st.composite
def lists(draw: st.DrawFn) -> Listed:
    kind = draw(st.sampled_from(KINDS))
    things = draw(st.lists(st.sampled_from(kind.things), min_size=3, max_size=6, unique=True))
    values = draw(st.lists(st.integers(31, 98), min_size=2 * len(things), max_size=2 * len(things), unique=True))
    missing = draw(st.integers(1, len(things) - 1))
    told = dict(zip(things, values, strict=False))
    wrong = {thing: value for thing, value in zip(things, values[len(things) :], strict=True) if draw(st.booleans())}
    return Listed(kind, dict(list(told.items())[missing:]), {**told, **wrong})


def repaired(statement: str, source: str) -> str | None:
    """The repaired statement: itself, other words, or None where it is dropped or stays marked."""
    sources = Sources.numbered([("list.md", source)])
    ruling = Grounds.of(statement, [source]).rule(check_statement(statement, sources, WORDS_ONLY))
    if ruling.supports:
        return statement
    place = (ruling.evidence.start, ruling.evidence.end) if ruling.evidence else None
    return source_wording(statement, source, contradicting=place if ruling.relation == "contradicts" else None)


@settings(max_examples=60, deadline=None)
@given(lists())
def test_a_repair_never_gives_one_thing_the_value_of_another(case: Listed) -> None:  # V6
    for thing, value in case.claimed.items():
        text = repaired(case.kind.write(thing, value), case.source)
        assert text is None or text in case.right()
        assert text is None or thing in text


@settings(max_examples=40, deadline=None)
@given(lists())
def test_what_is_about_something_that_no_source_names_is_not_answered(case: Listed) -> None:  # V6
    for thing in case.claimed.keys() - case.known.keys():
        assert repaired(case.kind.write(thing, case.claimed[thing]), case.source) is None


@settings(max_examples=40, deadline=None)
@given(lists())
def test_what_a_repair_leaves_passes_again_and_stays(case: Listed) -> None:  # V1, V4, V6
    for each in case.claimed.items():
        text = repaired(case.kind.write(*each), case.source)
        if text is not None:
            assert repaired(text, case.source) == text
            assert disagreements(text, case.source) == ()
            assert is_proven(text, case.source)


@settings(max_examples=60, deadline=None)
@given(lists())
def test_a_wrong_value_is_corrected_from_the_line_of_its_own_subject(case: Listed) -> None:  # N5, V6
    corrected = [
        repaired(case.kind.write(thing, value), case.source) == case.kind.write(thing, case.known[thing])
        for thing, value in case.claimed.items()
        if thing in case.known
    ]
    assert all(corrected)


@settings(max_examples=60, deadline=None)
@given(lists())
def test_a_line_about_another_thing_keeps_no_subjects(case: Listed) -> None:  # V6
    lines = {thing: case.kind.write(thing, value) for thing, value in case.claimed.items()}
    for thing, line in lines.items():
        assert all(names_subjects(other, line) == (thing == another) for another, other in lines.items())
