"""How items are spread over tasks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.batches import batches, growing_batches

items = st.lists(st.integers(), max_size=60)


@pytest.mark.parametrize(("count", "size", "widths"), [(10, 5, [5, 5]), (11, 5, [3, 4, 4]), (3, 5, [3]), (0, 5, [])])
def test_batches_are_few_and_even(count: int, size: int, widths: list[int]) -> None:
    assert [len(batch) for batch in batches(range(count), size)] == widths


def test_growing_batches_double_up_to_their_size() -> None:
    assert [len(batch) for batch in growing_batches(range(14), 4)] == [1, 2, 4, 4, 3]


@given(items, st.integers(1, 9))
def test_every_item_is_in_one_batch_in_order(things: list[int], size: int) -> None:
    for split in (batches, growing_batches):
        parts = split(things, size)
        assert [item for part in parts for item in part] == things
        assert all(0 < len(part) <= size for part in parts)
