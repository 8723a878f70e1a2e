"""Claims one by one, searches for what lacks support, and small repairs: all without a model (S2.1, S2.3, N5)."""

from clients.llm.offline.judging import Judged, check_statement, judge_against
from clients.llm.offline.meaning import Meaning
from domain.claims import is_claim
from domain.disagreements import disagreements
from domain.judgements import Claims, ReportedClaim, ReportedStatus, Rewritten, TargetedQueries
from domain.plain import plain_text
from domain.sentences import split_sentences
from domain.sources import Sources
from domain.substitution import substituted


def check_claims(answer: str, sources: Sources, meaning: Meaning) -> Claims:
    """S2.1: every sentence of the answer that claims something, against the source that supports it best."""
    said = [" ".join(each.text.split()) for each in split_sentences(plain_text(answer).text)]
    claims = [_claim(text, sources, meaning) for text in said if is_claim(text, text)]
    judged = [judge_against(claim.claim, sources, meaning) for claim in claims]
    return Claims(
        overall_confidence=round(sum(each.support for each in judged) / len(judged), 3) if judged else 0.0,
        is_grounded=bool(claims) and all(claim.status == "SUPPORTED" for claim in claims),
        claims=claims,
        suggested_corrections=[text for each in judged if (text := _correction(each))],
    )


def _claim(text: str, sources: Sources, meaning: Meaning) -> ReportedClaim:
    checked = check_statement(text, sources, meaning)
    partly: ReportedStatus = "PARTIALLY_SUPPORTED" if checked.relation == "partially_supports" else "UNSUPPORTED"
    status: ReportedStatus = "SUPPORTED" if checked.is_accurate else partly
    return ReportedClaim(claim=text, status=status, evidence=checked.evidence, reasoning=checked.explanation)


def _correction(judged: Judged) -> str | None:
    """What would have to change, where the source says what is right."""
    found = next((each for each in judged.disagreements if each.source_value is not None), None)
    return f"Change “{found.claim_value}” to “{found.source_value}”." if found else None


def plan_queries(claims: str, count: int) -> TargetedQueries:
    """S2.3: the claims themselves are what to search for; one on each line."""
    lines = [line.strip().removeprefix("- ").strip() for line in claims.splitlines()]
    return TargetedQueries(queries=[line for line in lines if line][:count])


def rewrite_statement(statement: str, sources: Sources) -> Rewritten:
    """N5: the statement with the source's own figures for wrong ones; nothing when that does not mend it."""
    for source in sources:
        text = substituted(statement, disagreements(statement, source.text))
        if text is not None and not disagreements(text, source.text):
            return Rewritten(text=text, source=source.number)
    return Rewritten(text="", source=0)
