"""The CPU time of calls, each function in a process of its own that the kernel ends when it computes for too long."""

import gc
import multiprocessing
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from benchmarks.growth.calls import Call, Uncallable, caches, calls
from benchmarks.growth.shapes import SHAPES, text_of
from citewell_verify.errors import CitewellError
from citewell_verify.judging.statement import NotJudged

MOST_GROWTH, MOST_S = 2.3, 1.0
_NOISE_S = 0.02
"""The time below which a growth says nothing."""
_NOTHING_S = 0.0002
"""A function that takes less at the smallest size is not measured at the others: even cubic growth would stay below the
noise."""
_LIMIT_S, _PREPARING_S = 3, 10
_AGAIN = 3
REFUSALS = (ValueError, LookupError, CitewellError, NotJudged)


@dataclass(frozen=True, slots=True)
class Row:
    """CPU seconds of one call at each size, as far as it was measured; `ended`: the call was stopped because it
    computed for too long."""

    name: str
    shape: str
    way: str
    seconds: tuple[float, ...]
    ended: bool = False

    @property
    def growth(self) -> float:
        """Return the largest growth from one size to the next, among those above the noise; 0 when there is none."""
        pairs = zip(self.seconds, self.seconds[1:], strict=False)
        return max((more / less for less, more in pairs if less >= _NOISE_S), default=0.0)

    @property
    def marked(self) -> bool:
        """Return whether the time grows faster than the text or is too long."""
        return self.ended or self.growth > MOST_GROWTH or max(self.seconds, default=0.0) > MOST_S


def measured(name: str, sizes: Sequence[int]) -> Iterator[Row]:
    """Measure a function with every shape in every way. Raises Uncallable when it cannot be called."""
    work = [(call, shape) for call in calls(name) for shape in SHAPES]
    done = 0
    while done < len(work):
        receiving, sending = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.get_context("fork").Process(target=_work, args=(work[done:], sizes, sending))
        child.start()
        sending.close()
        seconds: list[float] = []
        try:
            while done < len(work):
                told = receiving.recv()
                if isinstance(told, float):
                    seconds.append(told)
                    continue
                if isinstance(told, str):
                    raise Uncallable(told)
                yield told
                done, seconds = done + 1, []
        except EOFError:
            call, shape = work[done]
            yield Row(name, shape, call.way, tuple(seconds), ended=True)
            done += 1
        finally:
            child.join()


def _work(work: Sequence[tuple[Call, str]], sizes: Sequence[int], sending: Connection) -> None:
    gc.freeze()  # objects that the program holds anyway are not searched during a call
    try:
        for call, shape in work:
            sending.send(_row(call, shape, sizes, sending))
    except (TypeError, AttributeError, AssertionError, Uncallable) as error:
        sending.send(f"{work[0][0].name}: {type(error).__name__}: {error}")


def _row(call: Call, shape: str, sizes: Sequence[int], sending: Connection) -> Row:
    seconds: list[float] = []
    for size in sizes:
        taken = cpu_seconds(call, shape, size)
        if seconds and taken > max(seconds[-1], _NOISE_S) * MOST_GROWTH * 0.95:
            taken = min(taken, *(cpu_seconds(call, shape, size) for _ in range(_AGAIN)))
        seconds.append(taken)
        sending.send(taken)
        if taken > MOST_S or (len(seconds) == 1 and taken < _NOTHING_S):
            break
    return Row(call.name, shape, call.way, tuple(seconds))


def cpu_seconds(call: Call, shape: str, size: int) -> float:
    """Return the time of one call, with empty caches; a refusal of the text is an answer, too."""
    _limit(_PREPARING_S)
    try:
        run = call.prepare(lambda place: text_of(shape, size, place))
    except REFUSALS:
        return 0.0
    for empty in caches():
        empty()
    _limit(_LIMIT_S)
    began = time.process_time()
    with suppress(*REFUSALS):
        run()
    return time.process_time() - began


def _limit(seconds: int) -> None:
    """Let the kernel end this process, in C code too, when it computes for longer than this."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    whole = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (whole, resource.getrlimit(resource.RLIMIT_CPU)[1]))
