/** The places that an answer cites, each with its number, the words it rests on, and the way there. */
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { openLink, placeOf } from "./evidence.js";
import { verdict } from "./verdict.js";

const t = words({ en: { title: "Sources" }, ko: { title: "출처" } });

const LONGEST = 180;

/** A card; null where nothing is cited. One entry for each number and place, in the order of the numbers. */
export function citedSources(citations) {
  const entries = new Map();
  for (const one of citations) {
    const place = `${one.number} ${one.document_id} ${one.source_start}`;
    if (!entries.has(place)) entries.set(place, one);
  }
  if (!entries.size) return null;
  const ordered = [...entries.values()].sort((one, other) => one.number - other.number);
  return h("section", { class: "card aside", "aria-labelledby": "sources-title" }, h("h2", { id: "sources-title" }, t("title")),
    h("ol", { class: "cited-sources" }, ordered.map(entry)));
}

function entry(citation) {
  const { number, status, text_span: quote } = citation;
  return h("li", {}, h("span", { class: "badge", "aria-hidden": "true" }, String(number)),
    h("div", {}, h("span", { class: "sr-only" }, `[${number}] `), placeOf(citation), status !== "accurate" && [" ", verdict(status)],
      quote && h("q", { class: "small muted", dir: "auto" }, shortened(quote)),
      quote && h("div", { class: "small" }, openLink(citation))));
}

function shortened(quote) {
  const text = quote.replace(/\s+/g, " ");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/\s+\S*$/, "")} …`;
}
