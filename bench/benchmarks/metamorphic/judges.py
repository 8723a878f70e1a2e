"""The judges of a case: the offline model, and scripted ones that say yes to everything and quote in four ways."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from benchmarks.metamorphic.cases import Case
from citewell_verify.correction.corrected_answer import correct
from citewell_verify.embeddings.protocol import Encoder
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.judgements import SecondCheck, StatementCheck
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.words import content_stems
from citewell_verify.verdicts.ruling import Grounds
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, is_failing, sentence_status

_INVENTED = {
    "en": "This was confirmed in the original document by its authors.",
    "ko": "이 내용은 원래 문서에서 작성자가 확인하였다.",
}
Judge = Callable[[Case], StatementCheck]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result that users get for a case: the state of the sentence, and whether it is surely struck."""

    status: SentenceStatus
    struck: bool
    explanation: str

    @property
    def supported(self) -> bool:
        """Return whether the statement carries the mark that a reader trusts."""
        return self.status is SentenceStatus.SUPPORTED


def outcomes(case: Case, judges: Mapping[str, Judge]) -> dict[str, Outcome]:
    """Return the outcome of the case with each judge, at the default threshold."""
    grounds = Grounds.of(case.statement, [case.source])
    return {name: _outcome(grounds, judge(case), twice=name != "offline") for name, judge in judges.items()}


def is_unchanged(case: Case) -> bool:
    """Return whether an answer of this one statement comes back byte for byte when its citation is accurate."""
    answer = f"{case.statement} [1]"
    return correct(answer, 1, frozenset()).text == answer


def judges(embedder: Encoder | None) -> dict[str, Judge]:
    """Return the judges by name: "offline", and "yes" with the nearest, a random, no and an invented quotation."""
    meaning = Meaning(embedder)
    return {
        "offline": lambda case: check_statement(case.statement, Sources.numbered([("source", case.source)]), meaning),
        "yes": lambda case: _yes(_nearest(case)),
        "yes, random": lambda case: _yes(_random(case)),
        "yes, empty": lambda _: _yes(""),
        "yes, invented": lambda case: _yes(_INVENTED[case.language]),
    }


def _outcome(grounds: Grounds, reply: StatementCheck, *, twice: bool) -> Outcome:
    ruling = grounds.rule(reply)
    if twice:
        ruling = grounds.settle(ruling, _again(reply))
    checks = [PairVerdict.from_json(1, ruling.as_json())]
    return Outcome(sentence_status(True, checks), is_failing(checks), ruling.explanation)


def _yes(quotation: str) -> StatementCheck:
    return StatementCheck(
        is_accurate=True, relation="supports", confidence=1.0, evidence=quotation, explanation="The source says so."
    )


def _again(reply: StatementCheck) -> SecondCheck:
    return SecondCheck(
        evidence=reply.evidence,
        comparison=reply.explanation,
        relation=reply.relation,
        is_accurate=reply.is_accurate,
        confidence=reply.confidence,
    )


def _nearest(case: Case) -> str:
    wanted = frozenset(content_stems(case.statement))
    sentences = [sentence.text for sentence in split_sentences(case.source)]
    return max(sentences, key=lambda text: len(wanted.intersection(content_stems(text))))


def _random(case: Case) -> str:
    return Random(case.statement).choice(split_sentences(case.source)).text
