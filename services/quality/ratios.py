"""The seeds' metrics from running totals (S2.7, S3.7), over everything ever counted."""

from clients.telemetry import meter
from clients.telemetry.meter import Counts, Family


def ratios(counts: Counts) -> dict[str, float]:
    retrieved = _of(counts, meter.RERANKED, "retrieved")
    rerankings = _of(counts, meter.RERANKINGS)
    scores = meter.RERANK_SCORES
    gained = _of(counts, scores, "selected") - _of(counts, scores, "retrieved")
    none = _of(counts, meter.CORRECTIONS, "none")
    improved, not_improved = (_of(counts, meter.CORRECTIONS, result) for result in ("improved", "not_improved"))
    values = {
        "hallucination_rate": _share(counts, meter.JUDGED_ANSWERS, "true", "false"),
        "confidence_accuracy": _share(counts, meter.CONFIDENCE_RATED, "true", "false"),
        "crag_trigger_rate": _ratio(improved + not_improved, none + improved + not_improved),
        "crag_success_rate": _ratio(improved, improved + not_improved),
        "rerank_score_gain": _ratio(gained, rerankings),
        "selection_rate": _ratio(_of(counts, meter.RERANKED, "selected"), retrieved),
        "answerability_rejection_rate": _share(counts, meter.ANSWERABILITY, "rejected", "supported"),
        "citation_accuracy": _share(counts, meter.CITATION_CHECKS, "accurate", "inaccurate", "uncertain"),
        "citation_coverage": _share(counts, meter.CLAIM_SENTENCES, "true", "false"),
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
