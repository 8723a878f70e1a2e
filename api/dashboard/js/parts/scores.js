/** What was proven of an answer, in numbers: the one that belongs to its signal, and behind it what the checks said. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { isCalibrated } from "./confidence.js";
import { signalTone } from "./signal.js";
import { verdict } from "./verdict.js";

const t = words({
  en: {
    likely: "Probability",
    accuracy: "Accurate citations in the draft",
    sentences: "Sentences supported",
    overall: "Overall score",
    claims: "Score of the claims",
    holds:
      "How likely it is that the sources support all of the answer and that it answers the question (off by {e} on data that the calibration had not seen).",
    given:
      "How likely it is that the sources support all of it (off by {e} on data that the calibration had not seen).",
    own: "The model's own: what it says of the statements and of the question. How often it is right was not measured.",
    unmeasured: "How often such answers are right was not measured.",
    draft: "{p} before repairs",
    misses: "This verifier takes about {n} of 100 statements that the sources do not support for supported.",
    of: "{done} of {all}",
    none: "nothing was cited",
    details: "How these numbers came about",
    alignment: "Answer fits the sources",
    coverage: "Sources are cited",
    facts: "Key facts verified",
    rounds: "Corrective rounds",
    extra: "more passages were found",
    issues: "Issues",
    open: "Left open",
  },
  ko: {
    likely: "확률",
    accuracy: "초안의 인용 정확도",
    sentences: "근거가 확인된 문장",
    overall: "종합 점수",
    claims: "주장 점수",
    holds: "답변 전체가 출처에 근거하고 질문에 답할 확률입니다(보정에 쓰지 않은 데이터에서 오차 {e}).",
    given: "내용 전체가 출처에 근거할 확률입니다(보정에 쓰지 않은 데이터에서 오차 {e}).",
    own: "모델이 스스로 매긴 값입니다(진술과 질문에 대한 판정). 얼마나 자주 맞는지는 측정되지 않았습니다.",
    unmeasured: "이런 답변이 얼마나 자주 맞는지는 측정되지 않았습니다.",
    draft: "수정 전 {p}",
    misses: "이 검증기는 출처에 근거가 없는 문장 100개 가운데 약 {n}개를 근거가 있다고 판정합니다.",
    of: "{all}개 중 {done}개",
    none: "인용이 없습니다",
    details: "이 수치가 나온 과정",
    alignment: "답변과 출처의 일치",
    coverage: "출처 인용 범위",
    facts: "확인된 핵심 사실",
    rounds: "재검색 횟수",
    extra: "추가 구절을 찾았습니다",
    issues: "문제점",
    open: "답하지 않은 부분",
  },
});

/** The numbers beside an answer; `told` is what `GET /v1/queries/{id}` or a verification tells, with its signal. */
export function scores(told) {
  const { verification, signal, question } = told;
  return h(
    "div",
    { class: "scores" },
    signal.probability !== null && likely(signal, verification, question),
    isCalibrated(verification)
      ? misses(verification)
      : h("p", { class: "small muted", dir: "auto" }, verification.calibration?.reason || t("unmeasured")),
    leftOpen(verification.question, told.restated_question || question || ""),
    details(verification, told.sentences || verification.sentences),
  );
}

/** The number of the signal, in its colour, and what it is the probability of. */
function likely(signal, { calibration }, question) {
  const meaning = calibration ? t(question ? "holds" : "given", { e: percent(calibration.ece) }) : t("own");
  return h(
    "div",
    { class: `tile ${signalTone(signal)}` },
    h("div", { class: "small muted" }, t("likely")),
    h("div", { class: "big" }, percent(signal.probability)),
    h(
      "div",
      { class: "bar", "aria-hidden": "true" },
      h("span", { style: { "--share": `${signal.probability * 100}%` } }),
    ),
    h("p", { class: "small muted" }, meaning),
  );
}

function misses({ calibration }) {
  return (
    calibration?.holds &&
    typeof calibration.false_pass === "number" &&
    h("p", { class: "small muted" }, t("misses", { n: number(Math.round(calibration.false_pass * 100)) }))
  );
}

/**
 * One line, and only where the answer leaves something of its question open; that all of it may be open, or is in
 * doubt, is what the signal says.
 */
function leftOpen(verdict, question) {
  if (!verdict || verdict.complete) return false;
  const parts = verdict.open_parts.filter((part) => bare(part) !== bare(question));
  return h(
    "p",
    { class: "left-open" },
    h("span", { dir: "auto" }, verdict.reason),
    parts.length > 0 && [" ", h("strong", {}, t("open")), ": ", h("span", { dir: "auto" }, parts.join("; "))],
  );
}

const bare = (text) => text.replace(/[\s?？]+$/, "").trim();

function draftBefore({ draft_claims_score: before, claims_score: after }) {
  return before !== null && before !== undefined && before !== after && t("draft", { p: percent(before) });
}

function details(verification, sentences) {
  const claims = sentences.filter((sentence) => sentence.status !== "no_claim");
  const supported = claims.filter((claim) => claim.status === "supported").length;
  const rows = [
    [t("sentences"), t("of", { done: number(supported), all: number(claims.length) })],
    [t("accuracy"), verification.accuracy_rate === null ? t("none") : percent(verification.accuracy_rate)],
    [t("claims"), [percent(verification.claims_score), draftBefore(verification) && ` (${draftBefore(verification)})`]],
    [t("overall"), percent(verification.overall_score)],
    [t("alignment"), percent(verification.answer_source_alignment)],
    [t("coverage"), percent(verification.citation_coverage)],
    [t("facts"), percent(verification.fact_verification_score)],
    [t("rounds"), [number(verification.crag_attempts), verification.additional_context_used && ` (${t("extra")})`]],
  ];
  const unchecked = Object.values(verification.checks).filter((check) => check?.status === "not_checked");
  return h(
    "details",
    { class: "small" },
    h("summary", {}, t("details")),
    h(
      "dl",
      { class: "pairs" },
      rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
    ),
    unchecked.length > 0 &&
      h(
        "p",
        {},
        verdict("not_checked"),
        " ",
        unchecked
          .map((check) => check.reason)
          .filter(Boolean)
          .join(" · "),
      ),
    verification.issues.length > 0 && [
      h("strong", {}, t("issues")),
      h(
        "ul",
        {},
        verification.issues.map((issue) => h("li", { dir: "auto" }, issue)),
      ),
    ],
  );
}
