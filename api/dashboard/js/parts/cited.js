/** The places that an answer cites, each with its number, the words it rests on, and the way there. */
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { cellsText, marksOf, placeOf, readable } from "./evidence.js";
import { verdict } from "./verdict.js";

const t = words("parts/cited");

const LONGEST = 180;

/** A section; null where nothing is cited. One entry for each number, with the words that are cited under it. */
export function citedSources(citations) {
  if (!citations.length) return null;
  const numbers = [...new Set(citations.map((citation) => citation.number))].sort((left, right) => left - right);
  return h(
    "div",
    { class: "aside" },
    h("h3", { class: "eyebrow" }, t("title")),
    h(
      "ol",
      { class: "cited-sources" },
      numbers.map((number) =>
        entry(
          number,
          citations.filter((citation) => citation.number === number),
        ),
      ),
    ),
  );
}

function entry(number, citations) {
  const places = new Map();
  for (const citation of citations) if (!places.has(citation.source_start)) places.set(citation.source_start, citation);
  return h(
    "li",
    {},
    h("span", { class: "badge", "aria-hidden": "true" }, String(number)),
    h(
      "div",
      {},
      h("span", { class: "sr-only" }, `[${number}] `),
      placeOf({ document_name: citations[0].document_name }),
      [...places.values()].map(cited),
    ),
  );
}

function cited(citation) {
  const {
    document_id: id,
    source_start: start,
    source_end: end,
    text_span: quote,
    page_number: page,
    section,
    cells,
    status,
  } = citation;
  const where = [page && t("page", { n: page }), section, cells && cellsText(cells), ...marksOf(citation)]
    .filter(Boolean)
    .join(" · ");
  return h(
    "p",
    { class: "small" },
    quote &&
      h(
        "a",
        { href: `#/document/${id}?start=${start}&end=${end}`, dir: "auto" },
        `“${shortened(readable(quote, citation.document_name))}”`,
      ),
    where && [" ", h("span", { class: "muted", dir: "auto" }, where)],
    status !== "accurate" && [" ", verdict(status)],
  );
}

function shortened(quote) {
  const text = quote.replace(/\s+/g, " ");
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/\s+\S*$/, "")} …`;
}
