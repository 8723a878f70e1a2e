"""Many cases of every kind, half from real texts where they have the kind, the rest from made-up fact sheets."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random

from benchmarks.metamorphic.cases import CHANGES, FAITHFUL, KINDS, Case, Maker, Text
from benchmarks.metamorphic.real_changes import changed
from benchmarks.metamorphic.real_faithful import reworded
from benchmarks.metamorphic.real_swaps import REAL_SWAPS, swapped
from benchmarks.metamorphic.real_tables import cells
from benchmarks.metamorphic.real_verbatim import verbatim
from benchmarks.metamorphic.sheets import sheet_cases
from citewell_verify.text.sentences import split_sentences

MAKERS: Mapping[str, tuple[Maker, ...]] = {
    "verbatim": (verbatim,),
    **{f"change: {name}": (changed(name),) for name in CHANGES},
    **{f"faithful: {name}": (reworded(name),) for name in FAITHFUL},
    **{f"{side}: cells": (cells(f"{side}: cells"),) for side in ("faithful", "swap")},
    **{f"swap: {name}": (swapped(name),) for name in REAL_SWAPS},
}

_MOST_OF_A_TEXT = 2
_TRIES = 20


def generate(texts: Sequence[Text], language: str, count: int, seed: int, kinds: Sequence[str] = KINDS) -> list[Case]:
    """Return about `count` different cases in `language`, as many of each kind; the same for the same arguments."""
    wanted = -(-count // len(kinds))
    return [case for kind in kinds for case in _of_kind(kind, texts, language, wanted, seed)]


def _of_kind(kind: str, texts: Sequence[Text], language: str, wanted: int, seed: int) -> list[Case]:
    rng = Random(f"{seed} {language} {kind}")
    real = _different(_real(kind, [text for text in texts if text.language == language], rng))
    cases = dict.fromkeys(islice(real, wanted // 2))
    made = islice(sheet_cases(kind, language, rng), _TRIES * wanted)
    for case in filter(_is_new, made):
        if len(cases) >= wanted:
            break
        cases[case] = None
    return [*cases, *islice(real, wanted - len(cases))]


def _is_new(case: Case) -> bool:
    """Return whether the statement is not a sentence of its source, unless it has to be."""
    if case.kind == "verbatim":
        return True
    return case.statement not in {sentence.text.removeprefix("- ") for sentence in split_sentences(case.source)}


def _real(kind: str, texts: list[Text], rng: Random) -> Iterator[Case]:
    rng.shuffle(texts)
    for text in texts:
        found = [case for maker in MAKERS.get(kind, ()) for case in maker(text, rng)]
        yield from rng.sample(found, min(_MOST_OF_A_TEXT, len(found)))


def _different(cases: Iterator[Case]) -> Iterator[Case]:
    seen: set[tuple[str, str]] = set()
    for case in cases:
        if (case.statement, case.source) not in seen and _is_new(case):
            seen.add((case.statement, case.source))
            yield case
