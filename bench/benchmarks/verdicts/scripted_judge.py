"""Holds the rules against a judge of known accuracy: what they cost or add behind a language model.

`python -m benchmarks.verdicts.scripted_judge DATA` reads labelled pairs (`*.jsonl` with `claim`, `source`, `label`). A
scripted judge is right with a given probability about each pair, quotes the best sentence of the source, and gives its
second look with an independent chance of the same size. Every pair goes through `judge_statement` once for each way
that the judge may reply, and the outcomes are weighed by their probabilities: the figures are the expected values over
all throws of the coin. Only the sample of pairs is random.
"""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from citewell_verify.evidence.spans import best_text_span
from citewell_verify.judging.statement import judge_statement
from citewell_verify.prompting.judgements import Judgement, Reply
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts import ruling
from citewell_verify.verdicts.states import PairVerdict, Verdict

R = TypeVar("R", bound=Reply)
ACCURACIES = (0.75, 0.85, 0.92)
_CONFIDENCE = 0.9
_FIRST = "check_statement"
_HEAD = f"{'kind':<22}{'pairs':>6}{'judge':>8}{'after':>8}{'lost':>7}{'kept':>8}{'again':>7}{'calls':>7}"


@dataclass
class ScriptedJudge:
    """Answers like a model gateway: a fixed yes or no at the first look, and a fixed one at the second."""

    quote: str
    looks: tuple[bool, bool]
    provider: str = "scripted"
    judges_offline: bool = False
    asked: list[str] = field(default_factory=list[str])

    async def ask(self, judgement: Judgement[R], fields: Mapping[str, Any], *, item: str = "") -> R:
        del item
        self.asked.append(judgement.name)
        is_first = judgement.name == _FIRST
        yes = self.looks[not is_first]
        told = {
            "evidence": self.quote,
            "relation": "supports" if yes else "contradicts",
            "is_accurate": yes,
            "confidence": _CONFIDENCE,
        }
        by_id = {"verdicts": [{"id": each.id, "verdict": told} for each in fields.get("statements", ())]}
        return judgement.reply.model_validate(told if is_first else by_id)


@dataclass(frozen=True)
class Course:
    """The result of one course of replies."""

    supported: bool
    calls: int
    again: int


@dataclass(frozen=True)
class Judged:
    """A pair under all courses: a first yes that is confirmed, one that is withdrawn, a first no."""

    kind: str
    label: bool
    confirmed: Course
    taken_back: Course
    refused: Course
    noticed: str

    def expected(self, accuracy: float, what: str) -> float:
        yes = accuracy if self.label else 1 - accuracy
        after_yes = self.after_yes(accuracy, what)
        return yes * after_yes + (1 - yes) * float(getattr(self.refused, what))

    def after_yes(self, accuracy: float, what: str) -> float:
        yes = accuracy if self.label else 1 - accuracy
        confirmed, taken_back = (float(getattr(each, what)) for each in (self.confirmed, self.taken_back))
        return yes * confirmed + (1 - yes) * taken_back


def _pairs(data: Path, number: int, seed: int) -> Iterator[dict[str, Any]]:
    for file in sorted(data.glob("*.jsonl")):
        lines = file.read_text(encoding="utf-8").splitlines()
        drawn = random.Random(f"{seed} {file.stem}").sample(lines, min(number, len(lines)))
        yield from ({**json.loads(line), "kind": file.stem} for line in drawn)


async def judged(pair: dict[str, Any]) -> Judged:
    statement, sources = pair["claim"], Sources.numbered([("source", pair["source"])])
    quote = pair["source"][slice(*best_text_span(pair["source"], statement))]
    noticed = ""

    async def course(first: bool, second: bool) -> Course:
        nonlocal noticed
        judge = ScriptedJudge(quote, (first, second))
        checked = await judge_statement(judge, statement, sources)
        told: Any = checked["verdict"]
        looks: dict[str, Any] | None = told and told.get("second_look")
        noticed = noticed or (str(looks["noticed"]) if looks else "")
        supported = told is not None and PairVerdict.from_json(1, told).verdict() is Verdict.ACCURATE
        return Course(supported, len(judge.asked), len(judge.asked) - judge.asked.count(_FIRST))

    confirmed = await course(True, True)
    taken_back = await course(True, False) if confirmed.again else confirmed
    return Judged(pair["kind"], bool(pair["label"]), confirmed, taken_back, await course(False, False), noticed)


def line(name: str, found: Sequence[Judged], accuracy: float) -> str:
    by_label = {label: [each for each in found if each.label is label] for label in (True, False)}
    right = _mean(each.expected(accuracy, "supported") for each in by_label[True])
    wrong = _mean(each.expected(accuracy, "supported") for each in by_label[False])
    after = 50 * (right + 1 - wrong)
    kept = 100 * _mean(each.after_yes(accuracy, "supported") for each in by_label[True])
    again, calls = (100 * _mean(each.expected(accuracy, what) for each in found) for what in ("again", "calls"))
    figures = f"{100 * accuracy:>8.1f}{after:>8.1f}{after - 100 * accuracy:>7.1f}{kept:>8.1f}{again:>7.1f}{calls:>7.0f}"
    return f"{name:<22}{len(found):>6}{figures}"


def _mean(values: Iterable[float]) -> float:
    told = list(values)
    return sum(told) / len(told) if told else 0.0


def main(
    data: Annotated[Path, typer.Argument(help="The folder of the labelled pairs")],
    number: Annotated[int, typer.Option(help="Pairs of each kind")] = 100,
    seed: Annotated[int, typer.Option(help="Of the sample")] = 13,
    out: Annotated[Path | None, typer.Option(help="Where each pair is written, one JSON object a line")] = None,
) -> None:
    """`judge`: its balanced accuracy alone. `kept`: of its yes to true statements, those that stay, in 100. `again`
    and `calls`: second looks and calls for 100 statements."""
    known: dict[tuple[Any, ...], Any] = {}
    first_of = ruling.Grounds.of

    def remembered(statement: str, sources: Sequence[str], contexts: Sequence[str] = ()) -> Any:
        key = (statement, *sources, *contexts)
        if key not in known:
            known.clear()
            known[key] = first_of(statement, sources, contexts)
        return known[key]

    ruling.Grounds.of = remembered  # the three courses of a pair share the findings of the rules
    found = [asyncio.run(judged(pair)) for pair in _pairs(data, number, seed)]
    if out:
        rows = ({"kind": each.kind, "label": each.label, "noticed": each.noticed, "yes": each.confirmed.supported,
                 "no": each.refused.supported, "again": each.confirmed.again} for each in found)  # fmt: skip
        out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    for accuracy in ACCURACIES:
        print(f"\na judge that is right in {100 * accuracy:.0f} of 100 pairs\n{_HEAD}")
        for kind, of_kind in groupby(found, attrgetter("kind")):
            print(line(kind, list(of_kind), accuracy))
        print(line("total", found, accuracy))
    again = Counter(each.label for each in found if each.confirmed.again)
    print(f"\nof {again.total()} statements that the rules doubt, {again[False]} are not supported by their source")


if __name__ == "__main__":
    typer.run(main)
