"""The command that measures how the time of functions over texts grows: it calls all of them, and finds the slow
ones."""

from collections.abc import Callable

import pytest

from benchmarks.growth import calls as calling
from benchmarks.growth.__main__ import main
from benchmarks.growth.calls import calls, functions
from benchmarks.growth.measuring import REFUSALS, Row, measured
from benchmarks.growth.shapes import SHAPES, text_of

# They take keys and names of settings, and say that these texts are none.
REFUSING = {"keys.parse_key", "query.options.parse_mode"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_public_function_that_takes_text_can_be_called() -> None:  # F9
    cannot = [name for name in sorted(functions()) if (name in REFUSING) is _is_called(name)]
    assert not cannot, f"say in bench/benchmarks/growth how to call {', '.join(cannot)}"
    assert len(functions()) > 400


def _is_called(name: str) -> bool:
    """Whether a way of calling it returns for some shape; a wrong argument raises what is no refusal."""
    returned = False
    for call in calls(name):
        for shape in SHAPES:
            try:
                call.prepare(lambda place, shape=shape: text_of(shape, 60, place))()
                returned = True
            except REFUSALS:
                continue
    return returned


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_has_the_length_asked_for_and_is_the_same_each_time(shape: str) -> None:  # F9
    assert len(text_of(shape, 5_000)) == 5_000
    assert text_of(shape, 5_000) == text_of(shape, 5_000)


def quadratic(text: str) -> int:
    return sum(text.count(text[place]) for place in [*range(len(text))] * 3)


def endless(text: str) -> None:
    while text:
        pass


def linear(text: str) -> list[int]:
    return [ord(sign) + place for place, sign in enumerate(text)]


@pytest.mark.parametrize(
    ("function", "marked"), [pytest.param(quadratic, True, marks=pytest.mark.slow), (linear, False)]
)
def test_what_grows_faster_than_its_text_is_marked(
    function: Callable[[str], object], marked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:  # F9
    monkeypatch.setattr("benchmarks.growth.measuring.SHAPES", ("words",))
    monkeypatch.setattr(calling, "functions", lambda: {"it": function})
    assert any(row.marked for row in measured("it", (5_000, 10_000, 20_000))) is marked


def test_a_growth_that_noise_could_make_is_not_marked() -> None:  # F9
    assert Row("it", "letter", "all long", (0.004, 0.018, 0.08)).growth == 0
    assert Row("it", "letter", "all long", (0.02, 0.048)).marked
    assert Row("it", "letter", "all long", (0.6, 1.1)).marked


def test_what_does_not_end_is_ended_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:  # F9
    monkeypatch.setattr(calling, "functions", lambda: {"it": endless})
    monkeypatch.setattr("benchmarks.growth.measuring.SHAPES", ("letter",))
    monkeypatch.setattr("benchmarks.growth.measuring._LIMIT_S", 0)
    (row,) = measured("it", (10,))
    assert row.ended
    assert row.marked


def test_the_command_says_with_its_exit_code_that_nothing_is_marked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # F9
    monkeypatch.setattr("sys.argv", ["growth", "--only", "text.words.words", "--only", "keys", "--sizes", "500,1000"])
    assert main() == 0
    assert "text.words.words" in capsys.readouterr().out
