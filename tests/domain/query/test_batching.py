"""Spreading items over tasks."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.prompting.batched_items import packed
from domain.query.budget import batches, growing_batches

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


@given(st.lists(st.integers(0, 12), max_size=30), st.integers(1, 10))
def test_what_is_packed_fits_and_stays_in_order(sizes: list[int], most: int) -> None:
    parts = packed(sizes, lambda together: sum(together) <= most)
    assert [size for part in parts for size in part] == sizes
    # Alone an item goes, however large it is; and no two neighbours could have been one.
    assert all(len(part) == 1 or sum(part) <= most for part in parts)
    assert all(sum(part) + following[0] > most for part, following in pairwise(parts))
