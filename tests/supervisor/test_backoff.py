from hypothesis import given
from hypothesis import strategies as st

from citewell.supervisor.processes.process import Backoff

lifetimes = st.floats(min_value=0, max_value=1e6)


@given(st.lists(lifetimes, max_size=50))
def test_a_delay_stays_between_the_first_and_the_longest(lives: list[float]) -> None:
    backoff = Backoff(first=0.25, longest=30)
    assert all(0.25 <= backoff.after(life) <= 30 for life in lives)


def test_delays_double_while_the_process_keeps_dying_and_stop_at_the_longest() -> None:
    backoff = Backoff(first=0.25, longest=3)
    assert [backoff.after(1) for _ in range(6)] == [0.25, 0.5, 1, 2, 3, 3]


@given(st.lists(lifetimes, max_size=20))
def test_a_quiet_life_forgives_the_deaths_before_it(lives: list[float]) -> None:
    backoff = Backoff(first=0.25, quiet=60)
    for life in lives:
        backoff.after(life)
    assert [backoff.after(60), backoff.after(0)] == [0.25, 0.5]
