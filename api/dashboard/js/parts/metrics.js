/** The metrics by name: what they are called, what they say, and whether they meet what is aimed at. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { table } from "./table.js";

const NAMES = words({
  en: {
    mean_confidence: "Confidence",
    hallucination_rate: "Hallucination rate",
    unsupported_claim_rate: "Unsupported claims",
    crag_trigger_rate: "Correction triggered",
    crag_success_rate: "Correction succeeded",
    confidence_accuracy: "Confidence accuracy",
    rerank_score_gain: "Rerank gain",
    selection_rate: "Passages selected",
    citation_accuracy: "Citation accuracy",
    citation_coverage: "Citation coverage",
    answerability_rejection_rate: "Answerability rejections",
    answerability_false_positive_rate: "Let through wrongly",
    answerability_false_negative_rate: "Rejected wrongly",
  },
  ko: {
    mean_confidence: "신뢰도",
    hallucination_rate: "환각 비율",
    unsupported_claim_rate: "근거 없는 주장",
    crag_trigger_rate: "보완 검색 실행",
    crag_success_rate: "보완 검색 성공",
    confidence_accuracy: "신뢰도의 정확성",
    rerank_score_gain: "재순위 향상",
    selection_rate: "선택된 구절",
    citation_accuracy: "인용 정확도",
    citation_coverage: "인용 범위",
    answerability_rejection_rate: "답변 불가 판정",
    answerability_false_positive_rate: "잘못 통과",
    answerability_false_negative_rate: "잘못 거절",
  },
});
const MEANINGS = words({
  en: {
    mean_confidence: "Mean confidence of the answers that claim something.",
    hallucination_rate: "Answers with a claim that the sources do not support or contradict.",
    unsupported_claim_rate: "Claims that the sources do not support or contradict, of all that were checked.",
    crag_trigger_rate: "Questions for which more was searched because too few claims of the draft were supported.",
    crag_success_rate: "Corrections after which the claims scored higher.",
    confidence_accuracy: "Answers whose confidence agrees with your labels below.",
    rerank_score_gain: "How much better the selected passages score than all that were found.",
    selection_rate: "Passages that answers were written from, of all that were found.",
    citation_accuracy: "Accurate citations in drafts, of all that were checked.",
    citation_coverage: "Claims with at least one citation.",
    answerability_rejection_rate: "Answers that the documents were found not to support.",
    answerability_false_positive_rate: "Answers that passed, of those you label as not grounded.",
    answerability_false_negative_rate: "Answers that were rejected, of those you label as grounded.",
  },
  ko: {
    mean_confidence: "주장이 있는 답변의 평균 신뢰도입니다.",
    hallucination_rate: "출처가 뒷받침하지 않거나 모순되는 주장이 있는 답변의 비율입니다.",
    unsupported_claim_rate: "확인한 주장 가운데 출처가 뒷받침하지 않거나 모순되는 주장의 비율입니다.",
    crag_trigger_rate: "초안의 주장 점수가 낮아 추가로 검색한 질문의 비율입니다.",
    crag_success_rate: "보완한 뒤 주장 점수가 높아진 비율입니다.",
    confidence_accuracy: "신뢰도가 아래에서 표시한 판단과 일치하는 답변의 비율입니다.",
    rerank_score_gain: "선택된 구절의 점수가 찾은 구절 전체보다 얼마나 높은지 나타냅니다.",
    selection_rate: "찾은 구절 가운데 답변에 사용한 구절의 비율입니다.",
    citation_accuracy: "확인한 초안의 인용 가운데 정확한 인용의 비율입니다.",
    citation_coverage: "인용이 하나 이상 있는 주장의 비율입니다.",
    answerability_rejection_rate: "문서가 뒷받침하지 않는다고 판정한 답변의 비율입니다.",
    answerability_false_positive_rate: "근거 없다고 표시한 답변 가운데 통과한 비율입니다.",
    answerability_false_negative_rate: "근거 있다고 표시한 답변 가운데 거절된 비율입니다.",
  },
});
const t = words({
  en: {
    below: "below {limit}",
    above: "above {limit}",
    met: "met",
    missed: "missed",
    open: "not known",
    target: "Target",
    metric: "Metric",
    value: "Value",
    cases: "Cases",
    over: "over {n} cases",
    over_1: "over one case",
    unlabelled: "needs your labels",
    others: "Other metrics",
    copies:
      "These answers were copied from the documents. Who copies cannot invent, so this says nothing of answers that a model writes.",
  },
  ko: {
    below: "{limit} 미만",
    above: "{limit} 초과",
    met: "달성",
    missed: "미달",
    open: "알 수 없음",
    target: "목표",
    metric: "지표",
    value: "값",
    cases: "건수",
    over: "{n}건 기준",
    over_1: "1건 기준",
    unlabelled: "판단 표시가 필요합니다",
    others: "그 밖의 지표",
    copies:
      "문서에서 그대로 옮긴 답변입니다. 옮기기만 하면 지어낼 수 없으므로, 모델이 쓰는 답변에 대해서는 알 수 없습니다.",
  },
});

const LABELLED = ["confidence_accuracy", "answerability_false_positive_rate", "answerability_false_negative_rate"];

export const metricName = (name) => NAMES(name);
export const metricMeaning = (name) => MEANINGS(name);
export const needsLabels = (name) => LABELLED.includes(name);

/** A value of a metric: a share, but the gain is a difference of scores. */
export function metricValue(name, value) {
  if (value === null || value === undefined) return "–";
  return name === "rerank_score_gain" ? `${value > 0 ? "+" : ""}${number(value, 2)}` : percent(value, 1);
}

/** "below 5 %". */
export const aim = ({ wanted, limit }) => t(wanted, { limit: percent(limit) });

/** A badge that says whether a target is met. */
export function metBadge(met) {
  const [state, icon, word] =
    met === null ? ["no_claim", "–", "open"] : met ? ["supported", "✓", "met"] : ["contradicted", "✕", "missed"];
  return h("span", { class: `badge ${state}` }, h("span", { "aria-hidden": "true" }, icon), t(word));
}

/** A tile for one metric that has a target. */
export function metricTile(name, { value, count, target, met, copied }) {
  const cases =
    needsLabels(name) && !count ? t("unlabelled") : count === 1 ? t("over_1") : t("over", { n: number(count) });
  return h(
    "article",
    { class: "card metric" },
    h("h3", {}, metricName(name)),
    h("div", { class: "row spread" }, h("span", { class: "big" }, metricValue(name, value)), metBadge(met)),
    h("p", { class: "small" }, `${t("target")}: ${aim(target)}, ${cases}`),
    copied > 0 && copied === count && h("p", { class: "small" }, t("copies")),
    h("p", { class: "small muted" }, metricMeaning(name)),
  );
}

/** The metrics without a target, as a table. */
export function metricTable(rows) {
  return table({
    caption: t("others"),
    seen: false,
    rows,
    columns: [
      {
        name: t("metric"),
        cell: ({ name }) => [metricName(name), h("div", { class: "small muted" }, metricMeaning(name))],
      },
      { name: t("value"), number: true, cell: ({ name, value }) => metricValue(name, value) },
      {
        name: t("cases"),
        number: true,
        cell: ({ name, count }) => (needsLabels(name) && !count ? t("unlabelled") : number(count)),
      },
    ],
  });
}
