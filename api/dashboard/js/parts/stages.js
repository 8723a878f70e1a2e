/** The stages of a question as a line: done, going on, still to come, each with its time. */
import { h, show } from "../dom.js";
import { seconds, words } from "../i18n.js";

const t = words("parts/stages");

const ORDER = [
  "researching",
  "retrieving",
  "reranking",
  "generating",
  "verifying",
  "correcting",
  "repairing",
  "concluding",
  "publishing",
];
const ALWAYS = new Set(["retrieving", "reranking", "generating", "verifying", "publishing"]);
const TICK_MS = 200;

export const stageName = (stage) => t(stage);

/** `element`, and `enter(stage)` for each stage that begins, null for the end. Times are those of this page's clock. */
export function stageLine(signal) {
  const spent = new Map();
  let current = null;
  let since = 0;
  const element = h("ol", { class: "stages", "aria-label": t("stages") });
  const settle = () => {
    const now = performance.now();
    if (current) spent.set(current, (spent.get(current) || 0) + now - since);
    since = now;
  };
  const draw = () =>
    show(element, ORDER.filter((stage) => ALWAYS.has(stage) || spent.has(stage) || stage === current).map(item));
  const item = (stage) => {
    const state = stage === current ? "current" : spent.has(stage) ? "done" : "waiting";
    return h(
      "li",
      { class: state, "aria-current": state === "current" && "step" },
      h(
        "span",
        { class: state === "current" ? "dot pulse" : "dot", "aria-hidden": "true" },
        state === "done" ? "✓" : "",
      ),
      h("span", {}, t(stage), h("span", { class: "sr-only" }, ` (${t(state)})`)),
      spent.has(stage) && h("span", { class: "time small muted" }, seconds(spent.get(stage) / 1000)),
    );
  };
  const clock = setInterval(() => {
    if (current) {
      settle();
      draw();
    }
  }, TICK_MS);
  signal.addEventListener("abort", () => clearInterval(clock));
  draw();
  return {
    element,
    enter(stage) {
      settle();
      current = stage;
      if (stage === null) clearInterval(clock);
      draw();
    },
  };
}
