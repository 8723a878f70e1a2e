"""Calibration: from a verifier's stated confidence to the probability that it is right (N8)."""

import json
import math
import random
import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.support.model import support_model
from citewell_verify.verdicts.confidence import Calibration, calibrations, fit, logistic
from verify_material.rows import for_all_rows

probabilities = st.floats(0, 1)
pairs = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 0.5, 1e-9, 0.999]) | probabilities, st.booleans()), max_size=30)


def calibration(slope: float, offset: float) -> Calibration:
    return Calibration("test", slope, offset, 0.0)


def sample(slope: float, offset: float, size: int) -> tuple[list[float], list[bool]]:
    """Stated probabilities, and labels that are true as often as a calibration with this slope and offset predicts."""
    dice = random.Random(20)
    stated = [dice.uniform(0.02, 0.98) for _ in range(size)]
    true = calibration(slope, offset)
    return stated, [dice.random() < true.apply(probability) for probability in stated]


def loss(slope: float, offset: float, told: list[tuple[float, bool]]) -> float:
    """Log-loss of the labels, plus the distance of the fit from changing nothing."""
    found = calibration(slope, offset)
    right = (found.apply(probability) if label else 1 - found.apply(probability) for probability, label in told)
    return -sum(math.log(max(each, 1e-300)) for each in right) + ((slope - 1) ** 2 + offset**2) / 2


@for_all_rows(("slope", "offset"), [(1.0, 0.0), (0.5, 0.0), (2.0, 0.5), (0.8, -1.0), (1.5, 1.0)])
def test_a_fit_recovers_what_the_labels_were_made_with(slope: float, offset: float) -> None:  # N8
    assert fit(*sample(slope, offset, 8_000)) == pytest.approx((slope, offset), abs=0.1)


def test_few_labels_change_little_and_none_change_nothing() -> None:  # N8
    assert fit([], []) == (1.0, 0.0)
    slope, offset = fit([0.6], [True])
    assert slope == pytest.approx(1.0, abs=0.5)
    assert offset == pytest.approx(0.0, abs=0.5)


def test_a_verifier_that_is_too_sure_of_itself_is_held_back() -> None:  # N8
    found = calibration(*fit([0.99] * 100 + [0.01] * 100, ([True] * 70 + [False] * 30) + ([True] * 30 + [False] * 70)))
    assert found.apply(0.99) == pytest.approx(0.7, abs=0.03)
    assert found.apply(0.01) == pytest.approx(0.3, abs=0.03)


@given(pairs)
def test_a_fit_is_never_worse_than_none_at_all(told: list[tuple[float, bool]]) -> None:  # N8
    slope, offset = fit([probability for probability, _ in told], [label for _, label in told])
    assert math.isfinite(slope)
    assert math.isfinite(offset)
    assert loss(slope, offset, told) <= loss(1.0, 0.0, told) + 1e-6


def test_every_probability_needs_its_label() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        fit([0.5, 0.6], [True])


@given(probabilities, probabilities, st.floats(0.01, 5), st.floats(-5, 5))
def test_calibration_keeps_the_order(one: float, other: float, slope: float, offset: float) -> None:  # N8
    found = calibration(slope, offset)
    low, high = sorted((one, other))
    assert 0 <= found.apply(low) <= found.apply(high) <= 1


@given(st.floats(0.001, 0.999))
def test_slope_one_and_offset_zero_change_nothing(probability: float) -> None:  # N8
    assert calibration(1.0, 0.0).apply(probability) == pytest.approx(probability)


@given(st.floats(-1e6, 1e6))
def test_the_logistic_is_a_probability_and_symmetric(value: float) -> None:
    assert 0 <= logistic(value) <= 1
    assert logistic(value) + logistic(-value) == pytest.approx(1)


def test_the_shipped_calibration_is_that_of_the_shipped_model() -> None:  # N8
    found = calibrations()
    assert "offline" in found
    model = json.loads((files("citewell_verify.support") / "model.json").read_text(encoding="utf-8"))
    assert found["offline"].version == f"support-{model['version']}" == f"support-{support_model().version}"
    for each in found.values():
        assert each.slope > 0
        assert math.isfinite(each.offset)
        assert 0 <= each.ece < 0.15


def test_what_the_readme_says_of_the_offline_verifier_is_what_was_measured() -> None:  # V9
    misses = calibrations()["offline"].false_pass
    assert misses is not None
    told = re.search(r"<!-- figure: false pass -->(\d+)<!--", Path("README.md").read_text(encoding="utf-8"))
    assert told is not None
    assert told[1] == f"{misses * 100:.0f}"
