"""What `ps` shows of this process (Linux)."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

_ARG_START, _ARG_END = 45, 46
"""In /proc/PID/stat, counted from what follows the name."""


def show_command(argv: Sequence[str]) -> None:
    """Show `argv` in the place of what this process was started with, as far as there is room for it."""
    facts = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, room = int(facts[_ARG_START]), int(facts[_ARG_END]) - int(facts[_ARG_START])
    title = " ".join(argv).encode()[: room - 2]
    # A last byte that is not zero tells the kernel that the arguments were written over, and end at the first zero.
    ctypes.memmove(start, title.ljust(room - 1, b"\0") + b"\1", room)
