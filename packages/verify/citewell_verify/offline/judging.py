"""Judges statements and answers against sources by words, numbers, negations and meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from citewell_verify.answers.statements import statements
from citewell_verify.evidence.contradictions import Disagreement, best_places, disagreements, without_markers
from citewell_verify.evidence.equivalence import stands_verbatim, without_heading_facts
from citewell_verify.evidence.spans import stating_row
from citewell_verify.evidence.substitution import decides, plain_substitution
from citewell_verify.facts.quotation import with_outer_headings
from citewell_verify.facts.structure.tables import parse_tables
from citewell_verify.judging.statement import NotJudged
from citewell_verify.offline.passages import TUNING, Meaning, read_passage
from citewell_verify.prompting.judgements import Alignment, Answerability, Relation, StatementCheck
from citewell_verify.prompting.numbered_sources import Source, Sources, content_of
from citewell_verify.question.relevance import QuestionVerdict, judge_question
from citewell_verify.support.comparison import AnalysedText, Comparison, compare
from citewell_verify.support.model import STRIKING, features, precision, support_model, with_closeness
from citewell_verify.text.languages import unread_language, why_unread
from citewell_verify.text.sentences import is_table_row
from citewell_verify.text.windows import TOO_LONG, is_too_long, stands_in, with_columns
from citewell_verify.text.words import content_stems, coverage
from citewell_verify.verdicts.joint_support import find_joint_support
from citewell_verify.verdicts.states import CONFIDENCE_THRESHOLD

_MOST_WORDS = 4
_NOTHING_ASKED = QuestionVerdict("yes", True, (), (), 1.0, "")
_EXCERPT = 120
_MOST_JUDGED = 100  # sentences that are judged in an answer as a whole: each is judged by itself, too
_UNKNOWN = 0.4  # support of a statement that is too long to be compared
_UNDECIDED = 0.5
_MOST_DIFFERING = CONFIDENCE_THRESHOLD - 0.01  # a statement with a difference is uncertain at best
_SURELY_NOT = 0.15  # up to this support, a difference is a contradiction, and a source without a difference is silent


@dataclass(frozen=True, slots=True)
class Judged:
    """One statement against one source; `support` is the probability that the source supports it, 0..1.

    `overlap` is the share of the statement's words in the source's best place, `evidence` the deciding sentence or row,
    `said` that sentence or the heading that states it, `missing` the words that are nowhere in the source.
    `is_contradicted`: the statement copies a sentence with one thing exchanged, or it is surely unsupported and the
    source says something else.
    """

    statement: str
    source: int
    support: float
    overlap: float
    evidence: str
    said: str
    missing: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]
    is_contradicted: bool = False

    @property
    def supported(self) -> bool:
        return self.support >= 0.5


@dataclass(frozen=True)
class Observed:
    """Observations from comparing a statement with a source.

    `substitution` is the one place where the statement differs from a sentence that it copies; `words` are the features
    of `citewell_verify.support.model` except the one of meaning. `refuted`: the cell of a table that the statement
    names has another value.
    """

    compared: Comparison
    disagreements: tuple[Disagreement, ...]
    substitution: Disagreement | None
    verbatim: bool
    words: Mapping[str, float]
    meaning: Meaning
    refuted: bool = False

    @property
    def closeness(self) -> float:
        """The share of the statement's words in the best sentence."""
        return self.compared.overlap

    @cached_property
    def features(self) -> Mapping[str, float]:
        """The features of words, and the features of meaning if they are known."""
        nearest = [self.compared.sentences[number].text for number in self.compared.ranking[: TUNING.encoded]]
        likeness = self.meaning.best_likeness(self.compared.statement.text, nearest) if self.meaning.known else None
        return with_closeness(self.words, likeness)

    @cached_property
    def support_bounds(self) -> tuple[float, float]:
        """The least and the most `support` for any meaning; comparing meanings takes longer than everything else."""
        if not self.meaning.known:
            return (support := self._weighed(self.words)), support
        return self._weighed(with_closeness(self.words, 0.0)), self._weighed(with_closeness(self.words, 1.0))

    @cached_property
    def support(self) -> float:
        """The fitted probability. A difference limits it to the share of labelled pairs with a difference of its kind
        that were supported.
        """
        least, most = self.support_bounds
        return least if least == most else self._weighed(self.features)

    def _weighed(self, weighed: Mapping[str, float]) -> float:
        substituted = self.substitution is not None
        support = support_model().support(weighed, substituted=substituted, verbatim=self.verbatim)
        if self.refuted:
            return min(support, 1 - support_model().verbatim)
        limits = [1 - precision(disagreement, self.closeness) for disagreement in self.disagreements]
        return min(support, max(_UNDECIDED, min(_MOST_DIFFERING, *limits))) if limits else support


