/** The passages that an answer was written from, in their order, with what search and reranking thought of them. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { openLink, placeOf, readable } from "./evidence.js";

const t = words("parts/passages");

/** `sources` of the answer; `steps` of its history say how many there were to choose from. */
export function passageList(sources, citations, steps = []) {
  const cited = new Set(citations.map((citation) => citation.chunk_id));
  const last = Math.max(0, ...steps.map((step) => step.round));
  const own = steps.filter((step) => step.round === last);
  const candidates = own.find((step) => step.step === "retrieve")?.outcome.candidates?.length;
  const written = steps.some((step) => step.step === "generate");
  const scored = own.filter((step) => step.step === "score_chunks").length;
  return [
    candidates > 0 &&
      h(
        "p",
        { class: "muted" },
        t(written ? "looked" : "read", {
          found: number(candidates),
          scored: number(scored || candidates),
          kept: number(sources.length),
        }),
      ),
    h(
      "ol",
      { class: "passages" },
      sources.map((source) => h("li", {}, passage(source, cited.has(source.chunk_id)))),
    ),
  ];
}

function passage(source, isCited) {
  const end = source.start_index + [...source.text].length;
  return h(
    "details",
    {},
    h(
      "summary",
      {},
      placeOf(source),
      " ",
      h("span", { class: isCited ? "badge supported" : "badge" }, t(isCited ? "cited" : "uncited")),
    ),
    h(
      "div",
      { class: "row measures" },
      measure(t("rerank"), source.rerank_score, t("unread")),
      measure(t("similarity"), source.similarity, null),
    ),
    h("blockquote", { class: "passage", dir: "auto" }, readable(source.text, source.document_name)),
    openLink({ ...source, source_start: source.start_index, source_end: end }),
  );
}

function measure(name, value, missing) {
  if (value === null || value === undefined) return missing && h("span", { class: "small muted" }, missing);
  return h(
    "span",
    { class: "measure small" },
    `${name} ${percent(value)}`,
    h(
      "span",
      { class: "bar", "aria-hidden": "true" },
      h("span", { style: { "--share": `${Math.max(0, Math.min(1, value)) * 100}%` } }),
    ),
  );
}
