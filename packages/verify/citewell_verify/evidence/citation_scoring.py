"""Scores a citation: whether the quoted span is in the source, and whether it supports the claim (S4.4)."""

import re
from dataclasses import dataclass
from enum import StrEnum

from citewell_verify.evidence.contradictions import cited_disagreements, disagreements
from citewell_verify.evidence.spans import best_text_span, claim_relevance
from citewell_verify.evidence.substitution import plain_substitution
from citewell_verify.facts.comparison import parse_source
from citewell_verify.facts.grounding import absent_subjects
from citewell_verify.facts.kinds import Disagreement
from citewell_verify.facts.quotation import active_context
from citewell_verify.facts.reading.phrases import normalised
from citewell_verify.facts.reading.token_alignment import tokens_match
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.facts.reading.values import ValueIndex
from citewell_verify.text.quotes import locate_quote
from citewell_verify.text.windows import is_too_long, with_columns
from citewell_verify.text.words import STOP_WORDS, words

# Markup that only says how a text looks: targets of links, tags, emphasis. Bounded parts keep this linear.
_MARKUP = re.compile(
    r"(?<=\])\((?:[^()\s]|\([^()\s]{0,100}\)){1,500}(?:\s{1,3}[\"'(][^\n()\"']{0,200}[\"')])?\)"
    r"|(?<=\])\[[^\[\]\n]{1,100}\]"
    r"|</?[A-Za-z][A-Za-z0-9]{0,9}(?:\s[^<>\n]{0,300})?/?>"
    r"|(?<!\w)_{1,3}(?=[^\W_])|(?<=[^\W_])_{1,3}(?!\w)"
)
# A span is found above the first; relevance and confidence have to reach the others.
_FUZZY, _MIN_RELEVANCE, _ACCURATE = 0.7, 0.3, 0.7
_NOT_FOUND = 0.69
_EXACT = 1.01  # a ratio that no similarity reaches, so that only a verbatim quotation is found
# The search for a similar text takes time in proportion to the source and to the square of the span.
_LONGEST_RATED, _LONGEST_FUZZY = 500, 2000


class CitationIssue(StrEnum):
    """Row S4.4's issues: three of the seed, then one for each kind of disagreement."""

    NOT_FOUND = "text_span_not_found_in_source"
    FUZZY = "text_span_fuzzy_match"
    LOW_RELEVANCE = "low_claim_relevance"
    NUMBER = "number_mismatch"
    DATE = "date_mismatch"
    UNIT = "unit_mismatch"
    NEGATION = "negation_mismatch"
    NAME = "name_mismatch"
    SUBJECT = "subject_mismatch"
    ORDER = "order_mismatch"
    MODALITY = "modality_mismatch"
    ATTRIBUTION = "attribution_mismatch"
    QUANTIFIER = "quantifier_mismatch"
    WORDING = "wording_mismatch"


@dataclass(frozen=True, slots=True)
class CitationScore:
    """The seed's result. `source[located[0]:located[1]]` are the words that are meant; `located` is None when they are
    not in the source.

    `text_span_score`, `claim_relevance` and their minimum `confidence` are 0..1; `disagreements` tells users about the
    `*_mismatch` issues.
    """

    text_span_score: float
    claim_relevance: float
    confidence: float
    is_accurate: bool
    issues: tuple[CitationIssue, ...]
    located: tuple[int, int] | None
    disagreements: tuple[Disagreement, ...]


