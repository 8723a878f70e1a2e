"""A list of 150 lines of which 22 name things that no source has: no repair gives them another's figures (V6)."""

from functools import cache, partial
from typing import Any

import pytest

from benchmarks.verdicts.missing_subjects import LISTED, Language, PumpList
from tests.services.given_story import GivenStory
from tests.services.story import with_offline

# In one process: the list takes a second to verify, and is verified once for all tests.
pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.xdist_group("missing subjects")]

LANGUAGES: list[Language] = ["en", "ko"]
by_words = partial(with_offline, embeddings=False)


@cache
def repaired(language: Language) -> dict[str, Any]:
    """The repaired list; it is verified once for all tests."""
    pumps = PumpList(language)
    return GivenStory(pumps.answer, pumps.source, play=by_words).verified()


def number_of(pumps: PumpList, sentence: dict[str, Any]) -> int:
    (stated,) = pumps.stated(sentence["text"])
    return stated.number


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_has_22_lines_whose_subject_is_in_no_source(language: Language) -> None:  # V6
    pumps = PumpList(language)
    named, claimed = pumps.stated(pumps.source), pumps.stated(pumps.answer)
    assert len(pumps.missing) == 22
    assert (len(named), len(claimed)) == (LISTED - 22, LISTED)
    assert {pump.number for pump in claimed} - {pump.number for pump in named} == pumps.missing
    assert {pump.number for pump in claimed if pump not in named} - pumps.missing == pumps.wrong


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow
def test_no_line_states_figures_of_another_subject_after_the_repair(language: Language) -> None:  # V6
    pumps = PumpList(language)
    result = repaired(language)
    assert pumps.misstated(result["repaired_answer"]) == []
    rewritten = [edit["statement"] for edit in result["edits"] if edit["kind"] == "rewritten"]
    assert not pumps.missing & {number_of(pumps, result["sentences"][index]) for index in rewritten}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_no_source_names_is_not_supported_and_what_one_says_is(language: Language) -> None:  # V2, V6
    pumps = PumpList(language)
    supported = {number_of(pumps, each) for each in repaired(language)["sentences"] if each["status"] == "supported"}
    assert supported == set(range(1, LISTED + 1)) - pumps.missing - pumps.wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_figure_is_corrected_from_the_line_of_its_own_subject(language: Language) -> None:  # N5, V6
    pumps = PumpList(language)
    right = {pump for pump in pumps.pumps if pump.number in pumps.wrong}
    assert right <= set(pumps.stated(repaired(language)["repaired_answer"]))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.slow
def test_the_repaired_list_is_not_repaired_again(language: Language) -> None:  # V6
    pumps = PumpList(language)
    first = repaired(language)["repaired_answer"]
    again = GivenStory(first, pumps.source, play=by_words).verified()
    assert pumps.stated(again["repaired_answer"]) == pumps.stated(first)
