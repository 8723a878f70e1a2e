"""The hand-written statements match the claims of their benchmarks."""

from collections import Counter

import pytest

from benchmarks.verdicts.everyday import HALVES, read_pairs
from benchmarks.verdicts.paraphrases import ERRORS, Paraphrase, read_paraphrases
from benchmarks.verdicts.reader_cases import GROUPS, ReaderCase, read_cases
from citewell_verify.text.sentences import split_sentences

LANGUAGES = {"en", "ko"}
HANGUL = range(0xAC00, 0xD7A4)


@pytest.fixture(scope="module")
def paraphrases() -> list[Paraphrase]:
    return read_paraphrases()


@pytest.fixture(scope="module")
def cases() -> list[ReaderCase]:
    return read_cases()


def is_korean(text: str) -> bool:
    return sum(ord(sign) in HANGUL for sign in text) > len(text) / 5


def plain(text: str) -> str:
    return " ".join(text.lower().rstrip(" .").split())


def sentences(text: str) -> set[str]:
    return {plain(sentence.text) for sentence in split_sentences(text)}


def test_every_case_has_an_id_of_its_own_and_is_in_the_language_that_it_names(
    paraphrases: list[Paraphrase], cases: list[ReaderCase]
) -> None:
    for group in (paraphrases, cases):
        assert len({each.id for each in group}) == len(group)
        for each in group:
            assert each.language in LANGUAGES
            assert is_korean(each.statement) is is_korean(each.source) is (each.language == "ko"), each.id


def test_half_of_the_paraphrases_of_each_language_have_one_error(paraphrases: list[Paraphrase]) -> None:
    counted = Counter((pair.language, pair.faithful) for pair in paraphrases)
    assert counted == {(language, faithful): 50 for language in LANGUAGES for faithful in (True, False)}
    for language in LANGUAGES:
        errors = Counter(pair.error for pair in paraphrases if pair.language == language and pair.error)
        assert set(errors) == set(ERRORS)
        assert min(errors.values()) >= 3
    assert all(pair.faithful is (pair.error is None) for pair in paraphrases)


def test_a_passage_has_two_to_six_sentences_and_no_paraphrase_repeats_one(paraphrases: list[Paraphrase]) -> None:
    for pair in paraphrases:
        assert 2 <= len(sentences(pair.source)) <= 6, pair.id
        assert plain(pair.statement) not in plain(pair.source), pair.id


def test_the_reader_s_cases_have_what_was_reported_and_both_verdicts(cases: list[ReaderCase]) -> None:
    counted = Counter(case.group for case in cases)
    assert set(counted) == set(GROUPS)
    assert (counted["swap"], counted["single change"]) == (12, 47)
    assert counted["citation"] >= 9
    for case in cases:
        if case.group != "more":
            assert case.supported is (case.group == "false alarm"), case.id
    assert {(case.language, case.supported) for case in cases if case.group == "more"} == {
        (language, supported) for language in LANGUAGES for supported in (True, False)
    }


def test_only_what_is_marked_as_verbatim_is_a_sentence_of_its_source(cases: list[ReaderCase]) -> None:
    for case in cases:
        assert (plain(case.statement) in sentences(case.source)) is case.verbatim, case.id
        assert case.supported or not case.verbatim, case.id


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_everyday_statements_are_true_or_wrong_and_the_kept_half_has_sources_of_its_own(language: str) -> None:
    pairs = read_pairs(language)
    assert Counter(pair.label for pair in pairs) == {"true": 120, "wrong": 140}
    assert len({pair.id for pair in pairs}) == len({pair.statement for pair in pairs}) == 260
    opened, kept = ({pair.source for pair in pairs if pair.half == half} for half in HALVES)
    assert opened
    assert kept
    assert not opened & kept
    for pair in pairs:
        assert is_korean(pair.statement) is is_korean(pair.source) is (language == "ko"), pair.id
        assert plain(pair.statement) not in plain(pair.source), pair.id
