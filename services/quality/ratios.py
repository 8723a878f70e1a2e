"""The seeds' metrics from running totals (S2.7, S3.7), over everything ever counted."""

from clients.telemetry import families
from clients.telemetry.families import Family
from clients.telemetry.meter import Counts


def ratios(counts: Counts) -> dict[str, float]:
    retrieved = _of(counts, families.RERANKED, "retrieved")
    rerankings = _of(counts, families.RERANKINGS)
    scores = families.RERANK_SCORES
    gained = _of(counts, scores, "selected") - _of(counts, scores, "retrieved")
    none = _of(counts, families.CORRECTIONS, "none")
    improved, not_improved = (_of(counts, families.CORRECTIONS, result) for result in ("improved", "not_improved"))
    values = {
        "hallucination_rate": _share(counts, families.JUDGED_ANSWERS, "true", "false"),
        "confidence_accuracy": _share(counts, families.CONFIDENCE_RATED, "true", "false"),
        "crag_trigger_rate": _ratio(improved + not_improved, none + improved + not_improved),
        "crag_success_rate": _ratio(improved, improved + not_improved),
        "rerank_score_gain": _ratio(gained, rerankings),
        "selection_rate": _ratio(_of(counts, families.RERANKED, "selected"), retrieved),
        "answerability_rejection_rate": _share(counts, families.ANSWERABILITY, "rejected", "supported"),
        "citation_accuracy": _share(counts, families.CITATION_CHECKS, "accurate", "inaccurate", "uncertain"),
        "citation_coverage": _share(counts, families.CLAIM_SENTENCES, "true", "false"),
    }
    return {name: value for name, value in values.items() if value is not None}


def _of(counts: Counts, family: Family, *labels: str) -> float:
    key = "[" + ", ".join(f'"{label}"' for label in labels) + "]"
    return counts.get(family.name, {}).get(key, {}).get("", 0.0)


def _share(counts: Counts, family: Family, part: str, *others: str) -> float | None:
    counted = _of(counts, family, part)
    return _ratio(counted, counted + sum(_of(counts, family, label) for label in others))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None
