"""Near-duplicates are recognised by their fingerprints, in English and Korean, and others are not."""

import random
from collections.abc import Sequence

import pytest

from domain.documents.fingerprints import NEAR, Fingerprint, fingerprint, similarity

_ENGLISH = (
    "pump valve hall pressure report month boiler inspection order engineer shift quarter repair value limit".split()
)
_KOREAN = (
    "펌프 밸브 압력 보고서 매월 보일러 점검 지시 기술자 교대 분기 수리 한계 값을 기록한다 확인하고 교체하였다".split()
)


def words(of: Sequence[str], count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [draw.choice(of) + str(draw.randrange(1_000)) for _ in range(count)]


def of(text: str) -> Fingerprint:
    known = fingerprint(text)
    assert known is not None
    return known


def shares_a_band(left: Fingerprint, right: Fingerprint) -> bool:
    return bool(set(left.bands) & set(right.bands))


@pytest.mark.parametrize("vocabulary", [_ENGLISH, _KOREAN], ids=["English", "Korean"])
def test_a_text_with_few_changed_words_is_near_and_shares_a_band(vocabulary: Sequence[str]) -> None:
    for seed in range(20):
        text = words(vocabulary, 400, seed)
        edited = [*text[:100], "changed", *text[101:300], "교체", *text[301:]]
        before, after = of(" ".join(text)), of(" ".join(edited))
        assert similarity(before.minima, after.minima) >= NEAR
        assert shares_a_band(before, after)


@pytest.mark.parametrize("vocabulary", [_ENGLISH, _KOREAN], ids=["English", "Korean"])
def test_a_text_of_the_same_words_in_another_order_is_not_near(vocabulary: Sequence[str]) -> None:
    for seed in range(20):
        text = words(vocabulary, 400, seed)
        shuffled = random.Random(seed).sample(text, len(text))
        assert similarity(of(" ".join(text)).minima, of(" ".join(shuffled)).minima) < 0.5


def test_a_text_of_which_a_quarter_is_new_is_not_near() -> None:
    for seed in range(20):
        text = words(_ENGLISH, 400, seed)
        changed = text[:300] + words(_ENGLISH, 100, seed + 1_000)
        assert similarity(of(" ".join(text)).minima, of(" ".join(changed)).minima) < NEAR


def test_line_breaks_spacing_and_capitals_make_no_difference() -> None:
    text = " ".join(words(_KOREAN + _ENGLISH, 100, 1))
    assert of(text) == of(text.replace(" ", "\n").upper()) == of(text.replace(" ", ""))


@pytest.mark.slow
def test_texts_longer_than_a_piece_are_compared_as_wholes() -> None:
    text = words(_ENGLISH, 130_000, 5)
    whole = of(" ".join(text))
    assert similarity(whole.minima, of(" ".join(text[2_000:])).minima) > 0.95
    assert similarity(whole.minima, of(" ".join(text[65_000:])).minima) < 0.7


def test_a_text_of_a_line_has_no_fingerprint() -> None:
    assert fingerprint("") is fingerprint("See the handbook.") is fingerprint("확인") is None
