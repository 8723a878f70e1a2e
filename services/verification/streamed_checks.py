"""Checks sentences while their answer is still being written (N1): the checks of S5.4, only earlier."""

import asyncio
from collections.abc import Mapping, Sequence

from citewell_verify.answers.statements import Statement, check_key
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.statement import Checked, judge_statement, numbered_sources
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.states import SentenceStatus, sentence_status
from citewell_verify.verification.findings import read_verdict
from db.queries.runs.events import EventData
from domain.query.outcomes import SENTENCES, CheckedEarly, Closed, ClosedSentence
from services.core.context import StepContext, StepResult, when_loaded
from services.verification.checks import citation_checked, sentence_judged


async def check_early(context: StepContext) -> StepResult:
    passages = await when_loaded(context, context.selected_passages)
    batches = {item: Closed(**context.outcomes[SENTENCES, item])["sentences"] for item in context.items}
    checks = await asyncio.gather(*(_judge(context, sentences, passages) for sentences in batches.values()))
    results = [
        _result(context, sentences, checked, passages)
        for sentences, checked in zip(batches.values(), checks, strict=True)
    ]
    values = {item: dict(checked) for item, (checked, _) in zip(batches, results, strict=True)}
    return StepResult(values, events=[event for _, events in results for event in events])


_CheckedPairs = Mapping[tuple[int, int], Checked]
"""The checks, by (index of the sentence, number of the source; 0 for all sources)."""


async def _judge(context: StepContext, sentences: Sequence[ClosedSentence], passages: list[Passage]) -> _CheckedPairs:
    sources = numbered_sources(passages)
    pairs = {(said["index"], number): said["text"] for said in sentences for number in said["numbers"]}

    async def judge(index: int, number: int) -> Checked:
        shown = Sources([sources[number - 1]]) if number else sources
        text, item = pairs[index, number], f"s{index}:c{number}"
        return await judge_statement(context.judge, text, shown, item=item)

    checks = await asyncio.gather(*(judge(*pair) for pair in pairs))
    return dict(zip(pairs, checks, strict=True))


def _result(
    context: StepContext, sentences: Sequence[ClosedSentence], checked_pairs: _CheckedPairs, passages: Sequence[Passage]
) -> tuple[CheckedEarly, list[EventData]]:
    events: list[EventData] = []
    outcome = CheckedEarly(status="checked", checks={}, told=[])
    for place, said in enumerate(sentences):
        statement = Statement(said["index"], said["start"], said["end"], said["text"], (), said["claim"])
        checks = {number or None: checked_pairs[said["index"], number] for number in said["numbers"]}
        for number, checked in checks.items():
            outcome["checks"][check_key(said["text"], number)] = checked
            events.append(citation_checked(context, statement, number, checked))
            if checked["status"] == "not_checked":
                outcome["status"], outcome["reason"] = "not_checked", checked.get("reason", "")
        if said["whole"] and said["claim"]:
            verdicts = [read_verdict(number, checked) for number, checked in checks.items()]
            status: SentenceStatus = sentence_status(said["claim"], verdicts, context.query.options.citation_confidence)
            if len(verdicts) > 1 and status is not SentenceStatus.SUPPORTED:
                continue  # the sources may still support the sentence together (V7)
            outcome["told"].append((place, status.value))
            events.append(sentence_judged(context, statement, status, verdicts, passages))
    return outcome, events