def observe(statement: str, text: str, meaning: Meaning, context: str = "") -> Observed:
    """Compare `statement` with the `text` of a source below the headings of its `context`. Pure except for the
    embeddings, and linear in both lengths."""
    plain, passage = " ".join(without_markers(statement).split()), read_passage(text)
    compared = compare(AnalysedText(plain), passage.reads)
    places = best_places(plain, passage.text)
    in_cells = bool(places) and all(place.verbatim or place.in_cell for place in places)
    verbatim = in_cells or stands_verbatim(plain, passage.text) is not None
    # Another section may say the same of another thing.
    is_named = bool(places) and all(place.section and place.is_full_match for place in places)
    substitution = None if verbatim or is_named else plain_substitution(plain, passage.text, context)
    differing = () if verbatim else disagreements(plain, passage.text)
    if context and differing:
        differing = without_heading_facts(statement, text, differing)
    weighed = features(compared, places, (substitution, *differing) if substitution else differing)
    refuted = any(place.refuted for place in places)
    return Observed(compared, differing, substitution, verbatim, weighed, meaning, refuted)


def judge(statement: str, source: Source, meaning: Meaning) -> Judged:
    """Judge one statement against one source, below its headings and columns."""
    if is_too_long(statement):
        # The statement is not read fact by fact: a source with the verbatim text supports it, else it is uncertain.
        if stands_in(without_markers(statement), read_passage(source.text).text):
            return Judged(statement, source.number, support_model().verbatim, 1.0, statement, statement, (), ())
        return Judged(statement, source.number, _UNKNOWN, 0.0, "", "", (), ())
    return _judged(statement, source, _observed(statement, source, meaning))


def _observed(statement: str, source: Source, meaning: Meaning) -> Observed:
    text = with_outer_headings(statement, source.text, source.context)
    return observe(statement, text, meaning, source.context)


def _judged(statement: str, source: Source, seen: Observed) -> Judged:
    compared, support = seen.compared, seen.support
    if seen.substitution:
        differing, is_contradicted = (seen.substitution,), decides(seen.substitution, source.text)
    else:
        differing = seen.disagreements
        is_contradicted = seen.refuted or (support <= _SURELY_NOT and _strikes(seen))
    text = with_outer_headings(statement, source.text, source.context)
    return Judged(
        statement=compared.statement.text,
        source=source.number,
        support=support,
        overlap=compared.overlap,
        evidence=(evidence := _evidence(statement, compared, text, source)),
        said=evidence or compared.best.text,
        missing=tuple(compared.absent_words()),
        disagreements=differing,
        is_contradicted=is_contradicted,
    )


def _strikes(seen: Observed) -> bool:
    return any(
        (disagreement.source_value or disagreement.kind == "negation")
        and precision(disagreement, seen.closeness) >= STRIKING
        for disagreement in seen.disagreements
    )


def _evidence(statement: str, compared: Comparison, text: str, source: Source) -> str:
    """Return the row of the source that states the statement, or else the sentence with most of its words, verbatim.

    The heads of a table share words with every statement about it, but only a row has the stated content.
    """
    if row := stating_row(statement, source.text, source.context):
        return source.text[slice(*row)]
    # These sentences keep the source's own markers, which are blank where sentences are compared.
    sentences, above = read_passage(text).sentences, len(text) - len(source.text)
    places = [sentences[number].place for number in compared.ranking if compared.shares(number)]
    own = [text[place.start : place.end] for place in places if place.start >= above]
    heads = parse_tables(without_markers(with_columns(source.text, source.context))).heads
    if own and own[0] in heads:
        return next((line for line in own if is_table_row(line) and line not in heads), own[0])
    return own[0] if own else ""


