"""Words that exclude each other: listed pairs, their forms, and prefixes that negate."""

import pytest

from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.evidence.substitution import plain_substitution
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.opposites import OPPOSITES, before_noun, opposites
from citewell_verify.text.words import content_stems, stem
from verify_material.rows import for_all_rows


@for_all_rows(
    ("left", "right"),
    [
        ("large", "small"),
        ("larger", "smaller"),
        ("biggest", "smallest"),
        ("wetter", "drier"),
        ("thicker", "thinner"),
        ("safe", "unsafe"),
        ("like", "dislike"),
        ("earliest", "latest"),
        ("rose", "fell"),
        ("많은", "적은"),
        ("긴", "짧은"),
        ("무거운", "가벼운"),
        ("인상", "인하"),
    ],
)
def test_listed_opposites_are_known_in_all_their_degrees(left: str, right: str) -> None:  # V2
    assert frozenset({stem(left), stem(right)}) in OPPOSITES


@pytest.mark.parametrize(
    ("adjective", "form"),
    [("크", "큰"), ("길", "긴"), ("어렵", "어려운"), ("좁", "좁은"), ("높", "높은"), ("빠르", "빠른")],
)
def test_a_korean_adjective_takes_its_form_before_a_noun(adjective: str, form: str) -> None:
    assert before_noun(adjective) == form


@for_all_rows(
    ("claim", "source", "pair"),
    [
        ("Prices rose in spring.", "Prices fell in spring.", ("rose", "fell")),
        ("The entry is unusual here.", "The entry is usual here.", ("unusual", "usual")),
        ("The entry is usual here.", "The entry is unusual here.", ("usual", "unusual")),
        ("Prices rose, then fell.", "Prices fell in spring.", None),
        ("The inform desk opens.", "The form desk opens.", None),
        ("비바람이 불었다.", "바람이 불었다.", None),
        ("회의는 공개이다.", "회의는 비공개이다.", ("공개", "비공개")),
    ],
)
def test_texts_have_opposite_words_unless_one_has_both(claim: str, source: str, pair: tuple[str, str] | None) -> None:
    told = opposites(set(content_stems(claim)), set(content_stems(source)))
    assert told == (tuple(map(stem, pair)) if pair else None)


@for_all_rows(
    ("claim", "source"),
    [
        ("The big hall holds 300 people.", "The hall holds 300 people and a small stage."),
        ("The latest report names three risks.", "The report names three risks; the earliest dates from 2010."),
        ("The initial fee is 20 euros.", "The fee is 20 euros; the last payment is due in May."),
        ("약한 비가 내렸다.", "비가 내렸고 강한 바람이 불었다."),
        ("쌀값은 올랐다.", "쌀값은 올랐으나 채소값은 내렸다."),
    ],
)
def test_an_opposite_of_another_thing_is_no_difference(claim: str, source: str) -> None:  # V2
    judged = check_statement(claim, Sources.numbered([("source", source)]), Meaning(None))
    assert judged.relation != "contradicts"
    assert not plain_substitution(claim, source, "")
    assert not disagreements(claim, source)


@for_all_rows(
    ("claim", "source"),
    [
        ("큰 매장에서 매출이 더 빨리 늘었다.", "보고서는 작은 매장에서 매출이 더 빨리 늘었다고 밝혔다."),
        (
            "임대료가 낮은 동네일수록 통근 시간이 짧다.",
            "조사 결과 임대료가 낮은 동네일수록 통근 시간이 긴 것으로 나타났다.",
        ),
        ("여섯 시간보다 많은 잠이 필요하다고 한다.", "연구팀은 여섯 시간보다 적은 잠이 필요하다고 한다고 밝혔다."),
        ("Bhagat Singh was not a folk hero.", "Bhagat Singh was, as his biographers agree, a folk hero of the north."),
    ],
)
def test_an_opposite_in_a_sentence_that_says_more_is_told(claim: str, source: str) -> None:  # V2
    assert {difference.kind for difference in disagreements(claim, source)} & {"negation", "quantifier"}
