/** What was proven of an answer, in numbers: the confidence with its word, accuracy, sentences, and what the checks said. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { confidenceOf, isCalibrated } from "./confidence.js";
import { verdict } from "./verdict.js";

const t = words({
  en: { confidence: "Confidence", accuracy: "Accurate citations in the draft", sentences: "Sentences supported", overall: "Overall score", claims: "Score of the claims",
    holds: "How likely it is that the sources support all of the answer and that it answers the question (off by {e} on data that the calibration had not seen).",
    own: "The model's own: what it says of the statements and of the question. How often it is right was not measured.",
    raw: "Confidence as computed, not measured", unmeasured: "This verifier has not been measured, so it is not known how often answers with this confidence are right.", draft: "{p} before repairs",
    misses: "This verifier takes about {n} of 100 statements that the sources do not support for supported.",
    of: "{done} of {all}", none: "nothing was cited", details: "How these numbers came about", alignment: "Answer fits the sources",
    coverage: "Sources are cited", facts: "Key facts verified", rounds: "Corrective rounds", extra: "more passages were found",
    High: "high", Medium: "medium", Low: "low", "Very Low": "very low", issues: "Issues", open: "Left open", unrelated: "The answer does not answer the question." },
  ko: { confidence: "신뢰도", accuracy: "초안의 인용 정확도", sentences: "근거가 확인된 문장", overall: "종합 점수", claims: "주장 점수",
    holds: "답변 전체가 출처에 근거하고 질문에 답할 확률입니다(보정에 쓰지 않은 데이터에서 오차 {e}).",
    own: "모델이 스스로 매긴 값입니다(진술과 질문에 대한 판정). 얼마나 자주 맞는지는 측정되지 않았습니다.",
    raw: "측정되지 않은 계산상 신뢰도", unmeasured: "이 검증기는 측정된 적이 없어, 이 신뢰도의 답변이 얼마나 자주 맞는지 알 수 없습니다.", draft: "수정 전 {p}",
    misses: "이 검증기는 출처에 근거가 없는 문장 100개 가운데 약 {n}개를 근거가 있다고 판정합니다.",
    of: "{all}개 중 {done}개", none: "인용이 없습니다", details: "이 수치가 나온 과정", alignment: "답변과 출처의 일치",
    coverage: "출처 인용 범위", facts: "확인된 핵심 사실", rounds: "재검색 횟수", extra: "추가 구절을 찾았습니다",
    High: "높음", Medium: "보통", Low: "낮음", "Very Low": "매우 낮음", issues: "문제점", open: "답하지 않은 부분", unrelated: "질문에 대한 답이 아닙니다." },
});

/** The numbers beside an answer; `verification` as `GET /v1/queries/{id}` or a verification tells it. */
export function scores(verification, sentences = verification.sentences) {
  const claims = sentences.filter((one) => one.status !== "no_claim");
  const supported = claims.filter((one) => one.status === "supported").length;
  const { confidence, confidence_level: word, calibration } = verification;
  return h("div", { class: "scores" },
    isCalibrated(verification) ? tile(t("confidence"), percent(confidence), confidence, [word && t(word)]) : unmeasured(verification),
    tile(t("accuracy"), percent(verification.accuracy_rate), verification.accuracy_rate, [verification.accuracy_rate === null && t("none")]),
    tile(t("sentences"), t("of", { done: number(supported), all: number(claims.length) }), claims.length ? supported / claims.length : null),
    confidence !== null && isCalibrated(verification) && !calibration && h("p", { class: "small muted" }, t("own")),
    confidence !== null && calibration?.holds && h("p", { class: "small muted" }, t("holds", { e: percent(calibration.ece) })),
    calibration?.holds && typeof calibration.false_pass === "number" && h("p", { class: "small muted" }, t("misses", { n: number(Math.round(calibration.false_pass * 100)) })),
    leftOpen(verification.question),
    details(verification));
}

/** One line, and only where the answer leaves something of its question open. */
function leftOpen(verdict) {
  if (!verdict || (verdict.complete && verdict.relevant === "yes")) return false;
  const { open_parts: parts, relevant, reason } = verdict;
  const told = relevant === "no" ? t("unrelated") : relevant === "partly" && h("span", { dir: "auto" }, reason);
  return h("p", { class: "left-open" }, told, told && " ",
    parts.length > 0 && [h("strong", {}, t("open")), ": ", h("span", { dir: "auto" }, parts.join("; "))]);
}

function tile(label, value, share, notes = []) {
  return h("div", { class: "tile" },
    h("div", { class: "small muted" }, label),
    h("div", { class: "big" }, value),
    share !== null && share !== undefined && h("div", { class: "bar", "aria-hidden": "true" }, h("span", { style: { "--share": `${share * 100}%` } })),
    h("div", { class: "small muted" }, notes.filter(Boolean).join(" · ")));
}

/** In place of a number that would say nothing: why. The number itself stands with the others, below. */
function unmeasured(verification) {
  return h("details", { class: "tile small muted" }, h("summary", {}, `${t("confidence")}: `, confidenceOf(verification)), h("p", { dir: "auto" }, verification.calibration?.reason || t("unmeasured")));
}

function draftBefore({ draft_claims_score: before, claims_score: after }) {
  return before !== null && before !== undefined && before !== after && t("draft", { p: percent(before) });
}

function details(verification) {
  const rows = [
    ...(isCalibrated(verification) ? [] : [[t("raw"), percent(verification.confidence)]]),
    [t("claims"), [percent(verification.claims_score), draftBefore(verification) && ` (${draftBefore(verification)})`]],
    [t("overall"), percent(verification.overall_score)],
    [t("alignment"), percent(verification.answer_source_alignment)],
    [t("coverage"), percent(verification.citation_coverage)],
    [t("facts"), percent(verification.fact_verification_score)],
    [t("rounds"), [number(verification.crag_attempts), verification.additional_context_used && ` (${t("extra")})`]],
  ];
  const unchecked = Object.values(verification.checks).filter((check) => check?.status === "not_checked");
  return h("details", { class: "small" }, h("summary", {}, t("details")),
    h("dl", { class: "pairs" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    unchecked.length > 0 && h("p", {}, verdict("not_checked"), " ", unchecked.map((check) => check.reason).filter(Boolean).join(" · ")),
    verification.issues.length > 0 && [h("strong", {}, t("issues")), h("ul", {}, verification.issues.map((issue) => h("li", { dir: "auto" }, issue)))]);
}
