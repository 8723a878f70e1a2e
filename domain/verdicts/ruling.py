"""Rules on one statement: compares a model's reply with evidence found without a model.

A model's "supported" counts only with evidence from the source, only if the source has enough words of the statement,
and never against a number, date, unit, name or negation that differs in the source. Evidence can only lower a reply,
never raise it: whatever a source makes a model believe, without words the result is at most uncertain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any, Literal

from domain.evidence.contradictions import Disagreement, best_places, disagreements
from domain.evidence.equivalence import without_heading_facts
from domain.evidence.spans import best_text_span, claim_relevance
from domain.evidence.table_rows import stating_row
from domain.facts.grounding import ungrounded_words
from domain.facts.heading_context import active_context, with_outer_headings
from domain.prompting.judgements import Relation, StatementCheck
from domain.safety.prompt_injection import without_orders
from domain.text.languages import unread_language
from domain.text.lengths import TOO_LONG, is_too_long, stands_in
from domain.text.quotes import locate_quote
from domain.verdicts.self_contradiction import denies_itself
from domain.verdicts.support_heuristics import cannot_support, shares_words

EVIDENCE_RULES = "10"
"""Part of the verifier's version: change it with every change of the rules here."""

DISAGREEMENT_CONFIDENCE = 0.9
"""How often a disagreement is right on labelled pairs (docs/evaluation.md)."""

DOUBT = 0.6
"""Confidence that a statement is unsupported whose words differ from its source in one place: they may mean the
same."""

UNPROVEN_CONFIDENCE = 0.5
"""The confidence of a "supported" without evidence: uncertain, whatever the model replied."""

_MOST_WORDS = 4  # in an explanation
_QUOTE_RATIO = 0.85
_LEAST_QUOTED = 12  # bytes of letters: three Chinese or Japanese characters, or a word or two
_OWN_EVIDENCE = 0.5  # claim_relevance from which our own best span replaces a missing quotation


@dataclass(frozen=True, slots=True)
class Evidence:
    """`sources[source][start:end]` are the words that decide; `source` counts from 0."""

    source: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """The final verdict. `decided_by` says whether the model's reply stood or evidence overruled it."""

    is_accurate: bool
    relation: Relation
    confidence: float
    explanation: str
    decided_by: Literal["model", "evidence"]
    evidence: Evidence | None

    @property
    def supports(self) -> bool:
        return self.is_accurate and self.relation == "supports"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Grounds:
    """The evidence on a statement that was found in its sources without a model; it can be compared with any
    replies."""

    statement: str
    readable: tuple[str, ...]
    contexts: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    own_evidence: Evidence | None
    hardly_said: bool
    is_read: bool = True
    """Whether the rules read the statement; if not, the judge decides alone, with words that stand in a source."""

    @classmethod
    def of(cls, statement: str, sources: Sequence[str], contexts: Sequence[str] = ()) -> "Grounds":
        """Analyse the `sources` once, without words that address a model.

        `contexts` are the headings and columns above each source: they name what it is about, but prove no value.
        """
        readable = tuple(map(without_orders, sources))
        above = tuple(active_context(without_orders(each)) for each in contexts or [""] * len(readable))
        if is_too_long(statement) or unread_language(statement, readable):
            own = _verbatim(statement, readable)
            return cls(statement, readable, above, disagreements=(), own_evidence=own, hardly_said=False, is_read=False)
        whole = "\n\n".join(with_outer_headings(statement, *each) for each in zip(readable, above, strict=True))
        found = disagreements(statement, whole)
        return cls(
            statement=statement,
            readable=readable,
            contexts=above,
            disagreements=without_heading_facts(statement, whole, found) if any(above) else found,
            own_evidence=_own_evidence(statement, readable),
            hardly_said=all(cannot_support(source, statement) for source in readable),
        )

    def rule(self, reply: StatementCheck) -> Ruling:
        """Rule on a model's `reply` (S5.4, S2.1, S4.4, N4, V4)."""
        if not self.is_read:
            return self._rule_unread(reply)
        quoted = _quoted(self.statement, reply.evidence, self.readable)
        if self.disagreements:
            doubtful = all(_may_mean_the_same(each, self.statement) for each in self.disagreements)
            return _contradicted(reply, self.disagreements, quoted or self.own_evidence, doubtful=doubtful)
        if not (reply.is_accurate and reply.relation == "supports"):
            return _as_replied(reply, quoted or self.own_evidence)
        if why := denies_itself(reply):
            return _unproven(reply, why, quoted)
        return self._rule_proven(reply, quoted)

    def _rule_proven(self, reply: StatementCheck, quoted: Evidence | None) -> Ruling:
        """Rule on a "supported": a cell that states it proves it, other words must have its names and values."""
        if row := next(_stating_rows(self.statement, self.readable, self.contexts), None):
            return _as_replied(reply, row)
        places = [each for each in (quoted, self.own_evidence) if each]
        if not places:
            return _unproven(reply, "no words of the source were found that say so", None)
        evidence, lacking = self._proof(places)
        if evidence is None:
            words = ", ".join(f"“{word}”" for word in lacking[:_MOST_WORDS])
            return _unproven(reply, f"the words that were found as its proof do not have {words}", None)
        if self.hardly_said:
            return _unproven(reply, "the source has hardly any of its words", evidence)
        return _as_replied(reply, evidence)

    def _proof(self, places: Sequence[Evidence]) -> tuple[Evidence | None, Sequence[str]]:
        """Return the first of the places, or the one that states all of the statement, that names its subjects and has
        its values; with none, the words that the first place lacks."""
        first: Sequence[str] = ()
        for place in chain(places, _stating_places(self.statement, self.readable)):
            if not (lacking := self._lacks(place)):
                return place, ()
            first = first or lacking
        return None, first

    def _rule_unread(self, reply: StatementCheck) -> Ruling:
        is_long = is_too_long(self.statement)
        place = self.own_evidence or (None if is_long else _standing(reply.evidence, self.readable))
        if place or not (reply.is_accurate and reply.relation == "supports"):
            return _as_replied(reply, place)
        return _unproven(reply, TOO_LONG if is_long else "no words of the source were found that say so", None)

    def _lacks(self, place: Evidence) -> list[str]:
        """Return the names and values of the statement that a place lacks, read with its context (V4)."""
        source, context = self.readable[place.source], self.contexts[place.source]
        return ungrounded_words(self.statement, source, place.start, place.end, context)


