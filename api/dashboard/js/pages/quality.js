/** How well it does: the metrics with what is aimed at, and their course over time. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { number, words } from "../i18n.js";
import { chart } from "../parts/chart.js";
import { givenLabels, labelling } from "../parts/labels.js";
import { aim, metricMeaning, metricName, metricTable, metricTile, metricValue, saysNothing } from "../parts/metrics.js";
import { trouble } from "../parts/notices.js";
import { workspaceNames, workspaceSelect } from "../parts/workspaces.js";
import { keep } from "../router.js";

const t = words("pages/quality");

const PERIODS = ["7", "30", "90", "366"];
const NEWEST = 1000;
const CHARTS = [
  "mean_confidence",
  "hallucination_rate",
  "citation_accuracy",
  "citation_coverage",
  "crag_trigger_rate",
  "crag_success_rate",
  "rerank_score_gain",
  "answerability_rejection_rate",
];
const WHOLE = new Set(["mean_confidence", "citation_accuracy", "crag_success_rate", "citation_coverage"]);

export async function page(view, { search, signal }) {
  const filters = filtersOf(await workspaceNames(signal), search, () => load());
  const [measured, course, judged] = [h("div"), h("div"), h("div")];
  const state = { asked: 0, targets: {}, copies: new Set() };
  show(view, h("h1", {}, t("title")), h("p", { class: "muted" }, t("lead")), filters.element, measured, course, judged);
  const guarded = async (work, place) => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) show(place, trouble(error));
    }
  };
  const measure = () =>
    guarded(async () => {
      const asking = ++state.asked; // a later choice may be answered sooner
      const workspace = filters.values().workspace || null;
      const told = await ask("/v1/quality", {
        method: "POST",
        json: { workspace, limit: NEWEST, labels: givenLabels() },
        signal,
      });
      if (asking !== state.asked) return;
      state.copies = new Set(Object.keys(told.metrics).filter((name) => saysNothing(told.metrics[name])));
      state.targets = Object.fromEntries(Object.entries(told.metrics).map(([name, { target }]) => [name, target]));
      show(measured, told.queries ? measurements(told) : empty());
    }, measured);
  const draw = () =>
    guarded(async () => {
      const series = await ask(withQuery("/v1/quality/series", filters.values()), { signal });
      show(course, series.queries > 0 && courses(series, state));
    }, course);
  async function load() {
    keep(withQuery("#/quality", filters.values()), signal);
    await measure();
    await Promise.all([
      draw(),
      guarded(async () => show(judged, await labelling(filters.values().workspace, measure, signal)), judged),
    ]);
  }
  await load();
}

function filtersOf(names, search, changed) {
  const workspace = workspaceSelect({ names, value: search.get("workspace") || "", onchange: changed });
  const period = search.get("days") || "30";
  const days = h(
    "select",
    { onchange: changed },
    PERIODS.map((value) => h("option", { value, selected: value === period }, t(`days_${value}`))),
  );
  const bucket = h(
    "select",
    { onchange: changed },
    ["day", "week"].map((value) => h("option", { value, selected: value === search.get("bucket") }, t(value))),
  );
  const values = () => ({ workspace: workspace.value, days: days.value, bucket: bucket.value });
  const element = h(
    "form",
    { class: "card sieve", role: "search", "aria-label": t("filters"), onsubmit: (event) => event.preventDefault() },
    h("label", {}, t("workspace"), workspace),
    h("label", {}, t("period"), days),
    h("label", {}, t("bucket"), bucket),
  );
  return { element, values };
}

function measurements({ queries, metrics }) {
  const all = Object.entries(metrics);
  const aimed = all.filter(([, { target }]) => target);
  const others = all.filter(([, { target }]) => !target).map(([name, metric]) => ({ name, ...metric }));
  return [
    h(
      "section",
      { "aria-labelledby": "targets" },
      h("h2", { id: "targets" }, t("targets")),
      h("p", { class: "small muted" }, t("now", { n: number(queries) })),
      h(
        "div",
        { class: "metrics" },
        aimed.map(([name, metric]) => metricTile(name, metric)),
      ),
    ),
    h("details", { class: "card" }, h("summary", {}, h("h2", {}, t("others"))), metricTable(others)),
  ];
}

function courses({ bucket, points, queries, truncated }, { targets, copies }) {
  return h(
    "section",
    { "aria-labelledby": "time" },
    h("h2", { id: "time" }, t("time")),
    truncated && h("p", { class: "small muted" }, t("truncated", { n: number(queries) })),
    h(
      "div",
      { class: "charts" },
      CHARTS.filter((name) => !copies.has(name)).map((name) =>
        h(
          "article",
          { class: "card stack tight" },
          h(
            "div",
            {},
            h("h3", {}, metricName(name)),
            h(
              "p",
              { class: "small muted" },
              metricMeaning(name),
              " ",
              targets[name] && t("target", { aim: aim(targets[name]) }),
            ),
          ),
          chart({
            title: metricName(name),
            bucket,
            target: targets[name],
            whole: WHOLE.has(name),
            format: (value) => metricValue(name, value),
            points: points.map(({ start, metrics }) => ({ start, ...metrics[name] })),
          }),
        ),
      ),
    ),
  );
}

function empty() {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, t("none")),
    h("a", { class: "button primary", href: "#/ask" }, t("first")),
  );
}
