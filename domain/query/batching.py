"""Divides items into batches: a task carries a few, each with its own model call or sharing one."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


MOST_MESSAGES = 16
"""Messages that the statements of one query are spread over; each reads the whole answer and all earlier results."""


def items_per_message(count: int, size: int) -> int:
    return max(size, -(-count // MOST_MESSAGES))


def batches(items: Sequence[T], size: int) -> list[list[T]]:
    """Split `items` into as few lists of at most `size` as possible, as even as possible, in order."""
    if not items:
        return []
    count = -(-len(items) // size)
    return [list(items[len(items) * number // count : len(items) * (number + 1) // count]) for number in range(count)]


def growing_batches(items: Sequence[T], size: int) -> list[list[T]]:
    """Split `items` into lists of 1, 2, 4 … at most `size`: an early first verdict, and still few tasks."""
    result: list[list[T]] = []
    first, width = 0, 1
    while first < len(items):
        result.append(list(items[first : first + width]))
        first, width = first + width, min(width * 2, size)
    return result