def _unproven(reply: StatementCheck, why: str, evidence: Evidence | None) -> Ruling:
    explanation = f"{reply.explanation} (but {why})".strip()
    return Ruling(True, "supports", min(reply.confidence, UNPROVEN_CONFIDENCE), explanation, "evidence", evidence)


def _contradicted(
    reply: StatementCheck, found: Sequence[Disagreement], evidence: Evidence | None, *, doubtful: bool
) -> Ruling:
    if doubtful:
        reasons = "; ".join(each.message for each in found)
        return Ruling(
            False,
            "partially_supports",
            DOUBT,
            f"in one place it has other words than the source: {reasons}",
            "evidence",
            evidence,
        )
    stated = any(each.source_value is not None or each.kind == "negation" for each in found)
    relation: Relation = "contradicts" if stated else "does_not_mention"
    if not reply.is_accurate and reply.relation in ("contradicts", "does_not_mention"):
        relation = "contradicts" if stated else reply.relation
    agreed = not reply.is_accurate
    confidence = max(DISAGREEMENT_CONFIDENCE, reply.confidence) if agreed else DISAGREEMENT_CONFIDENCE
    reasons = "; ".join(each.message for each in found)
    return Ruling(False, relation, confidence, reasons, "evidence", evidence)


def _may_mean_the_same(found: Disagreement, statement: str) -> bool:
    """Say whether careful readers would not call it a contradiction: other words, common words in another order, or a
    restriction that the statement leaves out. Nor one without a positive ground."""
    if not found.sure:
        return True
    if found.kind == "order":
        return bool(found.source_value and found.source_value[:1].islower())
    return found.kind == "wording" or found.claim_value == statement.strip(" .。")


def _as_replied(reply: StatementCheck, evidence: Evidence | None) -> Ruling:
    return Ruling(reply.is_accurate, reply.relation, reply.confidence, reply.explanation, "model", evidence)


def _quoted(statement: str, quote: str, sources: Sequence[str]) -> Evidence | None:
    for number, source in enumerate(sources):
        found = locate_quote(quote, source, _QUOTE_RATIO)
        if found is not None and shares_words(statement, source[found.start : found.end]):
            return Evidence(number, found.start, found.end)
    return None


def _standing(quote: str, sources: Sequence[str]) -> Evidence | None:
    if len("".join(filter(str.isalpha, quote)).encode()) < _LEAST_QUOTED:
        return None
    places = ((number, locate_quote(quote, source, _QUOTE_RATIO)) for number, source in enumerate(sources))
    return next((Evidence(number, place.start, place.end) for number, place in places if place), None)


def _verbatim(statement: str, sources: Sequence[str]) -> Evidence | None:
    for number, source in enumerate(sources):
        found = locate_quote(statement, source, 1.0) if stands_in(statement, source) else None
        if found is not None and found.exact:
            return Evidence(number, found.start, found.end)
    return None


def _stating_places(statement: str, sources: Sequence[str]) -> Iterator[Evidence]:
    for number, source in enumerate(sources):
        found = best_places(statement, source)
        if len(found) == 1 and found[0].is_full_match and (place := locate_quote(found[0].place, source, 1.0)):
            yield Evidence(number, place.start, place.end)


def _stating_rows(statement: str, sources: Sequence[str], contexts: Sequence[str]) -> Iterator[Evidence]:
    """Yield the row of each source of which one cell states all of a statement, below the heads of its table (V2)."""
    for number, (source, context) in enumerate(zip(sources, contexts, strict=True)):
        if row := stating_row(statement, source, context):
            yield Evidence(number, *row)


def _own_evidence(statement: str, sources: Sequence[str]) -> Evidence | None:
    spans = [(number, source, *best_text_span(source, statement)) for number, source in enumerate(sources)]
    rated = [
        (claim_relevance(statement, source[start:end]), Evidence(number, start, end))
        for number, source, start, end in spans
    ]
    relevance, evidence = max(rated, key=lambda each: each[0], default=(0.0, None))
    return evidence if relevance >= _OWN_EVIDENCE else None
