"""The repairs of an answer's failing statements: new words, new sources, new verdicts (N5)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from citewell_verify.answers.statements import same_words
from citewell_verify.correction.corrected_answer import Corrected, correct
from citewell_verify.correction.edits import Repair
from citewell_verify.evidence.passages import Passage
from citewell_verify.markers.citable import Citable
from citewell_verify.verdicts.ruling import StoredRuling
from citewell_verify.verdicts.states import UNPROVEN, PairVerdict, SentenceStatus, Verdict
from citewell_verify.verification.findings import Findings


class Repaired(TypedDict):
    """N5: the repair of one failing statement. `keys` are the chunks that support it now, `text` its new words.

    `kept`: nothing helps, but part of it is supported, or a model failed before a repair was found. `reason` says why,
    for the edit log; `verdict` is the ruling.
    """

    status: Literal["reattributed", "rewritten", "dropped", "kept"]
    keys: list[int]
    text: str | None
    verdict: StoredRuling | None
    reason: str


@dataclass(frozen=True, slots=True)
class Repairs:
    """`edits` and `verdicts` are by statement index. `passages` are those of the answer, followed by added ones."""

    passages: list[Passage]
    edits: Mapping[int, Repair] = field(default_factory=dict[int, Repair])
    verdicts: Mapping[int, PairVerdict] = field(default_factory=dict[int, PairVerdict])


def repair_item(index: int) -> str:
    return f"s{index}"


def repairs_of(done: Mapping[int, Repaired], passages: list[Passage]) -> Repairs:
    """Return what was `done` about statements, by their index. `passages` are those of the answer, then added ones."""
    numbers = {passage.key: number for number, passage in enumerate(passages, start=1)}
    made = ((index, _edit(repaired, numbers)) for index, repaired in done.items() if repaired["status"] != "kept")
    edits = dict(_said_once(made))
    verdicts = {
        index: PairVerdict.from_json(edits[index].numbers[0], repaired["verdict"])
        for index, repaired in done.items()
        if repaired["verdict"] and index in edits and edits[index].numbers
    }
    return Repairs(passages, edits, verdicts)


def _said_once(edits: Iterable[tuple[int, Repair]]) -> Iterator[tuple[int, Repair]]:
    # One sentence of a source may be what several wrong ones should have said.
    said = set[str]()
    for index, repair in edits:
        again = repair.kind == "rewritten" and same_words(repair.text) in said
        yield index, Repair("dropped", f"{repair.reason}; another sentence says it") if again else repair
        said.add(same_words(repair.text))


def _edit(repaired: Repaired, numbers: Mapping[int, int]) -> Repair:
    if repaired["status"] == "dropped":
        return Repair("dropped", repaired["reason"])
    left = tuple(numbers[key] for key in repaired["keys"] if key in numbers)
    if len(left) < len(repaired["keys"]):
        return Repair("dropped", f"{repaired['reason']}; that passage was deleted meanwhile")
    if repaired["status"] == "rewritten":
        return Repair.rewriting(repaired["text"] or "", left, repaired["reason"])
    return Repair("reattributed", repaired["reason"], left)


def corrected_draft(
    findings: Findings, repairs: Repairs, sources: Citable, threshold: float, *, renumber: bool = True
) -> Corrected:
    """The draft with repairs and without its wrong citations (S5.4); see `correct` for `sources` and `renumber`.

    A sure "no" removes a citation. One in doubt stays behind a sentence that is supported in part or was not checked,
    but none stays behind a sentence that no source supports, or that one denies, nor behind a heading or another text
    that claims nothing by itself.
    """

    def is_wrong(index: int, verdict: PairVerdict) -> bool:
        given = verdict.verdict(threshold)
        in_doubt = given is not Verdict.ACCURATE and verdict.status == "checked"
        state = findings.states[index]
        return given is Verdict.INACCURATE or state in UNPROVEN or (state is SentenceStatus.NO_CLAIM and in_doubt)

    wrong = {
        (index, number) for (index, number), verdict in findings.verdicts.items() if number and is_wrong(index, verdict)
    }
    return correct(findings.draft, sources, wrong, repairs.edits, renumber=renumber)
