"""`python -m benchmarks.rules FOLDER`: the ledger of rules, what every family of rules of evidence is worth.

FOLDER holds labelled `*.jsonl`. A family is switched off by giving its functions of `FAMILIES` what they return when
they find nothing. A family points at a pair if the disagreements found there are others with it than without it, and it
is right if people say that the source does not support the statement. "Lost" is what changes without it: balanced
accuracy and area under the curve on the labelled pairs (mean over the data sets, in points), wrong statements planted in
copied sentences that pass, and faithful rewordings that are struck. Families overlap: of two that find the same, each
one alone is worth nothing. A rule that is not in the ledger does not exist. `--write` writes `docs/internals/rules.md`.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from inspect import isgenerator
from pathlib import Path
from random import Random
from typing import Any, cast

from benchmarks.metamorphic.cases import CHANGES, FAITHFUL, Case
from benchmarks.metamorphic.generating import MAKERS, Maker
from benchmarks.metamorphic.judges import judges
from benchmarks.metamorphic.real_swaps import REAL_SWAPS
from benchmarks.metamorphic.texts import folder_texts
from clients.embeddings import default_embedder
from domain.evidence.contradictions import disagreements
from domain.quality import metrics
from domain.quality.metrics import THRESHOLD, support_score
from domain.verdicts.ruling import Grounds

ROOT = Path(__file__).parents[1]
_PAGE = ROOT / "docs/internals/rules.md"
_PARTS = ("domain.", "clients.llm.offline")
Function = Callable[..., Any]


def nothing(*_: object, **__: object) -> tuple[Any, ...]:
    """Return no differences."""
    return ()


def no(*_: object, **__: object) -> bool:
    """Return that it does not hold."""
    return False


def none(*_: object, **__: object) -> None:
    """Return nothing found."""


def last_argument(*arguments: Any, **_: object) -> Any:
    """Return what was given to be changed."""
    return arguments[-1]


@dataclass(frozen=True)
class Family:
    """`modules` are the family's lines; `switches` give for each of its functions ("module:name") what it is without
    it."""

    name: str
    modules: tuple[str, ...]
    switches: tuple[tuple[str, Function], ...]

    @property
    def lines(self) -> int:
        paths = [ROOT / f"{each.replace('.', '/')}.py" for each in self.modules]
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


_DIFFERENCES, _EVIDENCE = "domain.facts.differences", "domain.evidence"
FAMILIES = (
    Family(
        "values, units and names in one place",
        (f"{_DIFFERENCES}.gaps",),
        tuple((f"{_DIFFERENCES}.gaps:{kind}_differences", nothing) for kind in ("value", "name", "unit")),
    ),
    Family(
        "negation, modality, quantifiers",
        (f"{_DIFFERENCES}.cues",),
        ((f"{_DIFFERENCES}.cues:cue_differences", nothing),),
    ),
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
    """What the offline judge makes of a pair: its P(supported), the final state, and the disagreements."""

    score: float
    supported: bool
    struck: bool
    yes_supported: bool
    found: frozenset[tuple[str, str, str | None, bool]]


def labelled(folder: Path, most: int, seed: int) -> Iterator[Pair]:
    """Yield at most `most` labelled pairs of each data set."""
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in Random(f"{seed} {path.stem}").sample(rows, min(most, len(rows))):
            yield Pair(row["claim"], row["source"], bool(row["label"]), path.stem, row.get("lang", "en"), planted=False)


def planted(folder: Path, most: int, seed: int) -> Iterator[Pair]:
    """Yield at most `most` cases of each kind in each language that are made from the texts of `folder`."""
    texts = folder_texts(folder)
    kinds = [f"change: {each}" for each in CHANGES] + [f"swap: {each}" for each in REAL_SWAPS]
    for kind in (*kinds, "swap: cells", *(f"faithful: {each}" for each in FAITHFUL)):
        for language in ("en", "ko"):
            rng = Random(f"{seed} {language} {kind}")
            own = [text for text in texts if text.language == language]
            rng.shuffle(own)
            cases: list[Case] = []
            for text in own[:1500]:
                found = [case for maker in MAKERS.get(kind, ()) for case in maker(text, rng)]
                cases += rng.sample(found, min(1, len(found)))
                if len(cases) >= most:
                    break
            for case in cases:
                right = case.expected == "supported"
                yield Pair(case.statement, case.source, right, kind, language, planted=True)


class Judging:
    """The offline judge by words and meaning, and a model that says yes to everything, each held against the rules."""

    def __init__(self, *, embedder: bool) -> None:
        self._judges = judges(default_embedder() if embedder else None)

    def see(self, pair: Pair) -> Seen:
        from benchmarks.metamorphic.judges import outcomes

        case = Case(pair.group, pair.language, pair.statement, pair.source, "supported")
        chosen = {name: self._judges[name] for name in (("offline", "yes") if pair.planted else ("offline",))}
        out = outcomes(case, chosen)
        reply = self._judges["offline"](case)
        score = support_score(supported=reply.is_accurate, confidence=reply.confidence)
        ruled = Grounds.of(pair.statement, [pair.source]).rule(reply)
        score = min(score, support_score(supported=ruled.supports, confidence=ruled.confidence))
        found = frozenset(
            (each.kind, each.claim_value, each.source_value, each.sure)
            for each in disagreements(pair.statement, pair.source)
        )
        yes = out["yes"].supported if pair.planted else False
        return Seen(score, out["offline"].supported, out["offline"].struck, yes, found)


def _caches() -> list[Any]:
    modules = [module for name, module in sys.modules.items() if name.startswith(_PARTS)]
    found = {id(each): each for module in modules for each in vars(module).values() if hasattr(each, "cache_clear")}
    return [each for each in found.values() if _takes_text(each)]


def _takes_text(cached: Any) -> bool:
    plain = getattr(cached, "__wrapped__", cached)
    return bool(getattr(plain, "__code__", None) and plain.__code__.co_argcount)


@contextmanager
def replaced(path: str, new: Callable[[Function], Function]) -> Iterator[None]:
    """Put `new(original)` for the function "module:name" wherever it was imported."""
    module, _, name = path.partition(":")
    original = vars(import_module(module))[name]
    other = new(original)
    holders = [
        (held, key)
        for each, held in list(sys.modules.items())
        if each.startswith(_PARTS)
        for key, value in list(vars(held).items())
        if value is original
    ]
    for held, key in holders:
        setattr(held, key, other)
    try:
        yield
    finally:
        for held, key in holders:
            setattr(held, key, original)


def _watching(name: str, off: Function, fired: set[str]) -> Callable[[Function], Function]:
    def watched(original: Function) -> Function:
        def call(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            plain = tuple(result) if isgenerator(result) else result
            without = off(*arguments, **named)
            if plain != without and not (without == () and not plain):
                fired.add(name)
            return iter(plain) if isgenerator(result) else plain

        return call

    return watched


def measured(
    pairs: Sequence[Pair], families: Sequence[Family], judging: Judging
) -> tuple[list[Seen], dict[str, dict[int, Seen]]]:
    """Return what is seen of each pair, and by family what is seen without it of the pairs that it may change."""
    caches = _caches()
    with_all: list[Seen] = []
    fired_at: dict[str, list[int]] = defaultdict(list)
    fired: set[str] = set()
    with ExitStack() as stack:
        for family in families:
            for path, off in family.switches:
                stack.enter_context(replaced(path, _watching(family.name, off, fired)))
        for at, pair in enumerate(pairs):
            fired.clear()
            for each in caches:
                each.cache_clear()
            with_all.append(judging.see(pair))
            for name in fired:
                fired_at[name].append(at)
    without: dict[str, dict[int, Seen]] = {}
    for family in families:
        with ExitStack() as stack:
            for path, off in family.switches:
                stack.enter_context(replaced(path, lambda _, off=off: off))
            without[family.name] = {}
            for at in fired_at[family.name]:
                for each in caches:
                    each.cache_clear()
                without[family.name][at] = judging.see(pairs[at])
    return with_all, without
