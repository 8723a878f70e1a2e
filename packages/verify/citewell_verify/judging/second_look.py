"""Asks a judge a second time about what the rules doubt in its first answers: one call for all of them (S5.4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.judging.model import Failure, JudgeModel
from citewell_verify.prompting.batched_items import Statements, by_id
from citewell_verify.prompting.judgements import RECHECK_STATEMENTS
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.ruling import Grounds, Ruling, SecondLook

_BY_RULES = "the rules are the judge, and say the same when they are asked again"
_NO_VERDICT = "the reply has no verdict on it"


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The ruling on the first look at a statement, and the sources that were shown; `item` names it in the calls."""

    item: str
    grounds: Grounds
    sources: Sources
    ruling: Ruling


async def looked_again(judge: JudgeModel, looks: Sequence[FirstLook]) -> list[Ruling]:
    """Return the rulings in order, those in doubt with the judge's second answer; nothing is asked if none is.

    A judge of rules is not asked either. Where the second look fails, the ruling stays uncertain and has the reason.
    """
    doubted = [look for look in looks if look.ruling.second_look]
    settled = iter(await _settled(judge, doubted) if doubted else ())
    return [next(settled) if look.ruling.second_look else look.ruling for look in looks]


async def _settled(judge: JudgeModel, doubted: Sequence[FirstLook]) -> list[Ruling]:
    if judge.judges_offline:
        return [look.grounds.settle(look.ruling, None, _BY_RULES) for look in doubted]
    asked, sources = Statements.of(
        [(look.grounds.statement, look.sources) for look in doubted],
        [_note(look.ruling.second_look) for look in doubted],
    )
    reply = await judge.ask(
        RECHECK_STATEMENTS.for_items(len(doubted)),
        {"sources": sources, "statements": asked},
        item=",".join(look.item for look in doubted),
    )
    if isinstance(reply, Failure):
        return [look.grounds.settle(look.ruling, None, reply.reason) for look in doubted]
    verdicts = {replied.id: replied.verdict for replied in by_id(asked, reply.verdicts).values()}
    return [
        look.grounds.settle(look.ruling, verdicts.get(item.id), _NO_VERDICT)
        for look, item in zip(doubted, asked, strict=True)
    ]


def _note(doubt: SecondLook | None) -> str:
    if doubt is None:
        return ""
    return f"{doubt.noticed}\nbeside these words of the source: {doubt.place}" if doubt.place else doubt.noticed
