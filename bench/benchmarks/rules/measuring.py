"""Judges labelled pairs and planted cases with all rules, and again without each family where that may change the
result."""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from inspect import isfunction, isgenerator
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.metamorphic.cases import CHANGES, FAITHFUL, Case
from benchmarks.metamorphic.generating import MAKERS
from benchmarks.metamorphic.judges import judges, outcomes
from benchmarks.metamorphic.real_swaps import REAL_SWAPS
from benchmarks.metamorphic.texts import folder_texts
from benchmarks.rules.families import ROOT, Family, Function
from citewell_verify.evidence.citation_scoring import score_citation
from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.verdicts.ruling import Grounds
from domain.quality.metrics import support_score

_PARTS = ("citewell_verify.", "benchmarks.rules.measuring")
_DOCUMENTS = ROOT / "packages/verify/tests/verdicts/sections.json"
_MOST_TEXTS = 1500
_PLANTED = (
    *(f"change: {each}" for each in CHANGES),
    *(f"swap: {each}" for each in (*REAL_SWAPS, "cells")),
    *(f"faithful: {each}" for each in FAITHFUL),
)


@dataclass(frozen=True)
class Pair:
    """A statement beside its source; `group` is its data set, or the kind of the planted case."""

    statement: str
    source: str
    supported: bool
    group: str
    language: str
    planted: bool


@dataclass(frozen=True)
class Seen:
    """The results of a pair: P(supported) of the offline judge behind the rules, its state, that of a model that says
    yes and quotes the nearest sentence (only of planted cases), and the disagreements."""

    score: float
    supported: bool
    struck: bool
    yes_supported: bool
    disagreements: frozenset[tuple[str, str, str | None]]


def labelled(folder: Path, most: int, seed: int) -> Iterator[Pair]:
    """Yield at most `most` labelled pairs of each data set."""
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in Random(f"{seed} {path.stem}").sample(rows, min(most, len(rows))):
            yield Pair(row["claim"], row["source"], bool(row["label"]), path.stem, row.get("lang", "en"), planted=False)


def below_headings(most: int, seed: int) -> Iterator[Pair]:
    """Yield statements about documents with headings, which no labelled set has, from the tests."""
    documents = json.loads(_DOCUMENTS.read_text(encoding="utf-8"))
    pairs = [
        Pair(statement, each["source"], said == "said", "below headings", "en", planted=True)
        for each in documents
        for said in ("said", "not_said")
        for statement in each[said]
    ]
    yield from Random(seed).sample(pairs, min(most, len(pairs)))


def planted(folder: Path, most: int, seed: int) -> Iterator[Pair]:
    """Yield at most `most` cases of each kind in each language that are made from the texts of `folder`."""
    texts = folder_texts(folder)
    for kind in _PLANTED:
        for language in ("en", "ko"):
            rng = Random(f"{seed} {language} {kind}")
            own = [text for text in texts if text.language == language]
            rng.shuffle(own)
            cases: list[Case] = []
            for text in own[:_MOST_TEXTS] if kind in MAKERS else ():
                made = [case for maker in MAKERS[kind] for case in maker(text, rng)]
                cases += rng.sample(made, min(1, len(made)))
                if len(cases) == most:
                    break
            for case in cases:
                right = case.expected == "supported"
                yield Pair(case.statement, case.source, right, kind, language, planted=True)


_JUDGES = judges(None)  # by words alone


def see(pair: Pair) -> Seen:
    """Judge the pair with the rules as they are now."""
    case = Case(pair.group, pair.language, pair.statement, pair.source, "supported")
    chosen = ("offline", "yes") if pair.planted else ("offline",)
    result = outcomes(case, {name: _JUDGES[name] for name in chosen})
    reply = _JUDGES["offline"](case)
    ruled = Grounds.of(pair.statement, [pair.source]).rule(reply)
    scores = (
        support_score(supported=supported, confidence=confidence)
        for supported, confidence in ((reply.is_accurate, reply.confidence), (ruled.supports, ruled.confidence))
    )
    differing = (
        *disagreements(pair.statement, pair.source),
        *score_citation(pair.statement, pair.source).disagreements,
    )
    told = frozenset((each.kind, each.claim_value, each.source_value) for each in differing)
    by_yes = pair.planted and result["yes"].supported
    return Seen(min(scores), result["offline"].supported, result["offline"].struck, by_yes, told)


def measured(
    pairs: Sequence[Pair], families: Sequence[Family]
) -> tuple[Sequence[Seen], Mapping[str, Mapping[int, Seen]]]:
    """Return the results of each pair, and by family the results without it, for those pairs where the family finds
    anything."""
    places: dict[str, list[int]] = defaultdict(list)
    finding: set[str] = set()
    seen: list[Seen] = []
    with ExitStack() as stack:
        for family in families:
            for path, without in family.switches:
                stack.enter_context(_replaced(path, _watching(family.name, without, finding)))
        for at, pair in enumerate(pairs):
            finding.clear()
            seen.append(_see_anew(pair))
            for name in finding:
                places[name].append(at)
    without = {family.name: _without(family, places[family.name], pairs) for family in families}
    _forget()
    return seen, without


def _without(family: Family, places: Sequence[int], pairs: Sequence[Pair]) -> Mapping[int, Seen]:
    with ExitStack() as stack:
        for path, without in family.switches:
            stack.enter_context(_replaced(path, lambda _, without=without: without))
        return {at: _see_anew(pairs[at]) for at in places}


def _see_anew(pair: Pair) -> Seen:
    # Values that were read before a switch must not be remembered after it.
    _forget()
    return see(pair)


def _modules() -> Iterator[dict[str, Any]]:
    return (vars(module) for name, module in list(sys.modules.items()) if name.startswith(_PARTS))


def _forget() -> None:
    """Empty the caches of all functions that take arguments."""
    caches = {id(each): each for module in _modules() for each in module.values() if hasattr(each, "cache_clear")}
    for each in caches.values():
        function = getattr(each, "__wrapped__", None)
        if isfunction(function) and function.__code__.co_argcount:
            each.cache_clear()


@contextmanager
def _replaced(path: str, new: Callable[[Function], Function]) -> Generator[None]:
    """Put `new(original)` for the function "module:name" wherever it was imported."""
    module, _, name = path.partition(":")
    original = vars(import_module(module))[name]
    replacement = new(original)
    holders = [(held, key) for held in _modules() for key, value in list(held.items()) if value is original]
    for held, key in holders:
        held[key] = replacement
    try:
        yield
    finally:
        for held, key in holders:
            held[key] = original


def _watching(name: str, without: Function, finding: set[str]) -> Callable[[Function], Function]:
    def watched(original: Function) -> Function:
        def call(*arguments: Any, **named: Any) -> Any:
            result: Any = original(*arguments, **named)
            if isgenerator(result):
                result = list(result)
            if (result or None) != (without(*arguments, **named) or None):
                finding.add(name)
            return result

        return call

    return watched
