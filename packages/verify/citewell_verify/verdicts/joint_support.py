"""Finds the parts of a statement in several of the sources that it cites (V7).

Each part is compared with each source separately, so the combination never exceeds what the sources state: if two
subjects were exchanged, no source states either of the parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from citewell_verify.evidence.spans import best_text_span, claim_relevance
from citewell_verify.facts.comparison import compare, parse_source
from citewell_verify.facts.grounding import has_names
from citewell_verify.facts.quotation import with_headings
from citewell_verify.facts.reading.clauses import HANGUL, Part, candidate_parts, subject_phrase
from citewell_verify.facts.reading.token_alignment import align, has_token
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.text.sentences import LONGEST_SENTENCE
from citewell_verify.verdicts.counted_together import find_operands
from citewell_verify.verdicts.ruling import DOUBT, Evidence, Ruling
from citewell_verify.verdicts.states import PairVerdict, Verdict

MOST_SOURCES = 8
"""The most sources that one statement is checked against together; S3.6 allows five citations, given answers may
have more."""

_UNBROKEN = 0.9  # share of a source's words, from the first to the last used word, that a completed part has
_RELEVANT = 0.3  # S4.4: a text with a smaller share of a claim's words is not about it
_NOTHING_CONFIDENCE = 0.9


_NOTHING = Ruling(
    False,
    "does_not_mention",
    _NOTHING_CONFIDENCE,
    "the other cited sources say all of it, this one says nothing of it",
    "evidence",
    None,
)


@dataclass(frozen=True, slots=True)
class SupportedPart:
    """A part of a statement with its evidence by source, counted from 0; empty if no source has it in these words."""

    text: str
    evidence: Mapping[int, Evidence]
    reading: str = ""


@dataclass(frozen=True, slots=True)
class JointSupport:
    parts: tuple[SupportedPart, ...]

    @property
    def complete(self) -> bool:
        return all(part.evidence for part in self.parts)

    def of_source(self, source: int) -> list[SupportedPart]:
        return [part for part in self.parts if source in part.evidence]

    @property
    def missing(self) -> list[str]:
        return [part.text for part in self.parts if not part.evidence]


def find_joint_support(statement: str, sources: Sequence[str], contexts: Sequence[str] = ()) -> JointSupport | None:
    """Return the parts of `statement` with the `sources` that state them.

    None if the statement has only one part or more than 2,000 characters, or if no source states any part. The parts of
    a sum or a change are the sentences with its figures. `contexts` are the headings and columns above each source,
    which name its subject. Among all divisions, the one that leaves least without evidence is returned, then the one
    with the fewest parts. Linear in the sources' lengths: a statement has at most 15 parts, and only the first 8
    sources count.
    """
    if len(sources) < 2 or len(statement) > LONGEST_SENTENCE:
        return None
    if operands := find_operands(statement, sources[:MOST_SOURCES]):
        places = [(operand.source, operand.sentence) for operand in operands]
        return JointSupport(
            tuple(
                SupportedPart(place.text, {source: Evidence(source, place.start, place.end)}, place.text)
                for source, place in places
            )
        )
    candidates, count = candidate_parts(statement)
    if count < 2:
        return None
    read = list(zip(sources[:MOST_SOURCES], contexts or repeat(""), strict=False))
    known = {(first, last): _supported_part(statement, part, read) for first, last, part in candidates}
    parts = _best(known, count)
    return JointSupport(parts) if any(part.evidence for part in parts) else None


def _best(known: Mapping[tuple[int, int], SupportedPart], count: int) -> tuple[SupportedPart, ...]:
    best: list[tuple[int, int, tuple[SupportedPart, ...]]] = [(0, 0, ())]
    for last in range(1, count + 1):
        ways = [
            (unsaid + (0 if part.evidence else last - first), count + 1, (*parts, part))
            for first, (unsaid, count, parts) in enumerate(best)
            if (part := known.get((first, last)))
        ]
        best.append(min(ways, key=lambda way: way[:2]))
    return best[-1][2]


def _supported_part(statement: str, part: Part, sources: Sequence[tuple[str, str]]) -> SupportedPart:
    for reading in part.readings:
        evidence = {
            number: Evidence(number, *place)
            for number, (source, context) in enumerate(sources)
            if (place := _place(statement, reading, source, context, shared=reading != part.text))
        }
        if evidence:
            return SupportedPart(part.text, evidence, reading)
    return SupportedPart(part.text, {})


def _place(statement: str, reading: str, source: str, context: str, *, shared: bool) -> tuple[int, int] | None:
    """Return the place of the words of a source that state a reading of a part, below the headings of its context; None
    if there are none.
    """
    whole = with_headings(reading, source, context)
    wanted = [token.key for token in tokenize(reading) if token.is_content and not token.value]
    known = parse_source(whole).all_keys
    if 2 * sum(known.issuperset(key.split()) for key in wanted) < len(wanted):
        return None  # Less than half of the words are anywhere: no closer comparison can succeed.
    match = compare(reading, whole)
    if not (match.is_full_match and has_names(reading, whole)) or (
        shared and align(tokenize(reading), tokenize(match.place)).local_similarity < _UNBROKEN
    ):
        return None
    start, end = best_text_span(whole, reading)
    # The heads of a table name none of its rows.
    subject = match.place.partition(": ")[0] if match.in_table else match.place
    outside = len(whole) - len(source)
    if end <= outside or _is_about_another(statement, reading, subject, whole):
        return None
    return max(0, start - outside), end - outside


def _is_about_another(statement: str, reading: str, place: str, source: str) -> bool:
    """Return whether a part without a name stands in the source beside a name that the statement does not have.

    In "Acme's revenue was 5 million and services grew by 8%" the services are those of Acme, not of another named firm.
    """
    stated, own = tokenize(statement), tokenize(reading)
    led = _leading(statement)
    if not led or all(has_token(own, lead) for lead in led):
        return False
    named = [token for tokens in parse_source(source).clause_tokens for token in tokens if token.is_content]
    if all(has_token(named, lead) for lead in led):
        return False
    beside = _topic(place) if HANGUL.search(place) else tokenize(place)
    return any(
        (_is_name(token) or (token.is_content and HANGUL.search(token.text))) and not has_token(stated, token)
        for token in beside
    )


def _leading(statement: str) -> list[Token]:
    if HANGUL.search(statement):
        topic = _topic(statement)
        owners = [at for at, token in enumerate(topic) if token.case == "owner"]
        return [token for token in topic[: owners[-1] + 1] if token.is_content] if owners else []
    return [token for token in tokenize(subject_phrase(statement)) if _is_name(token)]


def _topic(sentence: str) -> list[Token]:
    tokens = tokenize(sentence)
    first = next((at for at, token in enumerate(tokens) if token.case in ("topic", "subject")), -1)
    return list(tokens[: first + 1])


def _is_name(token: Token) -> bool:
    return token.is_content and not token.value and (token.kind == "name" or token.text[:1].isupper())


def joint_rulings(joint: JointSupport, reply: StatementCheck | None, sources: Sequence[int]) -> dict[int, Ruling]:
    """Return the ruling for each of `sources` (counted from 0) that the parts decide (V7, S5.4).

    `reply` is a model's reply on all of them together; None if no model was asked. If all parts have evidence and the
    model agrees, a citation of a source with a part is accurate, and of a source without one inaccurate. If some part
    has no evidence, the sources of other parts support the statement partly. The checks of each source alone decide all
    other cases.
    """
    if joint.complete and reply is not None and reply.is_accurate and reply.relation == "supports":
        return {source: _full_ruling(joint, source, reply) for source in sources}
    if joint.complete:
        return {}
    lacks = f"no cited source says {_quoted(joint.missing)}"
    rulings: dict[int, Ruling] = {}
    for source in sources:
        if parts := joint.of_source(source):
            why = f"for: {_quoted([part.text for part in parts])}; {lacks}"
            rulings[source] = Ruling(False, "partially_supports", DOUBT, why, "evidence", parts[0].evidence[source])
    return rulings


def rulings_on_whole(statement: str, sources: Sequence[str], judged: PairVerdict) -> dict[int, Ruling]:
    """Return the ruling for each of the `sources` after a judge said a sure yes to all of them together (V7).

    {} unless several of them have words of the statement; a source with hardly any of them is cited wrongly.
    """
    spans = [Evidence(number, *best_text_span(source, statement)) for number, source in enumerate(sources)]
    telling = [
        span for span in spans if claim_relevance(statement, sources[span.source][span.start : span.end]) >= _RELEVANT
    ]
    if judged.verdict() is not Verdict.ACCURATE or judged.confidence is None or len(telling) < 2:
        return {}
    said = Ruling(True, "supports", judged.confidence, f"for its part: {judged.explanation}", "model", None)
    return {span.source: replace(said, evidence=span) if span in telling else _NOTHING for span in spans}


def _full_ruling(joint: JointSupport, source: int, reply: StatementCheck) -> Ruling:
    parts = joint.of_source(source)
    if not parts:
        return _NOTHING
    why = f"for: {_quoted([part.text for part in parts])}"
    return Ruling(True, "supports", reply.confidence, why, "model", parts[0].evidence[source])


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"“{text.strip(' .')}”" for text in texts)
