"""Do documents that disagree come to light (`conflicts.jsonl`): `python -m benchmarks.answers.conflicts`.

Our own material: 20 pairs of short office papers, English and Korean, that give one thing two values, some of which say
that they replace the other, and 40 pairs that only look alike. The answer is taken from either paper of a pair in turn;
a pair counts as told if both answers show the other value, and as a false alarm if either answer shows one.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from citewell_verify.evidence.conflicts.finding import Conflict, Evidence, conflicts
from citewell_verify.evidence.conflicts.replacements import Excerpt

DATA = Path(__file__).with_suffix(".jsonl")


def pairs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def found_in(pair: dict[str, Any]) -> list[list[Conflict]]:
    """Return the conflicts of the answer that the first document gives, and those of the second one's."""
    excerpts = [Excerpt(each["name"], each["name"], each["text"]) for each in pair["documents"]]
    found: list[list[Conflict]] = []
    for line, excerpt in zip(pair["lines"], excerpts, strict=True):
        start = excerpt.text.index(line)
        found.append(conflicts([Evidence(line, excerpt, start, start + len(line))], excerpts, pair["question"]))
    return found


def is_told(pair: dict[str, Any], found: list[list[Conflict]]) -> bool:
    return all(
        any(value in each.other.quote for each in conflicts_of)
        for value, conflicts_of in zip(reversed(pair["values"]), found, strict=True)
    )


def knows_which(pair: dict[str, Any], found: list[list[Conflict]]) -> bool:
    valid = None if pair["replaces"] is None else pair["documents"][pair["replaces"]]["name"]
    return all(each.in_force == valid for of_answer in found for each in of_answer)


def measure(half: str | None = None) -> Counter[str]:
    counted: Counter[str] = Counter()
    for pair in pairs():
        if half and pair["half"] != half:
            continue
        found, kind = found_in(pair), pair["kind"]
        counted[kind] += 1
        if kind == "alike":
            counted["false alarms"] += any(found)
        else:
            counted["told"] += is_told(pair, found)
            counted["in force"] += is_told(pair, found) and knows_which(pair, found)
        if any(found) if kind == "alike" else not (is_told(pair, found) and knows_which(pair, found)):
            print(f"  {pair['id']}: {pair['why']}", file=sys.stderr)
    return counted


def main(half: str | None = None) -> None:
    counted = measure(half)
    disagree, alike = counted["disagree"], counted["alike"]
    print("| pairs of documents (own material) | shown |")
    print("|---|---|")
    print(f"| that disagree | {counted['told']} of {disagree} |")
    print(f"| the same, with the one in force if one replaces the other | {counted['in force']} of {disagree} |")
    print(f"| that only look alike (false alarms) | {counted['false alarms']} of {alike} |")


if __name__ == "__main__":
    main(*sys.argv[1:2])
