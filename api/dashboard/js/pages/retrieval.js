/**
 * A question tried on the search alone: its passages, what each part of the retrieval gave them, and what a model would
 * be shown.
 */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { number, words } from "../i18n.js";
import { placeOf, readableMarked } from "../parts/evidence.js";
import { trouble } from "../parts/notices.js";
import { records } from "../parts/records.js";
import { workspaceInput, workspaceNames } from "../parts/workspaces.js";

const t = words("pages/retrieval");

const PARTS = [
  ["lexical", "lexical"],
  ["vector", "vectorPart"],
  ["fused", "fused"],
  ["reranked", "reranked"],
];

export async function page(view, { search, signal }) {
  const names = await workspaceNames(signal);
  const result = h("div", { class: "stack" });
  const form = formOf(names, search, (asked) => tell(result, asked, signal));
  show(view, h("h1", {}, t("title")), h("p", { class: "muted" }, t("lead")), form, result);
  if (search.get("question")) form.requestSubmit();
}

function formOf(names, search, send) {
  const [workspace, suggestions] = workspaceInput({
    names,
    value: search.get("workspace") || names[0] || "default",
    required: true,
  });
  const question = h("input", { type: "search", required: true, dir: "auto", value: search.get("question") || "" });
  const choice = (options) =>
    h(
      "select",
      {},
      h("option", { value: "" }, t("asSet")),
      options.map((option) => h("option", { value: option }, t(option))),
    );
  const [mode, method] = [choice(["low", "balanced", "high"]), choice(["hybrid", "vector"])];
  const count = (max) => h("input", { type: "number", min: "1", max, placeholder: t("asSet") });
  const [k, top, limit] = [
    count("100"),
    count("50"),
    h("input", { type: "number", min: "1", max: "1000", value: "30", required: true }),
  ];
  const [run, multi] = [
    h(
      "select",
      {},
      ["structured", "agentic"].map((option) => h("option", { value: option }, t(option))),
    ),
    h("input", { type: "number", min: "0", max: "5", placeholder: t("asSet") }),
  ];
  run.onchange = () => {
    multi.disabled = run.value !== "structured";
  };
  const rerank = h("input", { type: "checkbox", checked: true });
  const submitted = (event) => {
    event.preventDefault();
    send({
      question: question.value,
      workspace: workspace.value.trim(),
      rerank: rerank.checked,
      ...said({
        mode: mode.value,
        method: method.value,
        k: Number(k.value),
        top_k: Number(top.value),
        limit: Number(limit.value),
      }),
      ...(run.value === "structured" ? {} : { run: run.value }),
      ...(multi.value && !multi.disabled ? { multi_query: Number(multi.value) } : {}),
    });
  };
  return h(
    "form",
    { class: "card stack", role: "search", onsubmit: submitted },
    h("label", {}, t("question"), question),
    h(
      "div",
      { class: "sieve" },
      h("label", {}, t("workspace"), workspace, suggestions),
      h("label", {}, t("mode"), mode),
      h("label", {}, t("method"), method),
      h("label", {}, t("run"), run),
      h("label", {}, t("multi"), multi),
      h("label", {}, t("k"), k),
      h("label", {}, t("top"), top),
      h("label", {}, t("limit"), limit),
    ),
    h(
      "div",
      { class: "row" },
      h("label", { class: "inline" }, rerank, t("rerank")),
      h("span", { class: "hint" }, t("rerankHint")),
    ),
    h("div", { class: "row end" }, h("button", { class: "primary" }, t("go"))),
  );
}

const said = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value));

let asking = 0;

async function tell(result, asked, signal) {
  const turn = ++asking;
  show(result, h("progress", { class: "loading", "aria-label": t("looking") }));
  try {
    const explained = await ask("/v1/search/explain", { method: "POST", json: asked, signal });
    if (turn === asking)
      show(result, summary(explained), searchesOf(explained), explained.passages.length > 0 && passagesOf(explained));
  } catch (error) {
    if (!signal.aborted && turn === asking) show(result, trouble(error));
  }
}

