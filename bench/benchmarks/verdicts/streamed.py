"""Verified streaming against verification afterwards, on recorded answers: the verdicts must be the same (N1).

`python -m benchmarks.verdicts.streamed --data FOLDER` takes answers of hagrid, attributedqa, stanford_gensearch (JSON
lines with `claim` and `source`), each of several statements with their sources, in the shapes of models' answers.
Every answer is read token by token and once more at random cuts; what closes is judged at once by the offline judge,
and the complete answer is judged again from nothing.
"""

import argparse
import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from citewell_verify.answers.statements import check_key, plan_checks, statements
from citewell_verify.judging.statement import Checked, judge_statement
from citewell_verify.offline.judge import OfflineJudge
from citewell_verify.prompting.numbered_sources import Sources
from domain.answers.drafts import ClosingSentences

SETS = ("hagrid", "attributedqa", "stanford_gensearch")
PER_ANSWER = 5
_TOKEN = re.compile(r"\s?\w{1,6}|\s?[^\w\s]|\s")


class Answer(NamedTuple):
    """A text with markers, and its sources 1..k."""

    text: str
    sources: Sources


def recorded_answers(folder: Path, begin: int, count: int) -> Iterator[Answer]:
    """Yield `count` answers from number `begin` on; neighbours share most of their statements, but not their shape."""
    rows = [json.loads(line) for name in SETS for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    for first in range(begin, begin + count):
        part = [rows[(first + place) % len(rows)] for place in range(PER_ANSWER)]
        sources = Sources.numbered((f"source{number}.txt", row["source"]) for number, row in enumerate(part, start=1))
        claims = [" ".join(row["claim"].split()) for row in part]
        yield Answer(_SHAPES[first % len(_SHAPES)](claims), sources)


def _prose(claims: Sequence[str]) -> str:
    return " ".join(f"{claim} [†{number}]" for number, claim in enumerate(claims, start=1))


def _before_the_stop(claims: Sequence[str]) -> str:
    return " ".join(f"{claim.rstrip('.')} [{number}]." for number, claim in enumerate(claims, start=1))


def _listed(claims: Sequence[str]) -> str:
    lines = (f"- {claim} [{number}][{max(1, number - 1)}]" for number, claim in enumerate(claims, start=1))
    return "\n".join(["The sources say:", "", *lines])


def _with_references(claims: Sequence[str]) -> str:
    names = (f"[{number}] source{number}.txt, p. {number}" for number in range(1, len(claims) + 1))
    return "\n".join(["## Answer", "", _prose(claims), "", "References:", *names])


def _partly_cited(claims: Sequence[str]) -> str:
    cited = (f"{claim} [†{number}]" if number % 2 else claim for number, claim in enumerate(claims, start=1))
    return "\n\n".join(cited)


_SHAPES: tuple[Callable[[Sequence[str]], str], ...] = (
    _prose,
    _before_the_stop,
    _listed,
    _with_references,
    _partly_cited,
)


class Judge:
    """The offline judge, asked as the steps ask it; by words alone, because embeddings take ten times as long."""

    def __init__(self) -> None:
        self._judge = OfflineJudge()

    async def check(self, answer: Answer, text: str, number: int | None) -> Checked:
        shown = Sources([answer.sources[number - 1]]) if number else answer.sources
        return await judge_statement(self._judge, text, shown)


async def compare(answer: Answer, judge: Judge, rng: random.Random, told: Counter[str]) -> None:
    """Read one answer twice while it grows and once when it is complete; add to the counts."""
    count = len(answer.sources)
    said = statements(answer.text)
    planned = {check_key(said[each.statement].text, each.number): each for each in plan_checks(answer.text, count)}
    closed_at_cuts = _closed(answer.text, count, sorted(rng.sample(range(len(answer.text)), k=8)))
    early: dict[str, Checked] = {}
    for text, number in _closed(answer.text, count, [match.end() for match in _TOKEN.finditer(answer.text)][:-1]):
        early[check_key(text, number)] = await judge.check(answer, text, number)
    told["answers"] += 1
    told["sentences"] += len(said)
    told["checks"] += len(planned)
    told["checked early"] += len(early.keys() & planned.keys())
    told["for nothing"] += len(early.keys() - planned.keys())
    told["for nothing, cut at random"] += len({check_key(*pair) for pair in closed_at_cuts} - planned.keys())
    for key, plan in planned.items():
        afterwards = await judge.check(answer, said[plan.statement].text, plan.number)
        told["verdicts that differ"] += key in early and early[key] != afterwards


def _closed(text: str, source_count: int, ends: Sequence[int]) -> list[tuple[str, int | None]]:
    """Return the (statement, source) pairs that are known before the last of `ends`; one sentence per batch."""
    closing, found = ClosingSentences(source_count, 1), list[tuple[str, int | None]]()
    for end in ends:
        closing.read(text[:end])
        if (batch := closing.take_batch()) is not None:
            found += [(each["text"], number or None) for each in batch["sentences"] for number in each["numbers"]]
    return found


async def _run(folder: Path, begin: int, count: int) -> Counter[str]:
    told, judge, rng = Counter[str](), Judge(), random.Random(0)
    for answer in recorded_answers(folder, begin, count):
        await compare(answer, judge, rng, told)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with the three files")
    parser.add_argument("--answers", type=int, default=1_000)
    parser.add_argument("--begin", type=int, default=0, help="the first answer, to share the work between processes")
    given = parser.parse_args()
    told = asyncio.run(_run(given.data, given.begin, given.answers))
    names = ("answers", "sentences", "checks", "checked early", "for nothing", "for nothing, cut at random")
    for name in (*names, "verdicts that differ"):
        print(f"| {name} | {told[name]:,} |")
    print(f"| known before the end | {told['checked early'] / told['checks']:.1%} |")
    if told["verdicts that differ"]:
        raise SystemExit("Verdicts of streamed and later checking differ.")


if __name__ == "__main__":
    main()
