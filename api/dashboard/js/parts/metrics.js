/** The metrics by name: what they are called, what they say, and whether they meet what is aimed at. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { table } from "./table.js";

const NAMES = words("parts/metrics/names");
const MEANINGS = words("parts/metrics/meanings");
const t = words("parts/metrics");

const LABELLED = ["confidence_accuracy", "answerability_false_positive_rate", "answerability_false_negative_rate"];

export const metricName = (name) => NAMES(name);
export const metricMeaning = (name) => MEANINGS(name);
const needsLabels = (name) => LABELLED.includes(name);

/** A value of a metric: a share, but the gain is a difference of scores. */
export function metricValue(name, value) {
  if (value === null || value === undefined) return "–";
  return name === "rerank_score_gain" ? `${value > 0 ? "+" : ""}${number(value, 2)}` : percent(value, 1);
}

/** "below 5 %". */
export const aim = ({ wanted, limit }) => t(wanted, { limit: percent(limit) });

/** A badge that says whether a target is met. */
function metBadge(met) {
  const [state, icon, word] =
    met === null ? ["no_claim", "–", "open"] : met ? ["supported", "✓", "met"] : ["contradicted", "✕", "missed"];
  return h("span", { class: `badge ${state}` }, h("span", { "aria-hidden": "true" }, icon), t(word));
}

/** Whether a metric of what a writer may get wrong is one of copies alone. */
export const saysNothing = ({ copied, count }) => copied > 0 && copied === count;

/** A tile for one metric that has a target. */
export function metricTile(name, metric) {
  const { value, count, target, met } = metric;
  const cases = needsLabels(name) && !count ? t("unlabelled") : t("over", { n: number(count) });
  return h(
    "article",
    { class: saysNothing(metric) ? "card metric says-nothing" : "card metric" },
    h("h3", {}, metricName(name)),
    h("div", { class: "row spread" }, h("span", { class: "big" }, metricValue(name, value)), metBadge(met)),
    h("p", { class: "small" }, `${t("target")}: ${aim(target)}, ${cases}`),
    saysNothing(metric) && h("p", { class: "small" }, t("copies")),
    h("p", { class: "small muted" }, metricMeaning(name)),
  );
}

const grey = (cell) => (metric) => (saysNothing(metric) ? h("span", { class: "muted" }, cell(metric)) : cell(metric));

/** The metrics without a target, as a table. */
export function metricTable(rows) {
  return table({
    caption: t("others"),
    seen: false,
    rows,
    columns: [
      {
        name: t("metric"),
        cell: (metric) => [
          metricName(metric.name),
          h("div", { class: "small muted" }, metricMeaning(metric.name)),
          saysNothing(metric) && h("div", { class: "small" }, t("copies")),
        ],
      },
      { name: t("value"), number: true, cell: grey(({ name, value }) => metricValue(name, value)) },
      {
        name: t("cases"),
        number: true,
        cell: ({ name, count }) => (needsLabels(name) && !count ? t("unlabelled") : number(count)),
      },
    ],
  });
}