function summary({ status, reason, issues, passages, settings, usage }) {
  const shown = passages.filter((passage) => passage.shown).length;
  const outcome = status === "selected" ? t("written", { n: shown }) : status && t("refused");
  const isAlone = settings.reranked_by === "offline";
  const facts = [
    settings.reranked_by && t(isAlone ? "rules" : "scored", { by: settings.reranked_by }),
    !isAlone && usage.llm_calls > 0 && t("cost", { n: usage.llm_calls }),
  ];
  return h(
    "div",
    { class: "card stack", role: "status" },
    h("p", {}, passages.length ? outcome : t("nothing"), " ", reason),
    issues.map((issue) => h("p", { class: "caution" }, issue)),
    facts.some(Boolean) && h("p", { class: "small muted" }, facts.filter(Boolean).join(" ")),
  );
}

/** What was searched for, where that is more than the question. */
function searchesOf({ searches = [], ended_because: ended }) {
  if (searches.length < 2 && !ended) return false;
  const line = ({ query, turn, why }, place) =>
    h(
      "li",
      {},
      h(
        "div",
        { class: "row small facts" },
        h("span", { class: "badge" }, t("search", { n: number(place + 1) })),
        turn !== null && h("span", { class: "muted" }, t("turn", { n: number(turn) })),
        h("strong", { dir: "auto" }, query),
        why && h("bdi", { class: "muted" }, why),
      ),
    );
  return h(
    "section",
    { class: "card stack", "aria-label": t("searches") },
    h("h2", { class: "small" }, t("searches")),
    h("ol", { class: "plain-list" }, searches.map(line)),
    ended && h("p", { class: "small muted" }, t("ended", { why: ended })),
  );
}

function passagesOf(explained) {
  // A bar is as long as its score is of the best of its column.
  const best = Object.fromEntries(
    PARTS.map(([part]) => [part, Math.max(0, ...explained.passages.map((passage) => passage[part]?.score ?? 0))]),
  );
  const several = (explained.searches ?? []).length > 1;
  const columns = [
    { label: t("passage"), cell: (passage) => passageOf(passage, several) },
    ...PARTS.map(([part, name]) => ({
      label: t(name),
      number: true,
      cell: (passage) => scoreOf(passage[part], best[part]),
    })),
    { label: t("outcome"), cell: (passage) => outcomeOf(passage, explained.settings) },
  ];
  const table = records(t("passages"), columns, (passage) => `${passage.document_id} ${passage.chunk_id}`);
  table.update(explained.passages);
  return h("section", { class: "card trial", "aria-label": t("passages") }, table.element);
}

function passageOf(passage, several) {
  const place = `#/document/${passage.document_id}`;
  return [
    h("a", { href: `${place}?start=${passage.source_start}&end=${passage.source_end}` }, placeOf(passage)),
    h(
      "blockquote",
      { class: "passage", dir: "auto" },
      readableMarked(passage.text, passage.matches, passage.document_name),
    ),
    h(
      "div",
      { class: "row small" },
      passage.from_graph && h("span", { class: "badge" }, t("graph")),
      several && passage.found_by.map((by) => h("span", { class: "badge" }, t("search", { n: number(by.search + 1) }))),
      h("a", { href: `${place}?view=chunks&chunk=${passage.chunk_index}` }, t("chunk")),
    ),
  ];
}

function scoreOf(place, best) {
  if (!place) return h("span", { class: "muted" }, t("none"));
  if (place.score === null) return h("span", { class: "small muted", title: place.reason }, t("unread"));
  const share = best > 0 ? Math.max(0, place.score / best) : 0;
  return h(
    "div",
    { class: "score" },
    h("span", {}, number(place.score, 3)),
    h("span", { class: "bar", "aria-hidden": "true" }, h("span", { style: { "--share": `${share * 100}%` } })),
    place.rank !== null && h("span", { class: "small muted" }, t("rank", { n: number(place.rank) })),
  );
}

function outcomeOf({ shown, why_not: why }, settings) {
  if (shown) return h("span", { class: "badge supported" }, t("yes"));
  if (!why) return h("span", { class: "muted" }, t("none"));
  const text = t(why === "refused" ? "refusedPassage" : why, {
    k: settings.k,
    top: settings.top_k,
    least: number(settings.min_evidence_score, 2),
  });
  return h("span", { class: why === "excluded" ? "badge contradicted" : "badge" }, text);
}
