"""Judgements of statements and answers against sources, from words, numbers, negations and meaning."""

from collections.abc import Sequence
from dataclasses import dataclass

from clients.llm.offline.meaning import Meaning
from clients.llm.offline.passages import Passage, read_passage
from clients.llm.offline.relevance import logistic, most_shared
from clients.llm.offline.tuning import TUNING
from domain.disagreements import Disagreement, disagreements, without_markers
from domain.judgements import Alignment, Answerability, FactClaim, Facts, Relation, StatementCheck
from domain.quotes import locate_quote
from domain.sentences import split_sentences
from domain.sources import Source, Sources
from domain.words import content_stems, coverage, stem, words

_MOST_CLAIMS = 5
_WINDOW = 3  # neighbouring sentences that may state a thing together
_EXCERPT = 120


@dataclass(frozen=True, slots=True)
class Judged:
    """One statement against one source; `support` is the probability that the source says it, 0..1.

    `overlap` is the share of its words in the source's best place, `evidence` the sentence that decides, `missing` the
    words that are nowhere in the source.
    """

    statement: str
    source: int
    support: float
    overlap: float
    evidence: str
    missing: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def supported(self) -> bool:
        """Whether the source rather says it than not."""
        return self.support >= 0.5


def judge(statement: str, source: Source, meaning: Meaning) -> Judged:
    """Judge one statement against one source. A disagreement beats every likeness."""
    plain, passage = " ".join(without_markers(statement).split()), read_passage(source.text)
    wanted = content_stems(plain)
    closest = most_shared(wanted, passage.sentences)[: TUNING.encoded]
    found = disagreements(plain, passage.text)
    overlap = _overlap(wanted, passage)
    if found:
        support = 1 - TUNING.disagreement
    elif len(wanted) >= TUNING.verbatim_stems and locate_quote(plain.rstrip(".!?。 "), passage.text, min_ratio=1.0):
        support = TUNING.verbatim
    elif meaning.known:
        likeness = meaning.best_likeness(plain, [sentence.text for sentence in closest])
        weighed = TUNING.statement_overlap * overlap + TUNING.statement_meaning * likeness
        support = logistic(weighed - TUNING.statement_offset)
    else:
        support = logistic(TUNING.words_overlap * overlap - TUNING.words_offset)
    missing = tuple(dict.fromkeys(word for word in words(plain) if _is_missing(word, wanted, passage)))
    return Judged(plain, source.number, support, overlap, closest[0].text if closest else "", missing, found)


def judge_against(statement: str, sources: Sources, meaning: Meaning) -> Judged:
    """Judge a statement against the source that supports it best, of those that share most of its words."""
    wanted = content_stems(without_markers(statement))
    sharing = sorted(sources, key=lambda source: -coverage(wanted, read_passage(source.text).stems))
    judged = [judge(statement, source, meaning) for source in sharing[: TUNING.sources_judged]]
    nothing = Judged(statement, 0, 0.0, 0.0, "", (), ())
    return max(judged, key=lambda each: each.support, default=nothing)


def check_statement(statement: str, sources: Sources, meaning: Meaning) -> StatementCheck:
    """S5.4: does the source say this; the explanation names the deciding words."""
    judged = judge_against(statement, sources, meaning)
    return StatementCheck(
        is_accurate=judged.supported,
        relation=_relation(judged),
        confidence=round(max(judged.support, 1 - judged.support), 3),
        evidence=judged.evidence if judged.supported or judged.disagreements else "",
        explanation=_explanation(judged),
    )


def check_facts(answer: str, sources: Sources, meaning: Meaning) -> Facts:
    """S1.4: the sentences of the answer that say most, at most five, each against every source."""
    said = [sentence.text for sentence in split_sentences(answer) if content_stems(without_markers(sentence.text))]
    fullest = sorted(said, key=lambda text: -len(content_stems(text)))[:_MOST_CLAIMS]
    return Facts(claims=[_fact(text, sources, meaning) for text in said if text in fullest][:_MOST_CLAIMS])