def score_citation(claim: str, source: str, text_span: str | None = None, context: str = "") -> CitationScore:
    """Compare `claim` and `text_span` with `source`, the text of the cited chunk (S4.4).

    - Span: 1.0 if it is there word for word, 0.7–0.99 if more than 70 % similar, else its similarity, below 0.7.
      Without a span the best span of the source is taken. A span of more than 500 characters that is not found scores
      0; a span of more than 2,000 has to be there word for word. A span that says nothing (".", "the") is never found.
    - Relevance: the share of the claim's words in the source and its `context`, the headings and columns that stand
      outside of it; values count in any spelling, "5 pm" as "17:00". The seed takes the whole source, not the span: a
      short span may leave to its neighbours what the claim repeats.
    - Accurate: confidence of at least 0.7 and no issue at all, so a similar span is found but never accurate.
    - A number, date, unit, name or negation is compared with the words of the source at which the span was found, since
      these are cited; with the whole source when the span was not found.
    - The subject of those words is read in the whole source and its `context`: a row belongs to the heads of its table,
      and text below a heading to the thing that the heading names.
    """
    claim = without_markup(claim)
    text_span_score, located = _span(claim, source, text_span)
    whole = f"{context}\n{source}"
    relevance = max(claim_relevance(text, whole) for text in (claim, _in_its_spelling(claim, source)))
    differing = _differing(claim, source, located, context)
    issues = _issues(text_span_score, relevance, located, differing)
    confidence = min(text_span_score, relevance)
    return CitationScore(
        text_span_score=text_span_score,
        claim_relevance=relevance,
        confidence=confidence,
        is_accurate=_reaches(confidence, _ACCURATE) and not issues,
        issues=issues,
        located=located,
        disagreements=differing,
    )


def _in_its_spelling(claim: str, source: str) -> str:
    if is_too_long(claim):
        return claim
    known = [token for tokens in parse_source(source).clause_tokens for token in tokens if token.value]
    index, text = ValueIndex([token.value for token in known]), normalised(claim)
    for token, value in reversed([(token, token.value) for token in tokenize(claim) if token.value]):
        written = next((known[at].text for at in index.candidates(value) if tokens_match(token, known[at])), token.text)
        text = text[: token.start] + written + text[token.start + len(token.text) :]
    return text


def _differing(claim: str, source: str, located: tuple[int, int] | None, context: str) -> tuple[Disagreement, ...]:
    if substitution := plain_substitution(claim, source, context):
        return (substitution,)
    if located is None:
        return disagreements(claim, with_columns(source, context))
    in_words = cited_disagreements(claim, source[slice(*located)], source, context)
    if any(difference.kind in ("name", "subject") for difference in in_words):
        return in_words
    # Subjects that the cited words, read with their headings, are not about (V2, V4).
    absent = absent_subjects(claim, source, *located, active_context(context))
    unnamed = (
        Disagreement("subject", name, None, f"“{name}” is not what the cited words are about") for name in absent
    )
    return (*in_words, *unnamed)


def without_markup(text: str) -> str:
    """Blank out the Markdown and HTML of `text` in place: markup, such as the target of a link, is not evidence."""
    return _MARKUP.sub(lambda match: " " * len(match[0]), text)


def _span(claim: str, source: str, text_span: str | None) -> tuple[float, tuple[int, int] | None]:
    if text_span is None:
        start, end = best_text_span(source, claim)
        return (1.0, (start, end)) if end > start else (0.0, None)
    if not any(map(str.isalnum, text_span)) or STOP_WORDS.issuperset(words(text_span)):
        return 0.0, None
    # A span of a chunk has 50 to 200 characters (S4.6). A longer one, such as a whole page, is either found or scores
    # 0.
    length = len(text_span)
    least_ratio = 0.0 if length <= _LONGEST_RATED else _FUZZY if length <= _LONGEST_FUZZY else _EXACT
    located = locate_quote(text_span, source, min_ratio=least_ratio)
    if located is None:
        return 0.0, None
    if located.exact or located.score > _FUZZY:
        return located.score, (located.start, located.end)
    return min(located.score, _NOT_FOUND), None


def _issues(
    text_span_score: float,
    relevance: float,
    located: tuple[int, int] | None,
    differing: tuple[Disagreement, ...],
) -> tuple[CitationIssue, ...]:
    issues: list[CitationIssue] = []
    if located is None:
        issues.append(CitationIssue.NOT_FOUND)
    elif text_span_score < 1.0:
        issues.append(CitationIssue.FUZZY)
    if not _reaches(relevance, _MIN_RELEVANCE):
        issues.append(CitationIssue.LOW_RELEVANCE)
    mismatches = [CitationIssue(f"{difference.kind}_mismatch") for difference in differing]
    return tuple(dict.fromkeys((*issues, *mismatches)))


def _reaches(score: float, least: float) -> bool:
    return round(score, 9) >= least
