/**
 * The text of a document as leaves: its pages, or blocks where it has none. The browser lays out only those that are
 * near.
 */
import { h } from "../dom.js";
import { number, words } from "../i18n.js";

const t = words("parts/pages");

const BLOCK = 6000;
const LINE = 90; // characters in a line of the text column, about: for the height of what is not laid out yet

/**
 * `element` with a leaf for each page of `layout`, and what finds places in it. Offsets of the layout are code points,
 * `measured` changes them; everything else here counts UTF-16 units. What stands from `cited.start` to `cited.end` is
 * in a `mark`.
 */
export function leaves(text, measured, layout, cited) {
  const nodes = [];
  const pages = layout.pages.map(({ number: n, start, end }) => ({
    n,
    start: measured.unit(start),
    end: measured.unit(end),
  }));
  const element = h("div", { class: "leaves" });
  for (const page of pages.length ? pages : [{ n: null, start: 0, end: text.length }]) element.append(leaf(page));

  function leaf({ n, start, end }) {
    const title = n === null ? null : h("h2", { class: "page-number" }, t("page", { n: number(n) }));
    return h(
      "section",
      { class: "leaf", dataset: { page: n, start }, "aria-label": n === null ? null : t("page", { n }) },
      title,
      blocks(start, end),
    );
  }
  function blocks(start, end) {
    const elements = [];
    for (let from = start; from < end;) {
      const to = blockEnd(text, from, end);
      const lines = Math.ceil((to - from) / LINE) + (text.slice(from, to).match(/\n/g)?.length || 0);
      elements.push(h("div", { class: "block", dir: "auto", style: { "--lines": String(lines) } }, runs(from, to)));
      from = to;
    }
    return elements;
  }
  function runs(from, to) {
    if (!cited || cited.end <= from || cited.start >= to) return run(from, to);
    const [start, end] = [Math.max(from, cited.start), Math.min(to, cited.end)];
    return [run(from, start), h("mark", { class: "cited" }, run(start, end)), run(end, to)];
  }
  function run(start, end) {
    if (start >= end) return null;
    const node = document.createTextNode(text.slice(start, end));
    nodes.push({ node, start, end });
    return node;
  }
  return { element, range: (start, end) => rangeOf(nodes, start, end) };
}

/** A block ends behind a line break, or where the next one begins, never within a pair. */
function blockEnd(text, from, end) {
  if (end - from <= BLOCK) return end;
  const line = text.lastIndexOf("\n", from + BLOCK);
  const at = line > from + BLOCK / 2 ? line + 1 : from + BLOCK;
  return /[\udc00-\udfff]/.test(text[at] || "") ? at + 1 : at;
}

/** The DOM range from `start` to `end`; null where nothing of it is shown. */
function rangeOf(nodes, start, end) {
  const first = nodes[holding(nodes, start)];
  const last = nodes[holding(nodes, Math.max(start, end - 1))];
  if (!first || !last) return null;
  const range = document.createRange();
  range.setStart(first.node, Math.max(0, start - first.start));
  range.setEnd(last.node, Math.min(last.end, end) - last.start);
  return range;
}

/** The place of the node that holds `at`; text between pages is in none, and the next one stands in. */
function holding(nodes, at) {
  let low = 0;
  let high = nodes.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nodes[middle].end <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
