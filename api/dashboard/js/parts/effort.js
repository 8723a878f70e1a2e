/** What was done for a result: stages with their times, and every call to a model with its tokens, cost and time. */
import { h } from "../dom.js";
import { dollars, number, seconds, words } from "../i18n.js";
import { stageName } from "./stages.js";
import { stepName } from "./steps.js";
import { table } from "./table.js";

const t = words("parts/effort");

/** The stages and calls of a history; `usage` are the sums of the result. */
export function effort({ events, model_calls: made, parked, provider, finished_at: finished }, usage) {
  const tokens = number(usage.prompt_tokens + usage.completion_tokens);
  return [
    h(
      "p",
      {},
      provider === "offline"
        ? t("none")
        : t("sum", { n: number(usage.llm_calls), tokens, cost: dollars(usage.cost_usd) }),
    ),
    h("h3", {}, t("stages")),
    stageTimes(events, finished),
    parked.length > 0 && [
      h("h3", {}, t("parked")),
      h(
        "ul",
        {},
        parked.map((part) => h("li", { dir: "auto" }, `${stepName(part.step)} ${part.item}: ${part.reason}`)),
      ),
    ],
    h("h3", {}, t(provider === "offline" ? "checks" : "calls")),
    made.length
      ? table({ caption: t(provider === "offline" ? "checks" : "calls"), columns, rows: made })
      : h("p", { class: "muted" }, t("none")),
  ];
}

function stageTimes(events, finished) {
  const begun = events.filter((event) => event.type === "stage");
  const ends = [...begun.slice(1).map((event) => event.at), finished || events.at(-1)?.at];
  const spans = begun.map((event, place) => ({
    stage: event.data.stage,
    took: new Date(ends[place]) - new Date(event.at),
  }));
  const longest = Math.max(1, ...spans.map((span) => span.took));
  return h(
    "ol",
    { class: "times" },
    spans.map(({ stage, took }) =>
      h(
        "li",
        {},
        h("span", {}, stageName(stage)),
        h(
          "span",
          { class: "bar", "aria-hidden": "true" },
          h("span", { style: { "--share": `${(took / longest) * 100}%` } }),
        ),
        h("span", { class: "number small" }, seconds(took / 1000)),
      ),
    ),
  );
}

const columns = [
  {
    get name() {
      return t("step");
    },
    value: (call) => call.id,
    cell: (call) => h("span", {}, `${call.prompt} `, h("span", { class: "small muted" }, call.item)),
  },
  {
    get name() {
      return t("model");
    },
    value: (call) => call.model,
    cell: (call) => call.model,
  },
  {
    get name() {
      return t("round");
    },
    value: (call) => call.round,
    cell: (call) => number(call.round + 1),
    number: true,
  },
  {
    get name() {
      return t("tokens");
    },
    value: (call) => call.prompt_tokens + call.completion_tokens,
    number: true,
    cell: (call) =>
      `${call.estimated ? `${t("estimated")} ` : ""}${number(call.prompt_tokens)} / ${number(call.completion_tokens)}`,
  },
  {
    get name() {
      return t("cost");
    },
    value: (call) => call.cost_usd,
    cell: (call) => dollars(call.cost_usd),
    number: true,
  },
  {
    get name() {
      return t("time");
    },
    value: (call) => call.duration_ms,
    cell: (call) => seconds(call.duration_ms / 1000),
    number: true,
  },
  {
    get name() {
      return t("result");
    },
    value: (call) => call.error,
    cell: outcome,
  },
];

function outcome(call) {
  const notes = [call.error || t("ok"), call.kept && t("kept"), call.hedged && t("hedged")].filter(Boolean).join(" · ");
  if (!call.reply_text) return notes;
  return h("details", {}, h("summary", { class: "small" }, notes), h("pre", { dir: "auto" }, call.reply_text));
}