def _fact(statement: str, sources: Sources, meaning: Meaning) -> FactClaim:
    judged = [judge(statement, source, meaning) for source in sources]
    best = max((each.support for each in judged), default=0.0)
    return FactClaim(
        claim=" ".join(without_markers(statement).split()),
        verified=best >= 0.5,
        supporting_sources=[each.source for each in judged if each.supported],
        confidence=round(max(best, 1 - best), 3),
    )


def check_alignment(question: str, answer: str, sources: Sources, meaning: Meaning) -> Alignment:
    """S1.2: the mean support of the answer's sentences, halved when the answer does not address the question."""
    judged = _judged_sentences(answer, sources, meaning)
    if not judged:
        return Alignment(score=0.0, reason="the answer says nothing that could be compared with the sources")
    addressed = _addresses(question, judged, meaning)
    score = sum(each.support for each in judged) / len(judged) * (1.0 if addressed else 0.5)
    weakest = min(judged, key=lambda each: each.support)
    reason = _explanation(weakest) if addressed else "the answer shares neither words nor meaning with the question"
    return Alignment(score=round(score, 3), reason=reason)


def check_answerability(question: str, answer: str, sources: Sources, meaning: Meaning) -> Answerability:
    """S3.4: supported only if every sentence of the answer is, and the answer addresses the question."""
    judged = _judged_sentences(answer, sources, meaning)
    if not judged:
        return Answerability(supported=False, reason="the answer says nothing that could be in the context")
    weakest = min(judged, key=lambda each: each.support)
    if not weakest.supported:
        return Answerability(supported=False, reason=f"“{_excerpt(weakest.statement)}”: {_explanation(weakest)}")
    if not _addresses(question, judged, meaning):
        return Answerability(supported=False, reason="the answer does not address the question")
    return Answerability(supported=True, reason=f"every sentence is in the context; {_explanation(weakest)}")


def _judged_sentences(answer: str, sources: Sources, meaning: Meaning) -> list[Judged]:
    return [
        judge_against(sentence.text, sources, meaning)
        for sentence in split_sentences(answer)
        if content_stems(without_markers(sentence.text))
    ]


def _addresses(question: str, judged: Sequence[Judged], meaning: Meaning) -> bool:
    texts = [each.statement for each in judged]
    shared = coverage(content_stems(question), set(content_stems(" ".join(texts))))
    closeness = meaning.best_likeness(question, texts)
    return max(shared, closeness) >= TUNING.addressing


def _overlap(wanted: Sequence[str], passage: Passage) -> float:
    stems = [sentence.stems for sentence in passage.sentences]
    windows = (frozenset[str]().union(*stems[n : n + _WINDOW]) for n in range(max(1, len(stems) - _WINDOW + 1)))
    return max(coverage(wanted, window) for window in windows)


def _is_missing(word: str, wanted: Sequence[str], passage: Passage) -> bool:
    return stem(word) in wanted and coverage([stem(word)], passage.stems) == 0


def _relation(judged: Judged) -> Relation:
    if any(each.source_value or each.kind == "negation" for each in judged.disagreements):
        return "contradicts"
    if judged.supported:
        return "supports"
    return "partially_supports" if judged.overlap >= TUNING.same_matter else "does_not_mention"


def _explanation(judged: Judged) -> str:
    if judged.disagreements:
        return "; ".join(each.message for each in judged.disagreements)
    if judged.supported:
        return f"the source says: “{_excerpt(judged.evidence)}”"
    if judged.missing:
        return f"the source does not have {', '.join(f'“{word}”' for word in judged.missing[:4])}"
    return (
        "the source has these words, but not in one place" if judged.overlap else "the source has none of these words"
    )


def _excerpt(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _EXCERPT else f"{plain[:_EXCERPT].rsplit(' ', 1)[0]}…"
