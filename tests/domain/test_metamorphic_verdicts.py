"""Verdicts on cases of known truth, made from the project's own examples: the bounds of V1-V4.

The command `python -m benchmarks.metamorphic FOLDER` tries thousands more, from other texts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pytest

from benchmarks.metamorphic.cases import KINDS, Case
from benchmarks.metamorphic.generating import generate
from benchmarks.metamorphic.judges import Outcome, is_unchanged, judges, outcomes
from benchmarks.metamorphic.texts import project_texts
from citewell_verify.embeddings.wheel import default_embedder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("metamorphic"),  # in one process, which judges the cases once for all tests
]

_EACH = 20
_MOST_OF_A_KIND, _MOST_OF_ALL, _MOST_STRUCK = 0.05, 0.02, 0.05
_LANGUAGES = ("en", "ko")
_TRUSTED = ("offline", "yes", "yes, random")
# A judge that says yes at both looks passes with what it can quote, but for a copy with one of these exchanged.
_PLAIN = frozenset(
    (
        *("swap: numbered things", "swap: dates", "swap: places", "swap: names", "change: number", "change: unit"),
        *("change: date", "change: half of the day", "change: name", "change: negation"),
    )
)
_MOST_PLAIN = 0.08
_UNQUOTED = ("yes, empty", "yes, invented")


@dataclass(frozen=True, slots=True)
class _Tried:
    case: Case
    outcomes: Mapping[str, Outcome]


@cache
def _tried(language: str) -> Sequence[_Tried]:
    asked = judges(default_embedder())
    cases = generate(project_texts(), language, _EACH * len(KINDS), seed=17)
    return [_Tried(case, outcomes(case, asked)) for case in cases]


def _wrong(language: str) -> list[_Tried]:
    return [each for each in _tried(language) if each.case.expected == "not_supported"]


def _told(members: Sequence[_Tried]) -> str:
    return "\n".join(f"{each.case.kind}: {each.case.statement} << {each.case.source!r}" for each in members)


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("judge", [*_TRUSTED, *_UNQUOTED])
def test_what_stands_in_the_source_word_for_word_is_supported(language: str, judge: str) -> None:  # V1
    verbatim = [each for each in _tried(language) if each.case.kind == "verbatim"]
    failing = [each for each in verbatim if not each.outcomes[judge].supported]
    assert len(verbatim) == _EACH
    assert not failing, _told(failing)


@pytest.mark.parametrize("language", _LANGUAGES)
def test_what_stands_in_the_source_word_for_word_comes_back_byte_for_byte(language: str) -> None:  # V1, V5
    cases = [case for case in generate(project_texts(), language, 400, seed=18, kinds=["verbatim"]) if case.unchanged]
    changed = [case.statement for case in cases if not is_unchanged(case)]
    assert len(cases) == 400
    assert not changed


@pytest.mark.parametrize("language", _LANGUAGES)
def test_of_no_kind_of_wrong_statement_more_than_one_in_twenty_is_supported(language: str) -> None:  # V2, V3
    by_kind: dict[str, list[_Tried]] = defaultdict(list)
    for each in _wrong(language):
        by_kind[each.case.kind].append(each)
    for kind, members in by_kind.items():
        passing = [each for each in members if each.outcomes["offline"].supported]
        assert len(passing) <= _MOST_OF_A_KIND * len(members), f"{kind}\n{_told(passing)}"


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("judge", ["offline", *_UNQUOTED])
def test_of_all_wrong_statements_at_most_one_in_fifty_is_supported(language: str, judge: str) -> None:  # V2, V3, V4
    wrong = _wrong(language)
    passing = [each for each in wrong if each.outcomes[judge].supported]
    assert len(passing) <= _MOST_OF_ALL * len(wrong), _told(passing)


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("judge", ["yes", "yes, random"])
def test_a_copy_with_one_part_exchanged_is_seldom_supported_whatever_a_judge_says(
    language: str, judge: str
) -> None:  # V2
    plain = [each for each in _wrong(language) if each.case.kind in _PLAIN]
    passing = [each for each in plain if each.outcomes[judge].supported]
    assert len(plain) == _EACH * len(_PLAIN)
    assert len(passing) <= _MOST_PLAIN * len(plain), _told(passing)


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("judge", _TRUSTED)
def test_a_faithful_rewording_is_seldom_struck(language: str, judge: str) -> None:
    faithful = [each for each in _tried(language) if each.case.kind.startswith("faithful")]
    struck = [each for each in faithful if each.outcomes[judge].struck]
    assert len(struck) <= _MOST_STRUCK * len(faithful), _told(struck)


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("judge", _UNQUOTED)
def test_a_yes_without_a_real_quotation_never_gets_more_than_one_with_it(language: str, judge: str) -> None:  # V4
    more = [
        each
        for each in _tried(language)
        if each.outcomes[judge].supported and not (each.outcomes["yes"].supported or each.outcomes["offline"].supported)
    ]
    assert not more, _told(more)
