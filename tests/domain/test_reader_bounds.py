"""What a sceptical reader tries first gets the right verdict: offline, with a model that says yes, as a citation."""

from functools import cache

from benchmarks.verdicts.reader_cases import ReaderCase, read_cases
from benchmarks.verdicts.verdict_cases import Verdicts, verdicts
from verify_material.rows import for_all_rows

CASES = read_cases()
NAMED = [case for case in CASES if case.group != "more"]
MORE = [case for case in CASES if case.group == "more"]
DENIED = [case for case in NAMED if not case.supported]
TRUE = [case for case in NAMED if case.supported]


@cache
def found(case: ReaderCase) -> Verdicts:
    return verdicts(case.statement, case.source)


@for_all_rows("case", DENIED)
def test_what_the_source_does_not_say_is_not_supported(case: ReaderCase) -> None:  # V2, V3
    assert found(case).passes[:2] == (False, False)


@for_all_rows("case", DENIED)
def test_a_citation_of_what_the_source_does_not_say_is_not_accurate(case: ReaderCase) -> None:  # S4.4
    assert not found(case).citation


@for_all_rows("case", TRUE)
def test_what_the_source_says_in_another_form_is_not_overruled(case: ReaderCase) -> None:  # V1
    judged = found(case)
    assert judged.passes[1], judged.why
    assert not judged.struck, judged.why


@for_all_rows("case", TRUE)
def test_a_citation_of_what_the_source_says_in_another_form_has_no_mismatch(case: ReaderCase) -> None:
    assert found(case).mismatches == ()


@for_all_rows("case", [case for case in TRUE if case.verbatim])
def test_a_sentence_of_the_source_is_supported_without_a_model(case: ReaderCase) -> None:  # V1
    assert found(case).passes == (True, True, True)


def test_at_most_a_third_of_the_further_cases_has_the_wrong_verdict() -> None:  # V2, V3
    wrong = [case.id for case in MORE if found(case).passes[0] is not case.supported]
    assert len(wrong) <= len(MORE) / 3, wrong
