"""Finds steps in another order than that of the source: first, then, finally; 먼저, 다음에, 마지막으로 (V2)."""

from collections.abc import Sequence

from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import Alignment
from domain.facts.reading.tokens import Token
from domain.text.words import vocabulary

_NEXT = vocabulary(
    "then next finally afterwards subsequently lastly 다음에 다음으로 그다음 그다음에 이어서 마지막으로 끝으로"
)


def orders_steps(tokens: Sequence[Token]) -> bool:
    return any(each.text.casefold() in _NEXT for each in tokens)


def reversed_steps(alignment: Alignment) -> Difference | None:
    mine, theirs = _numbered(alignment.statement), _numbered(alignment.source)
    latest = earlier = -1  # the last step of the source so far, and that of the steps before the present one
    step = 0
    for one, other in sorted((*alignment.pairs, *alignment.moved)):
        if not alignment.statement[one].is_content:
            continue
        if mine[one] > step:
            step, earlier = mine[one], latest
        if theirs[other] < earlier:
            return Difference("order", alignment.statement[one].text, alignment.source[other].text)
        latest = max(latest, theirs[other])
    return None


def _numbered(tokens: Sequence[Token]) -> Sequence[int]:
    found: list[int] = []
    step = 0
    for each in tokens:
        step += each.text.casefold() in _NEXT
        found.append(step)
    return found
