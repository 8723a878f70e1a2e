"""Rules on one statement: compares a judge's reply with the statement's sources (S5.4, V1, V4).

Two cases are decided here whatever a judge replies: a sentence that is in a source word for word is supported, and a
sentence of a source with one part exchanged is contradicted. Any other evidence against a "supports" is only a doubt,
because rules that do not understand a text are wrong nearly as often as they are right. A doubt leads to a second look
by the same judge, whose answer decides. A "supports" with a doubt that was not settled, or with words that are in no
source, is uncertain.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypedDict

from citewell_verify.evidence.contradictions import Disagreement, disagreements
from citewell_verify.evidence.equivalence import stands_verbatim, without_heading_facts
from citewell_verify.evidence.spans import best_text_span, claim_relevance, stating_row
from citewell_verify.evidence.substitution import decides, plain_substitution
from citewell_verify.facts.grounding import absent_subjects
from citewell_verify.facts.quotation import active_context, with_outer_headings
from citewell_verify.prompting.judgements import Relation, SecondCheck, StatementCheck
from citewell_verify.safety.prompt_injection import without_orders
from citewell_verify.text.languages import unread_language
from citewell_verify.text.quotes import locate_quote
from citewell_verify.text.windows import TOO_LONG, is_too_long
from citewell_verify.text.words import content_stems
from citewell_verify.verdicts.self_contradiction import denies_itself

EVIDENCE_RULES = "19"
"""Part of the verifier's version: change it with every change of the rules here."""

DISAGREEMENT_CONFIDENCE = 0.9
"""The confidence in a plain substitution."""

VERBATIM_CONFIDENCE = 0.95
"""The least confidence that a source states a sentence that is in it word for word."""

DOUBT = 0.6
"""The confidence that a statement is unsupported if the sources lack a part of it."""

UNPROVEN_CONFIDENCE = 0.5
"""The confidence of a "supports" without proof: it is uncertain, whatever the judge replied."""

_MOST_WORDS = 4  # in an explanation
_QUOTE_RATIO = 0.85
_LEAST_WORDS, _LEAST_SHARED = 2, 0.2  # words of a quotation, and the share of the statement's words in it
_LEAST_QUOTED = 12  # bytes of letters: three Chinese or Japanese characters, or one or two words
_HANGUL = re.compile("[가-힣]")
_OWN_EVIDENCE = 0.5  # the claim_relevance from which the best span by our own rules is evidence


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that decide, `sources[source][start:end]`; `source` counts from 0."""

    source: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Look:
    """A judge's reply at one look."""

    is_accurate: bool
    relation: Relation
    confidence: float
    explanation: str

    @property
    def supports(self) -> bool:
        return self.is_accurate and self.relation == "supports"


@dataclass(frozen=True, slots=True)
class SecondLook:
    """The reason for asking a judge twice, and both answers. If there is no `second` answer, `reason` says why.

    `place` are the words of the source to which the doubt of the rules refers.
    """

    noticed: str
    place: str
    first: Look
    second: Look | None = None
    reason: str = ""

    @property
    def note(self) -> str:
        """The note to the judge about the doubt, for the second question."""
        return f"{self.noticed}\nbeside these words of the source: {self.place}" if self.place else self.noticed