def judge_against(statement: str, sources: Sources, meaning: Meaning) -> Judged:
    """Judge a statement against the source that supports it best, among those that share most of its words."""
    statement = content_of(statement, sources)
    wanted = content_stems(without_markers(statement))
    sharing = sorted(sources, key=lambda source: -read_passage(source.text).covers(wanted))
    likely = sharing[: TUNING.sources_judged]
    if is_too_long(statement) and likely:
        judged = [judge(statement, source, meaning) for source in likely]
        return max(judged, key=lambda judgement: judgement.support)
    seen = [_observed(statement, source, meaning) for source in likely]
    best = _best_supporting(seen)
    return (
        Judged(statement, 0, 0.0, 0.0, "", "", (), ()) if best is None else _judged(statement, likely[best], seen[best])
    )


def _best_supporting(seen: Sequence[Observed]) -> int | None:
    """Return the first of the observations with the most support. Meaning is compared only if it can change the
    result.
    """
    exact: dict[int, float] = {}
    for number in sorted(range(len(seen)), key=lambda number: -seen[number].support_bounds[1]):
        if seen[number].support_bounds[1] < max(exact.values(), default=0.0):
            break
        exact[number] = seen[number].support
    return max(sorted(exact), key=exact.__getitem__, default=None)


def check_statement(statement: str, sources: Sources, meaning: Meaning) -> StatementCheck:
    """S5.4: whether the source says this; the explanation names the deciding words. Raises NotJudged."""
    if language := _unread(statement, sources):
        return _check_copied(without_markers(statement), sources, language)
    judged = judge_against(statement, sources, meaning)
    is_open = len(sources) > 1 and judged.support < CONFIDENCE_THRESHOLD
    joined = _check_jointly(statement, sources, meaning) if is_open else None
    if joined and joined.confidence > judged.support:
        return joined
    explanation = _explanation(judged)
    return StatementCheck(
        evidence=judged.evidence if judged.supported or judged.disagreements else "",
        differences=differences(judged),
        explanation=f"uncertain: {explanation}" if support_model().is_uncertain(judged.support) else explanation,
        relation=_relation(judged),
        is_accurate=judged.supported,
        confidence=round(max(judged.support, 1 - judged.support), 3),
    )


def _check_copied(statement: str, sources: Sequence[Source], language: str) -> StatementCheck:
    """V1: a yes if a source has the statement word for word. Otherwise raises NotJudged, which names the language."""
    texts = [source.text for source in sources]
    places = ((text, stands_verbatim(statement, text)) for text in texts)
    quote = next((text[slice(*place)] for text, place in places if place), None)
    if quote is None:
        raise NotJudged(why_unread(language))
    return StatementCheck(
        evidence=quote,
        explanation=f"the source says: “{_excerpt(quote)}”",
        relation="supports",
        is_accurate=True,
        confidence=support_model().verbatim,
    )


def _unread(text: str, sources: Sequence[Source]) -> str | None:
    return unread_language(without_markers(text), [source.text for source in sources])


def _check_jointly(statement: str, sources: Sources, meaning: Meaning) -> StatementCheck | None:
    """V7: a yes if the sources together state every part of the statement in its words; else None."""
    texts = [source.text for source in sources]
    joint = find_joint_support(content_of(statement, sources), texts, [source.context for source in sources])
    if joint is None or not joint.complete:
        return None
    places = [next(iter(part.evidence.values())) for part in joint.parts]
    supports = [
        judge(part.reading, sources[place.source], meaning).support
        for part, place in zip(joint.parts, places, strict=True)
    ]
    if min(supports) < 0.5:
        return None
    quotes = [texts[place.source][place.start : place.end] for place in places]
    return StatementCheck(
        evidence=quotes[0],
        differences=[],
        explanation=f"the sources say it together: {', '.join(f'“{_excerpt(quote)}”' for quote in quotes)}",
        relation="supports",
        is_accurate=True,
        confidence=round(min(supports), 3),
    )


def differences(judged: Judged) -> list[str]:
    """The messages of disagreements with the source, or else messages about words that the source lacks."""
    if judged.supported:
        return []
    if judged.disagreements:
        return [disagreement.message for disagreement in judged.disagreements]
    return [f"the source does not have “{word}”" for word in judged.missing[:_MOST_WORDS]]


