"""Words and stems: inflected forms meet, different words do not."""

from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.text.words import content_stems, coverage, stem, words
from verify_material.rows import for_all_rows


@for_all_rows(
    "forms",
    [
        "return returns returned returning",
        "policy policies",
        "make makes making",
        "run running runs",
        "class classes",
        "study studies studied",
        "process processes",
        "stop stopped stopping",
        "검색 검색을 검색은 검색하는 검색했다",
        "서울 서울은 서울에서 서울의",
        "반품 반품은 반품할 반품하지",
        "고양이 고양이는 고양이가",
        "2,019 2019",
        "twelve 12",
    ],
)
def test_forms_of_one_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in words(forms)}) == 1


@for_all_rows("pair", ["policy police", "basic basis", "king kin", "나라 나무", "국가 국회", "need ned"])
def test_different_words_have_different_stems(pair: str) -> None:
    left, right = words(pair)
    assert stem(left) != stem(right)


def test_content_stems_leave_out_what_says_nothing_and_part_numbers_from_their_units() -> None:
    assert content_stems("What is the refund policy of the company?") == ["refund", "polici", "company"[:-1] + "i"]
    assert content_stems("환불은 구매일로부터 30일 이내에 해야 합니다.") == [
        "환불",
        "구매일",
        "30",
        "일",
        "이내",
        "해야",
    ]
    assert content_stems("매출은 3,940억 원") == content_stems("매출 3940 억 원")


@given(st.text(max_size=60))
def test_every_word_has_a_stem_and_it_is_its_own(text: str) -> None:
    for word in words(text):
        assert stem(word) != ""


@given(st.lists(st.text(min_size=1, max_size=8)), st.sets(st.text(min_size=1, max_size=8)))
def test_coverage_is_a_share(wanted: list[str], there: set[str]) -> None:
    assert 0.0 <= coverage(wanted, there) <= 1.0
    assert coverage(wanted, set(wanted)) == (1.0 if wanted else 0.0)


def test_words_that_begin_alike_count_in_part() -> None:
    assert 0 < coverage(["manufactur"], {"manufacturer"}) < 1
    assert coverage(["polici"], {"polic"}) > coverage(["polici"], {"person"}) == 0