class StoredRuling(TypedDict):
    """A `Ruling` as JSON, with the differences between the statement and its source: the verdict of a stored check."""

    is_accurate: bool
    relation: Relation
    confidence: float
    explanation: str
    decided_by: Literal["model", "evidence"]
    evidence: dict[str, int] | None
    second_look: dict[str, Any] | None
    differences: list[str]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The final verdict. `decided_by` says whether the judge's reply stood or evidence overruled it.

    With a `second_look` that has no second answer, the doubt is open: the judge may be asked again.
    """

    is_accurate: bool
    relation: Relation
    confidence: float
    explanation: str
    decided_by: Literal["model", "evidence"]
    evidence: Evidence | None
    second_look: SecondLook | None = None

    @property
    def supports(self) -> bool:
        return self.is_accurate and self.relation == "supports"

    def as_json(self, differences: Sequence[str] = ()) -> StoredRuling:
        return StoredRuling(**asdict(self), differences=list(differences))


@dataclass(frozen=True, slots=True)
class Grounds:
    """The evidence on a statement in its sources, found without a model, for comparison with a judge's replies."""

    statement: str
    readable: tuple[str, ...]
    contexts: tuple[str, ...]
    verbatim: Evidence | None
    substitution: Disagreement | None = None
    disagreements: tuple[Disagreement, ...] = ()
    own_evidence: Evidence | None = None
    is_read: bool = True
    """True if the rules read the statement; if not, the judge decides alone, with words that are in a source."""

    @classmethod
    def of(cls, statement: str, sources: Sequence[str], contexts: Sequence[str] = ()) -> "Grounds":
        """Analyse the `sources` once, without words that address a model.

        `contexts` are the headings and columns above each source: they name its subject, but prove no value.
        """
        readable = tuple(map(without_orders, sources))
        above = tuple(active_context(without_orders(context)) for context in contexts or [""] * len(readable))
        places = ((number, stands_verbatim(statement, source)) for number, source in enumerate(readable))
        verbatim = next((Evidence(number, *place) for number, place in places if place), None)
        is_read = not unread_language(statement, readable)
        if verbatim or is_too_long(statement) or not is_read:
            return cls(statement, readable, above, verbatim, own_evidence=verbatim, is_read=is_read)
        own_evidence = _own_evidence(statement, readable)
        if substitution := _substitution(statement, readable, above):
            disagreement, is_plain = substitution
            if is_plain:
                return cls(statement, readable, above, None, disagreement, own_evidence=own_evidence)
            return cls(statement, readable, above, None, None, (disagreement,), own_evidence)
        whole = "\n\n".join(
            with_outer_headings(statement, source, context) for source, context in zip(readable, above, strict=True)
        )
        differences = disagreements(statement, whole)
        if any(above):
            differences = without_heading_facts(statement, whole, differences)
        return cls(
            statement=statement,
            readable=readable,
            contexts=above,
            verbatim=None,
            disagreements=differences,
            own_evidence=own_evidence,
        )

    def rule(self, reply: StatementCheck) -> Ruling:
        """Rule on the first look of a judge (S5.4, S2.1, S4.4, N4, V1, V4).

        A doubtful "supports" is uncertain, with an open `second_look`: `settle` it with the judge's second answer.
        """
        look = Look(reply.is_accurate, reply.relation, reply.confidence, reply.explanation)
        quoted = self._quoted(reply.evidence)
        if self.verbatim:
            if not look.supports:
                return Ruling(True, "supports", VERBATIM_CONFIDENCE, _VERBATIM, "evidence", self.verbatim)
            return replace(_as_said(look, self.verbatim), confidence=max(look.confidence, VERBATIM_CONFIDENCE))
        if self.substitution:
            confidence = max(DISAGREEMENT_CONFIDENCE, 0.0 if look.is_accurate else look.confidence)
            message, place = self.substitution.message, quoted or self.own_evidence
            return Ruling(False, "contradicts", confidence, message, "evidence", place)
        if not look.supports:
            return _as_said(look, quoted or self.own_evidence)
        if is_too_long(self.statement):
            return _unproven(look, TOO_LONG, None)
        if not self.is_read:
            return _as_said(look, quoted) if quoted else _unproven(look, _NO_WORDS, None)
        evidence, noticed = self._proof(reply, quoted)
        if not noticed:
            return _as_said(look, evidence)
        place = evidence or self.own_evidence
        words = self.readable[place.source][place.start : place.end] if place else ""
        evidence = evidence or self._quoted(reply.evidence, in_other_words=True)
        return replace(_unproven(look, noticed, evidence), second_look=SecondLook(noticed, words, look))

    def settle(self, ruling: Ruling, reply: SecondCheck | None, reason: str = "") -> Ruling:
        """Return the ruling with the second look of the judge, which decides; without a second look it stays uncertain.

        A second "supports" counts only with words that are in a source (V4). They may differ from the statement's words
        if the judge quotes them at both looks.
        """
        doubt = ruling.second_look
        if doubt is None:
            return ruling
        if reply is None:
            return replace(ruling, second_look=replace(doubt, reason=reason))
        look = Look(reply.is_accurate, reply.relation, reply.confidence, reply.comparison)
        quoted = self._quoted(reply.evidence) or self._quoted_twice(reply.evidence, ruling.evidence)
        unproven = look.supports and quoted is None
        settled = _unproven(look, _NO_WORDS, None) if unproven else _as_said(look, quoted or self.own_evidence)
        return replace(settled, second_look=replace(doubt, second=look))

    def _proof(self, reply: StatementCheck, quoted: Evidence | None) -> tuple[Evidence | None, str]:
        """Return the words that prove a "supports", and the doubt about it; "" if there is none."""
        if self.disagreements:
            return quoted, "; ".join(disagreement.message for disagreement in self.disagreements)
        if denial := denies_itself(reply, self.statement):
            return quoted, denial
        if row := next(_stating_rows(self.statement, self.readable, self.contexts), None):
            return row, ""
        if quoted is None:
            return None, _NO_WORDS
        unnamed = [self._unnamed(place) for place in (quoted, self.own_evidence or quoted)]
        if all(unnamed):
            return quoted, f"the words that were found as its proof do not have {unnamed[0]}"
        return (self.own_evidence if unnamed[0] else quoted), ""

    def _unnamed(self, place: Evidence) -> str:
        """Return the subjects of the statement that a place does not name, read with its headings (V4)."""
        source, context = self.readable[place.source], self.contexts[place.source]
        unnamed = absent_subjects(self.statement, source, place.start, place.end, context)
        return ", ".join(f"“{word}”" for word in unnamed[:_MOST_WORDS])

    def _quoted(self, quote: str, *, in_other_words: bool = False) -> Evidence | None:
        """Return the place of the words that a judge quotes. Words that say little do not count, because they are
        everywhere; without `in_other_words`, a quotation must share words with a statement in the same script."""
        bare = quote.strip()
        if bare.startswith("<") and bare.endswith(">"):
            quote = bare[1:-1]  # small models copy the angle brackets of the prompt: "<words>"
        if self.is_read:
            says_little = len(content_stems(quote)) < _LEAST_WORDS
        else:
            says_little = len("".join(filter(str.isalpha, quote)).encode()) < _LEAST_QUOTED
        if says_little and quote.strip() != self.statement.strip():
            return None
        is_free = in_other_words or not self.is_read
        for number, source in enumerate(self.readable):
            if located := locate_quote(quote, source, _QUOTE_RATIO):
                words = source[located.start : located.end]
                if (
                    is_free
                    or bool(_HANGUL.search(self.statement)) != bool(_HANGUL.search(words))
                    or claim_relevance(self.statement, words) >= _LEAST_SHARED
                ):
                    return Evidence(number, located.start, located.end)
        return None

    def _quoted_twice(self, quote: str, first: Evidence | None) -> Evidence | None:
        second = self._quoted(quote, in_other_words=True)
        if first is None or second is None or first.source != second.source:
            return None
        return second if max(first.start, second.start) < min(first.end, second.end) else None


