/** What was proven of an answer, in numbers: the one that belongs to its signal, and behind it what the checks said. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { isCalibrated } from "./confidence.js";
import { signalTone } from "./signal.js";
import { verdict } from "./verdict.js";

const t = words("parts/scores");

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