def check_alignment(question: str, answer: str, sources: Sources, meaning: Meaning) -> Alignment:
    """S1.2: the mean support of the answer's sentences, halved when the answer does not address the question.

    Raises NotJudged.
    """
    if language := _unread(answer, sources):
        raise NotJudged(why_unread(language))
    judged = _judged_sentences(answer, sources, meaning)
    verdict = judge_question(question, answer, texts_of(sources)) or _NOTHING_ASKED
    alignment = partial(Alignment, asked=question, open_parts=list(verdict.open_parts), answers=verdict.relevant)
    if not judged:
        return alignment(score=0.0, reason="the answer says nothing that could be compared with the sources")
    addressed = _addresses(question, judged, meaning)
    score = sum(claim.support for claim in judged) / len(judged) * (1.0 if addressed else 0.5)
    weakest = min(judged, key=lambda claim: claim.support)
    reason = _explanation(weakest) if addressed else "the answer shares neither words nor meaning with the question"
    return alignment(score=round(score, 3), reason=reason)


def check_answerability(question: str, answer: str, sources: Sources, meaning: Meaning) -> Answerability:
    """S3.4: supported only if the sources support a claim of the answer and refuse none, and it addresses the question.

    If the sources may state a claim in other words, the claim is only in doubt: the verdict on that statement shows it.
    Raises NotJudged.
    """
    if language := _unread(answer, sources):
        raise NotJudged(why_unread(language))
    judged = _judged_sentences(answer, sources, meaning)
    if not judged:
        return Answerability(supported=False, reason="the answer says nothing that could be in the context")
    weakest = min(judged, key=lambda claim: claim.support)
    refused = [claim for claim in judged if _relation(claim) in ("contradicts", "does_not_mention")]
    if refused or not any(claim.supported for claim in judged):
        deciding = min(refused or judged, key=lambda claim: claim.support)
        return Answerability(supported=False, reason=f"“{_excerpt(deciding.statement)}”: {_explanation(deciding)}")
    if not _addresses(question, judged, meaning):
        return Answerability(supported=False, reason="the answer does not address the question")
    supported = sum(claim.supported for claim in judged)
    stated = "every claim is" if supported == len(judged) else f"{supported} of {len(judged)} claims are"
    return Answerability(supported=True, reason=f"{stated} in the context; {_explanation(weakest)}")


def _judged_sentences(answer: str, sources: Sources, meaning: Meaning) -> list[Judged]:
    """Judge the sentences that claim something, as the check of single statements reads them.

    For a very long answer, an evenly spaced sample of the sentences is judged.
    """
    said = statements(answer, len(sources))
    texts = [statement.text for statement in said if statement.claim] or [statement.text for statement in said]
    sentences = [text for text in texts if content_stems(without_markers(text))]
    step = -(-len(sentences) // _MOST_JUDGED) or 1
    return [judge_against(sentence, sources, meaning) for sentence in sentences[::step]]


def _addresses(question: str, judged: Sequence[Judged], meaning: Meaning) -> bool:
    texts = [claim.statement for claim in judged]
    shared = coverage(content_stems(question), set(content_stems(" ".join(texts))))
    closeness = meaning.best_likeness(question, texts)
    return max(shared, closeness) >= TUNING.addressing


def _relation(judged: Judged) -> Relation:
    if judged.is_contradicted:
        return "contradicts"
    if judged.supported:
        return "supports"
    # An uncertain no does not mean that the source is silent: other words may mean the same. But a value that is
    # nowhere in the source does not count as such a difference.
    differs = any(disagreement.source_value or disagreement.kind == "negation" for disagreement in judged.disagreements)
    may_say = differs or judged.overlap >= TUNING.same_matter or judged.support > _SURELY_NOT
    return "partially_supports" if may_say else "does_not_mention"


def _explanation(judged: Judged) -> str:
    if judged.supported:
        return f"the source says: “{_excerpt(judged.said)}”"
    if judged.disagreements:
        return "; ".join(disagreement.message for disagreement in judged.disagreements)
    if is_too_long(judged.statement):
        return TOO_LONG
    if judged.missing:
        return f"the source does not have {', '.join(f'“{word}”' for word in judged.missing[:_MOST_WORDS])}"
    return (
        "the source has these words, but not in one place" if judged.overlap else "the source has none of these words"
    )


def _excerpt(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _EXCERPT else f"{plain[:_EXCERPT].rsplit(' ', 1)[0]}…"


def texts_of(sources: Sequence[Source]) -> list[str]:
    """The texts of the sources with their names and contexts, which name things, too."""
    return [f"{source.label}\n{source.context}\n{source.text}" for source in sources]
