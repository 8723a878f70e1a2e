"""Repair steps for failed statements (N5): another retrieved chunk, else a new search, else a rewriting, else
removal."""

import asyncio
from collections.abc import Mapping, Sequence

from citewell_verify.answers.statements import Statement
from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.statement import numbered_sources
from citewell_verify.verification.findings import Findings
from citewell_verify.verification.repairs import Candidates, Repaired, RepairStrategies, repair_item
from domain.query.answer_checks import AnswerabilityChecked
from domain.query.outcomes import CHECK_ANSWERABILITY, SEARCH_EVIDENCE, EvidenceFound
from services.core.context import StepContext, StepResult
from services.reporting.rows import corrected_draft, read_repairs
from services.retrieval.candidates import search_for
from services.verification.checks import ask_answerability, sentences_repaired
from services.verification.round_results import collect_findings


def search_evidence(context: StepContext) -> StepResult:
    """Search for every failing statement in the place where the question was searched for, a few chunks for each.

    For a given answer (N2) nothing is searched: only its own sources count, and all of them are available.
    """
    if context.query.is_external:
        return StepResult.single(EvidenceFound(status="searched", found={}))
    failing = _failing(context)
    searched = {
        str(statement.index): search_for(context, [statement.text], context.query.options.second_pass_k).candidates
        for statement in failing
    }
    return StepResult.single(
        EvidenceFound(status="searched", found={index: [key for key, _ in near] for index, near in searched.items()})
    )


def _failing(context: StepContext) -> list[Statement]:
    wanted = context.assessment["failing"]
    return [statement for statement in context.statements if statement.index in wanted]


async def repair_statements(context: StepContext) -> StepResult:
    failing = {repair_item(statement.index): statement for statement in _failing(context)}
    findings = await asyncio.to_thread(collect_findings, context)
    repaired = await asyncio.gather(*(_repaired(context, failing[item], findings) for item in context.items))
    return StepResult(
        {item: dict(repair) for item, repair in zip(context.items, repaired, strict=True)},
        events=sentences_repaired(
            context.round, [(failing[item], repair) for item, repair in zip(context.items, repaired, strict=True)]
        ),
    )


async def _repaired(context: StepContext, statement: Statement, findings: Findings) -> Repaired:
    candidates = await asyncio.to_thread(_candidates, context, statement)
    options, is_given = context.query.options, context.query.is_external
    strategies = RepairStrategies(
        context.judge, statement, findings, candidates, options.citation_confidence, ranks_selected=is_given
    )
    return await strategies.apply()


def _candidates(context: StepContext, statement: Statement) -> Candidates:
    evidence = context.read(SEARCH_EVIDENCE)
    searched = evidence["found"].get(str(statement.index), []) if evidence else []
    return Candidates(
        context.selected_passages(), context.passages(context.selection["ranked"]), context.passages(searched)
    )


async def recheck_answerability(context: StepContext) -> StepResult:
    """Repeat S3.4 if the draft was not found answerable and repairs changed it: the verdict on the repaired answer
    counts."""
    if context.query.is_external:
        return _skipped("the verdict is on the answer as given")
    first = context.read(CHECK_ANSWERABILITY)
    confirmed = first and (first["status"] == "skipped" or (first["verdict"] and first["verdict"]["supported"]))
    repairs = await asyncio.to_thread(read_repairs, context)
    if confirmed or not repairs.edits:
        return _skipped("the first verdict stands")
    mended = corrected_draft(context, collect_findings(context), repairs)
    if not any(statement.claim for statement in mended.statements):
        return _skipped("nothing is left of the answer")
    sources = numbered_sources(_as_cited(repairs.passages, mended.mapping))
    return StepResult.single(await ask_answerability(context, sources, mended.text))


def _skipped(reason: str) -> StepResult:
    return StepResult.single(AnswerabilityChecked(status="skipped", verdict=None, reason=reason))


def _as_cited(passages: Sequence[Passage], mapping: Mapping[int, int]) -> list[Passage]:
    """Return the passages in the order of the repaired answer's numbers, then the others, so that its markers stay
    correct."""
    numbers = sorted(range(1, len(passages) + 1), key=lambda old: (old not in mapping, mapping.get(old, old)))
    return [passages[old - 1] for old in numbers]
