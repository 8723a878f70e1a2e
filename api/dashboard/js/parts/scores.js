/** What was proven of an answer, in numbers: confidence, accuracy, sentences, and what the checks said. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { verdict } from "./verdict.js";

const t = words({
  en: { confidence: "Confidence", accuracy: "Accurate citations in the draft", sentences: "Sentences supported", overall: "Overall score", raw: "Confidence before calibration",
    calibrated: "Calibrated: of claims with this confidence about this share is true (off by {e} on data it had not seen).",
    plain: "Not calibrated: the share of supported claims, less 10 points for each unsupported one.", draft: "{p} before repairs",
    of: "{done} of {all}", none: "nothing was cited", details: "How these numbers came about", alignment: "Answer fits the sources",
    coverage: "Sources are cited", facts: "Key facts verified", rounds: "Corrective rounds", extra: "more passages were found",
    High: "high", Medium: "medium", Low: "low", "Very Low": "very low", issues: "Issues" },
  ko: { confidence: "신뢰도", accuracy: "초안의 인용 정확도", sentences: "근거가 확인된 문장", overall: "종합 점수", raw: "보정 전 신뢰도",
    calibrated: "보정된 값입니다. 이 신뢰도의 주장 가운데 대략 이만큼이 사실입니다(새 데이터에서 오차 {e}).",
    plain: "보정되지 않은 값입니다. 근거가 확인된 주장의 비율에서 근거 없는 주장 하나마다 10점을 뺍니다.", draft: "수정 전 {p}",
    of: "{all}개 중 {done}개", none: "인용이 없습니다", details: "이 수치가 나온 과정", alignment: "답변과 출처의 일치",
    coverage: "출처 인용 범위", facts: "확인된 핵심 사실", rounds: "재검색 횟수", extra: "추가 구절을 찾았습니다",
    High: "높음", Medium: "보통", Low: "낮음", "Very Low": "매우 낮음", issues: "문제점" },
});

/** The numbers beside an answer; `verification` as `GET /v1/queries/{id}` or a verification tells it. */
export function scores(verification, sentences = verification.sentences) {
  const claims = sentences.filter((one) => one.status !== "no_claim");
  const supported = claims.filter((one) => one.status === "supported").length;
  const shown = verification.calibrated_confidence ?? verification.confidence;
  return h("div", { class: "scores" },
    tile(t("confidence"), percent(shown), shown, [t(verification.confidence_level || ""), !verification.calibration && draftBefore(verification)]),
    tile(t("accuracy"), percent(verification.accuracy_rate), verification.accuracy_rate, [verification.accuracy_rate === null && t("none")]),
    tile(t("sentences"), t("of", { done: number(supported), all: number(claims.length) }), claims.length ? supported / claims.length : null),
    h("p", { class: "small muted" }, verification.calibration ? t("calibrated", { e: percent(verification.calibration.ece) }) : t("plain")),
    details(verification));
}

function tile(label, value, share, notes = []) {
  return h("div", { class: "tile" },
    h("div", { class: "small muted" }, label),
    h("div", { class: "big" }, value),
    share !== null && share !== undefined && h("div", { class: "bar", "aria-hidden": "true" }, h("span", { style: { "--share": `${share * 100}%` } })),
    h("div", { class: "small muted" }, notes.filter(Boolean).join(" · ")));
}

function draftBefore({ draft_confidence: before, confidence }) {
  return before !== null && before !== undefined && before !== confidence && t("draft", { p: percent(before) });
}

function details(verification) {
  const rows = [
    verification.calibration && [t("raw"), [percent(verification.confidence), draftBefore(verification) && ` (${draftBefore(verification)})`]],
    [t("overall"), percent(verification.overall_score)],
    [t("alignment"), percent(verification.answer_source_alignment)],
    [t("coverage"), percent(verification.citation_coverage)],
    [t("facts"), percent(verification.fact_verification_score)],
    [t("rounds"), [number(verification.crag_attempts), verification.additional_context_used && ` (${t("extra")})`]],
  ].filter(Boolean);
  const unchecked = Object.values(verification.checks).filter((check) => check?.status === "not_checked");
  return h("details", { class: "small" }, h("summary", {}, t("details")),
    h("dl", { class: "pairs" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    unchecked.length > 0 && h("p", {}, verdict("not_checked"), " ", unchecked.map((check) => check.reason).filter(Boolean).join(" · ")),
    verification.issues.length > 0 && [h("strong", {}, t("issues")), h("ul", {}, verification.issues.map((issue) => h("li", { dir: "auto" }, issue)))]);
}
