"""Judges several statements per model call, each against its own sources: far fewer calls, the same rules (preset
`cheap`).

A verdict counts only under its statement's own id and is checked against that statement's own sources, as if it had
been asked alone. A statement without a readable verdict is asked alone.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell_verify.judging.model import UNREADABLE, Checked, Failure, JudgeModel
from citewell_verify.judging.statement import WINDOW_CHARS, FirstLook, judge_statement, looked_again, ruled
from citewell_verify.prompting.batched_items import MOST_STATEMENTS, Statements, by_id, packed
from citewell_verify.prompting.judgements import CHECK_STATEMENTS, StatementCheck
from citewell_verify.prompting.numbered_sources import Sources, content_of
from citewell_verify.text.sentences import LONGEST_SENTENCE
from citewell_verify.verdicts.ruling import Grounds


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement and the sources that it cites; calls about it are recorded under `item`."""

    item: str
    statement: str
    sources: Sources


async def judge_batch(judge: JudgeModel, pairs: Sequence[Pair]) -> list[Checked]:
    """Return what `judge_statement` returns for each of `pairs`, in order, with as few calls as their length allows.

    A statement whose sources need windows is judged alone, as is one that is too long to be checked.
    """
    # Group statements about the same sources, so that these are shown once.
    order = sorted(range(len(pairs)), key=lambda place: [source.number for source in pairs[place].sources])
    groups = packed(order, lambda places: _fit([pairs[place] for place in places]))
    checks = await asyncio.gather(*(_judged(judge, [pairs[place] for place in group]) for group in groups))
    by_place = {
        place: check
        for places, of_group in zip(groups, checks, strict=True)
        for place, check in zip(places, of_group, strict=True)
    }
    return [by_place[place] for place in range(len(pairs))]


def _fit(pairs: Sequence[Pair]) -> bool:
    texts = {source.text for pair in pairs for source in pair.sources} | {pair.statement for pair in pairs}
    if any(len(pair.statement) > LONGEST_SENTENCE for pair in pairs):
        return False
    return len(pairs) <= MOST_STATEMENTS and sum(map(len, texts)) <= WINDOW_CHARS


async def _judged(judge: JudgeModel, pairs: Sequence[Pair]) -> Sequence[Checked]:
    if len(pairs) == 1:
        return [await _judge_single(judge, pairs[0])]
    asked, sources = Statements.of([(pair.statement, pair.sources) for pair in pairs])
    reply = await judge.ask(
        CHECK_STATEMENTS.for_items(len(pairs)),
        {"sources": sources, "statements": asked},
        item=",".join(pair.item for pair in pairs),
    )
    if isinstance(reply, Failure) and reply.kind not in UNREADABLE:
        return [Checked(status="not_checked", verdict=None, reason=reply.reason) for _ in pairs]
    verdicts = {} if isinstance(reply, Failure) else by_id(asked, reply.verdicts)
    read = {place: verdicts[item.id].verdict for place, item in enumerate(asked) if item.id in verdicts}
    unread = {place: pair for place, pair in enumerate(pairs) if place not in read}
    together, alone = await asyncio.gather(
        _ruled(judge, {place: (pairs[place], verdict) for place, verdict in read.items()}),
        _judged_alone(judge, unread),
    )
    by_place = together | alone
    return [by_place[place] for place in range(len(pairs))]


async def _judged_alone(judge: JudgeModel, pairs: Mapping[int, Pair]) -> dict[int, Checked]:
    checks = await asyncio.gather(*(_judge_single(judge, pair) for pair in pairs.values()))
    return dict(zip(pairs, checks, strict=True))


async def _ruled(judge: JudgeModel, read: Mapping[int, tuple[Pair, StatementCheck]]) -> dict[int, Checked]:
    """Return what the replies come to, by place; those that the rules doubt are looked at again in one call."""
    looks: list[FirstLook] = []
    for pair, reply in read.values():
        grounds = Grounds.of(
            content_of(pair.statement, pair.sources),
            [source.text for source in pair.sources],
            [source.context for source in pair.sources],
        )
        looks.append(FirstLook(pair.item, grounds, pair.sources, grounds.rule(reply)))
    rulings = await looked_again(judge, looks)
    return {place: ruled(ruling, reply) for (place, (_, reply)), ruling in zip(read.items(), rulings, strict=True)}


async def _judge_single(judge: JudgeModel, pair: Pair) -> Checked:
    return await judge_statement(judge, pair.statement, pair.sources, item=pair.item)