_VERBATIM = "a source has the statement word for word"
_NO_WORDS = "no words of the source were found that say so"


def _unproven(look: Look, why: str, evidence: Evidence | None) -> Ruling:
    explanation = f"{look.explanation} (but {why})".strip()
    return Ruling(True, "supports", min(look.confidence, UNPROVEN_CONFIDENCE), explanation, "evidence", evidence)


def _as_said(look: Look, evidence: Evidence | None) -> Ruling:
    return Ruling(look.is_accurate, look.relation, look.confidence, look.explanation, "model", evidence)


def _substitution(statement: str, sources: Sequence[str], contexts: Sequence[str]) -> tuple[Disagreement, bool] | None:
    """Return the difference of the statement from a sentence that it copies, and whether it is plain enough to decide,
    because no other source is about the same. None if a row of a table states it, whose head is in no sentence."""
    if next(_stating_rows(statement, sources, contexts), None):
        return None
    by_source = [
        plain_substitution(statement, source, context) for source, context in zip(sources, contexts, strict=True)
    ]
    if not any(by_source):
        return None
    others = [source for source, difference in zip(sources, by_source, strict=True) if not difference]
    pairs = zip(by_source, sources, strict=True)
    substitution, source = next((difference, source) for difference, source in pairs if difference)
    return substitution, decides(substitution, source) and _own_evidence(statement, others) is None


def _stating_rows(statement: str, sources: Sequence[str], contexts: Sequence[str]) -> Iterator[Evidence]:
    """Yield the row of each source in which one cell, below the heads of its table, states all of a statement (V2)."""
    for number, (source, context) in enumerate(zip(sources, contexts, strict=True)):
        if row := stating_row(statement, source, context):
            yield Evidence(number, *row)


def _own_evidence(statement: str, sources: Sequence[str]) -> Evidence | None:
    spans = [(number, source, *best_text_span(source, statement)) for number, source in enumerate(sources)]
    rated = [
        (claim_relevance(statement, source[start:end]), Evidence(number, start, end))
        for number, source, start, end in spans
    ]
    relevance, evidence = max(rated, key=lambda candidate: candidate[0], default=(0.0, None))
    return evidence if relevance >= _OWN_EVIDENCE else None
