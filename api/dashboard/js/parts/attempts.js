/** The rounds of the corrective loop side by side: what was searched for, what was written, how much of it holds. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { answerText } from "./answer.js";
import { STATES, verdict } from "./verdict.js";

const t = words("parts/attempts");

/** One column for each attempt; null when there was only one. */
export function attempts({ verifications, steps, question }) {
  const tried = verifications.filter((verification) => verification.kind === "attempt");
  if (tried.length < 2) return null;
  const chosen = verifications.find((verification) => verification.kind === "published")?.round;
  return h(
    "div",
    { class: "attempts" },
    tried.map((verification) =>
      attempt(
        verification,
        steps.filter((step) => step.round === verification.round),
        verification.round === chosen,
        question,
      ),
    ),
  );
}

function attempt(verification, steps, isChosen, question) {
  const outcome = (name) => steps.find((step) => step.step === name)?.outcome;
  const queries = outcome("plan_queries")?.queries || [question];
  const sources = outcome("select")?.sources || [];
  return h(
    "article",
    { class: isChosen ? "attempt chosen" : "attempt" },
    h(
      "div",
      { class: "row spread" },
      h("h3", {}, verification.round ? t("round", { n: number(verification.round + 1) }) : t("first")),
      isChosen && h("span", { class: "badge supported" }, h("span", { "aria-hidden": "true" }, "★ "), t("chosen")),
    ),
    h(
      "dl",
      { class: "pairs" },
      h("dt", {}, t("claims")),
      h("dd", {}, percent(verification.claims_score)),
      h("dt", {}, t("accuracy")),
      h("dd", {}, percent(verification.accuracy_rate)),
    ),
    h("div", { class: "row" }, counts(verification.sentences)),
    h("h4", {}, t("searched"), " ", h("span", { class: "small muted" }, t("passages", { n: number(sources.length) }))),
    h(
      "ul",
      { class: "small" },
      queries.map((query) => h("li", { dir: "auto" }, query)),
    ),
    answerText({ text: verification.answer, sentences: verification.sentences, passages: sources }),
  );
}

const counts = (sentences) =>
  STATES.map((state) => [state, sentences.filter((sentence) => sentence.status === state).length])
    .filter(([, count]) => count)
    .map(([state, count]) => h("span", { class: "count" }, verdict(state), ` ${number(count)}`));
