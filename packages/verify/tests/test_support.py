"""Support of a statement by a source: the fitted weights, and properties independent of them (S5.4)."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.evidence.contradictions import best_places, disagreements
from citewell_verify.facts.kinds import Disagreement
from citewell_verify.support.comparison import AnalysedSentences, AnalysedText, Comparison, RelatedStems, compare
from citewell_verify.support.model import (
    DIRECTIONS,
    MEANING,
    Precisions,
    features,
    precision,
    precisions,
    support_model,
    with_closeness,
)
from citewell_verify.text.sentences import split_sentences
from citewell_verify.verdicts.states import CONFIDENCE_THRESHOLD
from verify_material.rows import for_all_rows

SOURCE = (
    "Full-time employees receive 15 days of paid leave per year. Leave must be requested three days in advance. "
    "Unused leave is lost at the end of the year."
)
KOREAN = "모든 환불 요청은 구매일로부터 30일 이내에 해야 합니다. 개봉한 제품은 환불이 불가능합니다."
UNRELATED = " ".join(
    f"The harbour of town {name} was dredged by the council." for name in "Alva Borg Cleve Doorn".split()
)
SAID = [*(sentence.text for sentence in split_sentences(SOURCE)), *(each.text for each in split_sentences(KOREAN))]
SHARES = st.floats(0, 1)


def laid_beside(statement: str, source: str) -> Comparison:
    return compare(
        AnalysedText(statement), AnalysedSentences(AnalysedText(each.text) for each in split_sentences(source))
    )


def support(statement: str, source: str) -> float:
    found = disagreements(statement, source)
    observed = features(laid_beside(statement, source), best_places(statement, source), found)
    return support_model().support(observed)


# N8
@given(st.text(max_size=80), st.text(max_size=200))
def test_the_support_of_any_text_by_any_other_is_a_probability_and_always_the_same(statement: str, source: str) -> None:
    probability = support(statement, source)
    assert 0 <= probability <= 1
    assert support(statement, source) == probability


# S4.4
@given(st.fixed_dictionaries(dict.fromkeys(DIRECTIONS, SHARES)))
def test_a_copied_sentence_with_one_thing_exchanged_is_surely_not_supported(observed: dict[str, float]) -> None:
    assert support_model().support(observed, substituted=True) <= 0.1


@pytest.mark.parametrize("kind", ["number", "date", "negation"])
def test_a_difference_lowers_the_support_but_does_not_decide_alone(kind: Any) -> None:
    compared = laid_beside("Full-time employees receive paid leave.", SOURCE)
    places = best_places("Full-time employees receive paid leave.", SOURCE)
    found = Disagreement(kind, "15", "20", "")
    differing = support_model().support(features(compared, places, [found]))
    assert 0.1 < differing < support_model().support(features(compared, places, []))


def test_only_kinds_of_differences_that_are_seldom_wrong_lower_the_support() -> None:
    compared = laid_beside("Full-time employees receive paid leave.", SOURCE)
    for kind in ("wording", "order", "modality", "quantifier", "subject", "attribution"):
        found = Disagreement(kind, "15", "20", "")
        assert features(compared, (), [found]) == features(compared, (), [])


# S4.4
def test_a_difference_weighs_what_its_kind_was_worth_on_labelled_pairs() -> None:
    shares = [precision(Disagreement(kind, "a", "b", "")) for kind in ("number", "negation", "wording")]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.75 > 0.5 > shares[-1] - 0.1
    found = precisions()
    assert all(0 < share < 1 for row in found.by_closeness.values() for share in row)
    assert all(len(row) == len(found.edges) + 1 for row in found.by_closeness.values())


def test_the_precision_of_a_kind_depends_on_closeness_and_of_an_unknown_kind_is_the_mean() -> None:
    found = Precisions("1", 0.6, {"number": 0.8}, (0.5,), {"number": (0.9, 0.7)})
    assert [found.of("number", at) for at in (None, 0.0, 0.49, 0.5, 1.0)] == [0.8, 0.9, 0.9, 0.7, 0.7]
    assert found.of("colour", 0.3) == 0.6


@given(st.fixed_dictionaries(dict.fromkeys(DIRECTIONS, SHARES)))
def test_what_stands_there_word_for_word_is_supported(observed: dict[str, float]) -> None:
    assert support_model().support(observed, verbatim=True) > support_model().likely


@given(st.fixed_dictionaries(dict.fromkeys(DIRECTIONS, SHARES)), st.sampled_from(sorted(DIRECTIONS)), SHARES)
def test_every_feature_pushes_the_way_it_is_meant_to(observed: dict[str, float], name: str, more: float) -> None:
    pushed = {**observed, name: observed[name] + more}
    before, after = (support_model().support(each) for each in (observed, pushed))
    assert (after - before) * DIRECTIONS[name] >= -1e-12


@given(st.sampled_from(SAID), st.lists(st.sampled_from("zebra quartz violin mosque".split()), min_size=1, unique=True))
def test_words_that_the_source_lacks_never_raise_the_support(said: str, added: list[str]) -> None:
    source = f"{SOURCE} {KOREAN}"
    assert support(f"{said.rstrip('.')} {' '.join(added)}.", source) < support(said, source)


@given(st.sampled_from(SAID), st.integers(1, 40))
def test_more_text_about_something_else_leaves_the_support_as_it_is(said: str, times: int) -> None:
    long = f"{SOURCE} {KOREAN} {UNRELATED}"
    assert support(said, f"{long} {UNRELATED * times}") == pytest.approx(support(said, long), abs=0.05)
    assert support(said, long) == pytest.approx(support(said, f"{SOURCE} {KOREAN}"), abs=0.15)


@for_all_rows(
    ("statement", "likely"),
    [
        ("Employees who work full-time receive 15 days of paid leave each year.", True),
        ("Unused leave is lost when the year ends.", True),
        ("개봉한 제품은 환불이 불가능하다.", True),
        ("Employees are paid a pension by the city of Oslo.", False),
        ("회사는 서울에 새로운 공장을 세웠다.", False),
    ],
)
def test_a_statement_in_other_words_is_told_from_one_about_something_else(statement: str, likely: bool) -> None:
    assert (support(statement, f"{SOURCE} {KOREAN}") >= 0.5) == likely


def test_the_best_window_is_where_neighbouring_sentences_tell_most_of_a_statement() -> None:
    compared = laid_beside("Leave is requested in advance and lost at the end.", f"{UNRELATED} {SOURCE}")
    assert [sentence.text for sentence in compared.window] == [each.text for each in split_sentences(SOURCE)]
    assert compared.best.text == "Leave must be requested three days in advance."
    assert compared.overlap == pytest.approx(1)


def test_what_is_missing_is_named() -> None:
    compared = laid_beside(
        "Unused leave is paid out at the end of the month in Oslo.", "Unused leave is lost at the end of the year."
    )
    assert compared.absent_words() == ["paid", "month", "oslo"]
    assert compared.lacking == 1


def test_a_name_that_a_long_source_lacks_weighs_more_than_one_that_a_sentence_lacks() -> None:
    named, unnamed = "Oslo pays for unused leave.", "The city pays for unused leave."
    for source, least in ((SOURCE.split(". ")[0], 0.0), (f"{SOURCE} {UNRELATED}", 0.1)):
        compared = [features(laid_beside(f"Yes, {each}", source), (), ()) for each in (named, unnamed)]
        assert compared[0]["lacking"] >= compared[1]["lacking"] + least


def test_without_sentences_nothing_is_covered() -> None:
    compared = laid_beside("Unused leave is lost.", "")
    assert (compared.overlap, compared.best.text, compared.lacking) == (0, "", 0)


@given(st.text(min_size=1, max_size=12), st.lists(st.text(min_size=1, max_size=12), max_size=6))
def test_a_stem_is_akin_to_itself_and_to_others_by_its_first_letters(wanted: str, others: list[str]) -> None:
    assert RelatedStems([*others, wanted]).similarity(wanted) == 1
    assert RelatedStems(others).similarity(wanted) in {0, 1} or RelatedStems(others).similarity(wanted) >= 0.6


def test_korean_endings_leave_words_akin() -> None:
    assert RelatedStems(["멋지"]).similarity("멋졌") >= 0.6
    assert RelatedStems(AnalysedText("응시 인원이 급감한 것이다.").stems).similarity("인원") == 1
    assert RelatedStems(["서울"]).similarity("부산") == 0


def test_the_words_of_a_name_are_known_by_their_capitals() -> None:
    assert AnalysedText("Yesterday Ada Lovelace met Charles Babbage.").names == {"ada", "lovelac", "charl", "babbag"}


def test_meaning_is_weighed_only_where_it_is_known() -> None:
    compared = laid_beside("Unused leave is forfeited.", SOURCE)
    words = features(compared, (), ())
    near, far = with_closeness(words, 0.9), with_closeness(words, 0.2)
    assert near.keys() - with_closeness(words, None).keys() == MEANING
    scores = [support_model().support(each) for each in (near, far)]
    assert scores[0] > scores[1]


def test_the_shipped_weights_have_their_signs_and_fit_the_features() -> None:
    model = support_model()
    assert model.full.weights.keys() == DIRECTIONS.keys()
    assert model.words.weights.keys() == DIRECTIONS.keys() - MEANING
    for weighing in (model.full, model.words):
        assert all(weight * DIRECTIONS[name] >= 0 for name, weight in weighing.weights.items())
        assert all(scale > 0 for scale in weighing.scales.values())


# N8
def test_the_version_of_the_weights_is_a_hash_of_them() -> None:
    for name in ("model.json", "differences.json"):
        data = json.loads((files("citewell_verify.support") / name).read_text(encoding="utf-8"))
        version = data.pop("version")
        assert hashlib.sha256(json.dumps(data).encode()).hexdigest().startswith(version)


def test_the_band_without_a_verdict_is_where_confidence_is_too_low_for_one() -> None:
    model = support_model()
    assert model.likely == pytest.approx(CONFIDENCE_THRESHOLD)
    assert model.unlikely == pytest.approx(1 - CONFIDENCE_THRESHOLD)
    assert [model.is_uncertain(each) for each in (0.1, 0.5, 0.9)] == [False, True, False]


def test_many_threads_read_the_same_of_one_sentence() -> None:
    statement, sentence = AnalysedText("Unused leave is not paid."), AnalysedText(SOURCE)
    with ThreadPoolExecutor(8) as threads:
        compared = list(threads.map(compare, [statement] * 32, [AnalysedSentences([sentence])] * 32))
        found = list(threads.map(features, compared, [()] * 32, [()] * 32))
    assert all(each == found[0] for each in found)
