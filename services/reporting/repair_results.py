"""Results of a round's repairs: new words, new sources, new verdicts (N5), and the coverage of what is left (V10)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from domain.answers.statements import same_words
from domain.correction.corrected_answer import Corrected, correct
from domain.correction.edits import Repair
from domain.evidence.passages import Passage
from domain.query.outcomes import Assessed, Repaired
from domain.verdicts.states import UNPROVEN, PairVerdict, SentenceStatus, Verdict
from domain.verdicts.weighted_scores import citation_coverage
from services.core.context import StepContext, names_of_passage
from services.verification.round_results import Findings


@dataclass(frozen=True, slots=True)
class Repairs:
    """`edits` and `verdicts` are by statement index. `passages` are those of the answer, followed by added ones."""

    passages: list[Passage]
    edits: Mapping[int, Repair] = field(default_factory=dict[int, Repair])
    verdicts: Mapping[int, PairVerdict] = field(default_factory=dict[int, PairVerdict])


def repair_item(index: int) -> str:
    return f"s{index}"


def read_repairs(context: StepContext) -> Repairs:
    done = _done(context)
    keys = context.selection["selected"]
    added = list(dict.fromkeys(key for each in done.values() for key in each["keys"] if key not in keys))
    passages = [*context.selected_passages(), *context.passages(added)]
    numbers = {passage.key: number for number, passage in enumerate(passages, start=1)}
    made = ((index, _edit(repaired, numbers)) for index, repaired in done.items() if repaired["status"] != "kept")
    edits = dict(_said_once(made))
    verdicts = {
        index: PairVerdict.from_json(edits[index].numbers[0], each["verdict"])
        for index, each in done.items()
        if each["verdict"] and index in edits and edits[index].numbers
    }
    return Repairs(passages, edits, verdicts)


def _said_once(edits: Iterable[tuple[int, Repair]]) -> Iterator[tuple[int, Repair]]:
    # One sentence of a source may be what several wrong ones should have said.
    said = set[str]()
    for index, repair in edits:
        again = repair.kind == "rewritten" and same_words(repair.text) in said
        yield index, Repair("dropped", f"{repair.reason}; another sentence says it") if again else repair
        said.add(same_words(repair.text))


def passages_to_conclude(context: StepContext) -> list[int]:
    repaired = (key for repair in _done(context).values() for key in repair["keys"])
    return [*context.selection["selected"], *context.selection["ranked"], *repaired]


def _done(context: StepContext) -> dict[int, Repaired]:
    assessed = context.outcome("assess")
    failing = Assessed(**assessed)["failing"] if assessed else []
    outcomes = {index: context.outcome("repair_statements", repair_item(index)) for index in failing}
    return {index: Repaired(**outcome) for index, outcome in outcomes.items() if outcome}


def corrected_draft(context: StepContext, findings: Findings, repairs: Repairs) -> Corrected:
    """The draft with repairs and without its wrong citations (S5.4).

    A sure "no" removes a citation. One in doubt stays behind a sentence that is supported in part or was not checked,
    but none stays behind a sentence that no source supports, or that one denies, nor behind a heading or another text
    that claims nothing by itself.
    """
    threshold = context.query.options.citation_confidence

    def is_wrong(index: int, verdict: PairVerdict) -> bool:
        given = verdict.verdict(threshold)
        in_doubt = given is not Verdict.ACCURATE and verdict.status == "checked"
        state = findings.states[index]
        return given is Verdict.INACCURATE or state in UNPROVEN or (state is SentenceStatus.NO_CLAIM and in_doubt)

    wrong = {
        (index, number) for (index, number), verdict in findings.verdicts.items() if number and is_wrong(index, verdict)
    }
    given = context.query.is_external
    return correct(context.draft["text"], context.citable, wrong, repairs.edits, renumber=not given)


def _edit(repaired: Repaired, numbers: Mapping[int, int]) -> Repair:
    if repaired["status"] == "dropped":
        return Repair("dropped", repaired["reason"])
    found = tuple(numbers[key] for key in repaired["keys"] if key in numbers)
    if len(found) < len(repaired["keys"]):
        return Repair("dropped", f"{repaired['reason']}; that passage was deleted meanwhile")
    if repaired["status"] == "rewritten":
        return Repair.rewriting(repaired["text"] or "", found, repaired["reason"])
    return Repair("reattributed", repaired["reason"], found)


def with_coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> StepContext:
    """Return the context with the coverage of the corrected answer; a check that was not made stays so.

    Otherwise a result would count citations that were removed. The alignment stays that of the answer as written,
    because asking a model again would cost a call.
    """
    outcome = context.outcome("check_coverage")
    if not (repairs.edits or corrected.removed) or not outcome or not outcome.get("verdict"):
        return context
    verdict = {**outcome["verdict"], "score": _coverage(context, corrected, repairs)}
    return context.with_outcomes("check_coverage", {"": {**outcome, "verdict": verdict}})


def _coverage(context: StepContext, corrected: Corrected, repairs: Repairs) -> float:
    """The coverage of the passages that the answer was written from and those that a repair added, cited ones first
    (S1.3)."""
    cited = [old for old, _ in sorted(corrected.mapping.items(), key=lambda pair: pair[1])]
    others = [number for number in range(1, len(context.selection["selected"]) + 1) if number not in cited]
    shown = [repairs.passages[number - 1] for number in (*cited, *others)]
    return citation_coverage(corrected.text, list(map(names_of_passage, shown)))
