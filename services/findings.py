"""What the checks of one round found out about its draft: verdicts, states of its sentences, confidence (N4, S2.2)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.citations import Statement, deciding_items, statements
from domain.claim_verdicts import ClaimStatus
from domain.confidence import confidence
from domain.evidence import claim_relevance
from domain.verdicts import PairVerdict, SentenceStatus, is_failing, sentence_status
from services.early import adopted_checks
from services.step import StepContext

Verdicts = Mapping[tuple[int, int | None], PairVerdict]
"""By (statement index, citation number or None), as the model wrote them."""

_MOST_GAPS = 8
_ABOUT = 0.3  # S4.4: with less of a claim's words a sentence does not make it
_OPEN = (SentenceStatus.CONTRADICTED, SentenceStatus.UNSUPPORTED, SentenceStatus.PARTIAL)
_AS_SENTENCE = {
    ClaimStatus.SUPPORTED.name: SentenceStatus.SUPPORTED,
    ClaimStatus.PARTIALLY_SUPPORTED.name: SentenceStatus.PARTIAL,
    ClaimStatus.UNSUPPORTED.name: SentenceStatus.UNSUPPORTED,
}


@dataclass(frozen=True, slots=True)
class Findings:
    """The draft sentence by sentence. `claims` are those of S2.1 as stored, None when they were not checked.

    `counted` are the states that the confidence was computed from: those of the sentences or of the claims, whichever
    says less, so that a claim the model did not list cannot raise it. `unasked`: nobody asked for verdicts on the
    sentences (N2), so they say nothing about the answer.
    """

    draft: str
    said: Sequence[Statement]
    verdicts: Verdicts
    states: Mapping[int, SentenceStatus]
    claims: list[dict[str, Any]] | None
    counted: Sequence[SentenceStatus]
    confidence: float | None
    unasked: bool = False
    unlisted: Sequence[int] = ()
    """The sentences whose claims could not be asked for, where those of others could (N4)."""

    def checks_of(self, index: int) -> list[PairVerdict]:
        """The verdicts of one statement."""
        return [verdict for (statement, _), verdict in self.verdicts.items() if statement == index]

    def counted_after(self, states: Sequence[SentenceStatus], mended: Collection[int]) -> Sequence[SentenceStatus]:
        """What the confidence of the answer is computed from when statements `mended` were changed; `states` are those
        of its sentences now. A claim of a statement that is gone or changed counts no more; all others still do."""
        if not mended:
            return self.counted
        left = [claim for claim in self.claims or [] if self._statement_of(claim["claim"]) not in mended]
        unlisted = [index for index in self.unlisted if index not in mended]
        listed = _listed(left, unlisted)
        return min((states, listed), key=_sure) if confidence(listed) is not None else states

    def _statement_of(self, claim: str) -> int | None:
        rated = [(claim_relevance(claim, each.text), -each.index) for each in self.said]
        relevance, index = max(rated, default=(0.0, 0))
        return -index if relevance >= _ABOUT else None

    def failing(self, threshold: float) -> list[int]:
        """N5: the statements of which every check is a sure no. A row of a table is never mended: half a row is worse
        than one whose state says that it failed."""
        failing = [each for each in self.said if each.claim and is_failing(self.checks_of(each.index), threshold)]
        return [each.index for each in failing if not self._is_in_table(each)]

    def _is_in_table(self, statement: Statement) -> bool:
        start = self.draft.rfind("\n", 0, statement.start) + 1
        end = self.draft.find("\n", statement.end)
        return "|" in self.draft[start : end if end >= 0 else len(self.draft)]

    def gaps(self) -> list[str]:
        """S2.3: what lacks support, each once: claims of S2.1 first, then whole sentences."""
        open_claims = [each["claim"] for each in self.claims or [] if each["status"] != ClaimStatus.SUPPORTED.name]
        open_sentences = [each.text for each in self.said if self.states[each.index] in _OPEN]
        return list({" ".join(text.casefold().split()): text for text in (*open_claims, *open_sentences)}.values())[
            :_MOST_GAPS
        ]


def find(context: StepContext) -> Findings:
    """Read the outcomes of the checks of `context.round`; a check that left none is `not_checked`."""
    said = statements(context.draft["text"])
    verdicts = _read_verdicts(context, deciding_items(said, len(context.selection["selected"])))
    threshold = context.query.options.citation_confidence
    states = {
        each.index: sentence_status(each.claim, [v for (i, _), v in verdicts.items() if i == each.index], threshold)
        for each in said
    }
    checked = (context.outcome("check_claims") or {}).get("verdict")
    claims: list[dict[str, Any]] | None = checked["claims"] if checked else None
    unlisted: list[int] = checked.get("unchecked", []) if checked else []
    sentences = list(states.values())
    listed = _listed(claims or [], unlisted)
    if unasked := _is_unasked(context, verdicts):
        counted = listed
    else:
        counted = min((sentences, listed), key=_sure) if confidence(listed) is not None else sentences
    draft = context.draft["text"]
    return Findings(draft, said, verdicts, states, claims, counted, confidence(counted), unasked, unlisted)


def _listed(claims: Sequence[Mapping[str, Any]], unlisted: Sequence[int]) -> list[SentenceStatus]:
    return [*(_AS_SENTENCE[claim["status"]] for claim in claims), *(SentenceStatus.NOT_CHECKED for _ in unlisted)]


def _is_unasked(context: StepContext, verdicts: Verdicts) -> bool:
    checks = [outcome for (step, _), outcome in context.outcomes.items() if step == "check_statements"]
    return bool(verdicts and checks) and all(outcome["status"] == "skipped" for outcome in checks)


def _read_verdicts(context: StepContext, deciding: Mapping[tuple[int, int | None], str]) -> Verdicts:
    """The verdict of every pair that needs one; a check that left no outcome is `not_checked`."""
    early = adopted_checks(context)
    return {
        pair: read_verdict(pair[1], context.outcome("check_statements", item) or early.get(item))
        for pair, item in deciding.items()
    }


def read_verdict(number: int | None, outcome: Mapping[str, Any] | None) -> PairVerdict:
    """The verdict that a check about source `number` left."""
    found = outcome or {"verdict": None, "reason": "the check left no result"}
    if found["verdict"] is None:
        return PairVerdict(number, "not_checked", None, None, None, found.get("reason", ""))
    return PairVerdict.from_json(number, found["verdict"])


def _sure(states: Sequence[SentenceStatus]) -> float:
    score = confidence(states)
    return 2.0 if score is None else score
