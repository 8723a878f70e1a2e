/**
 * A document without pages, from its blocks: headings, paragraphs, tables and sheets, made of slices of its text alone.
 */
import { h } from "../dom.js";
import { number, words } from "../i18n.js";

const t = words("parts/blocks");

const MOST_BLOCKS = 6000;
const MOST_ROWS = 1500;
const SHORT = 20; // characters: a date or a number is not broken

/**
 * `blocks` and `pages` as the API gives them; `measured` changes their offsets, `cited` counts UTF-16 units as
 * everything here does.
 */
export function blocksShown(text, measured, blocks, pages, cited) {
  const all = blocks.map((block) => ({
    ...block,
    start: measured.unit(block.start),
    end: measured.unit(block.end),
    headerEnd: measured.unit(block.header_end ?? block.start),
  }));
  const first = cited ? all.findIndex((block) => block.end > cited.start) : 0;
  const [from, to] = around(first, all.length, MOST_BLOCKS);
  return h(
    "div",
    { class: "leaves as-blocks" },
    to - from < all.length && h("p", { class: "caution" }, t("part")),
    leaves(
      all.slice(from, to),
      pages.map(({ number: n, start, end }) => ({ n, start: measured.unit(start), end: measured.unit(end) })),
      (block) => shown(text, block, cited),
    ),
  );
}

/** The blocks of each page in a leaf, as slides have; without pages, one after the other. */
function leaves(blocks, pages, draw) {
  if (!pages.length) return blocks.map(draw);
  const filled = pages
    .map(({ n, start, end }) => [n, blocks.filter((block) => block.start >= start && block.start < end)])
    .filter(([, own]) => own.length > 0);
  return filled.map(([n, own]) =>
    h(
      "section",
      { class: "leaf", dataset: { page: n }, "aria-label": t("page", { n }) },
      h("h2", { class: "page-number" }, t("page", { n: number(n) })),
      own.map(draw),
    ),
  );
}

function shown(text, block, cited) {
  const { kind, start, end, level } = block;
  if (kind === "table") return table(text, block, cited);
  const dataset = { start };
  if (kind === "heading")
    return h(`h${Math.min(6, level + 1)}`, { dir: "auto", dataset }, runs(text, start, end, cited));
  if (block.place) return grid(text, block, [[start, end]], cited);
  return h(
    kind === "lines" ? "div" : "p",
    { class: "block", dir: "auto", dataset, style: { "--lines": "2" } },
    runs(text, start, end, cited),
  );
}

function table(text, block, cited) {
  const lines = [];
  for (let at = block.start; at <= block.end;) {
    const stop = text.indexOf("\n", at);
    const end = stop < 0 || stop > block.end ? block.end : stop;
    lines.push([at, end]);
    at = end + 1;
  }
  return grid(text, block, lines, cited);
}

function grid(text, { start, headerEnd, place }, lines, cited) {
  const first = cited ? lines.findIndex(([, end]) => end > cited.start) : 0;
  const [from, to] = around(first, lines.length, MOST_ROWS);
  const cellRows = lines.slice(from, to).map(([at, end]) => cellsOf(text, at, end));
  const wide = cellRows.reduce((most, cells) => Math.max(most, cells.length), place?.columns.length || 0);
  const rows = cellRows.map((cells, index) =>
    h(
      "tr",
      {},
      place && h("th", { scope: "row", class: "axis" }, rowName(place, from + index)),
      cells.map((cell) => cellShown(text, cell, cell[0] < headerEnd, cited)),
      Array.from({ length: wide - cells.length }, () => h("td")),
    ),
  );
  const letters =
    place &&
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("td", { class: "axis" }),
        place.columns.map((column) => h("th", { scope: "col", class: "axis" }, letter(column))),
      ),
    );
  return h(
    "div",
    { class: "scroll grid", dataset: { start }, tabindex: "0", role: "region", "aria-label": t("table") },
    to - from < lines.length && h("p", { class: "caution" }, t("part")),
    h("table", {}, letters, h("tbody", {}, rows)),
  );
}

function cellsOf(text, start, end) {
  const cells = [];
  for (let at = start; at <= end;) {
    const stop = text.indexOf("\t", at);
    const to = stop < 0 || stop > end ? end : stop;
    cells.push([at, to]);
    at = to + 1;
  }
  return cells;
}

function cellShown(text, [start, end], isHead, cited) {
  const hit = cited && start < cited.end && end > cited.start;
  return h(
    isHead ? "th" : "td",
    {
      dir: "auto",
      scope: isHead ? "col" : null,
      class: [hit && "cited-cell", end - start <= SHORT && "short"].filter(Boolean).join(" ") || null,
    },
    runs(text, start, end, cited),
  );
}

function rowName({ row, first_rows: rows }, line) {
  if (line === 0) return rows > 1 ? `${number(row)}–${number(row + rows - 1)}` : number(row);
  return number(row + rows - 1 + line);
}

/** 1 is A, 27 is AA. */
function letter(column) {
  let name = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

function runs(text, start, end, cited) {
  if (!cited || cited.end <= start || cited.start >= end) return text.slice(start, end);
  const [from, to] = [Math.max(start, cited.start), Math.min(end, cited.end)];
  return [text.slice(start, from), h("mark", { class: "cited" }, text.slice(from, to)), text.slice(to, end)];
}

/** The part of `length` that holds `at`, at most `most` long. */
function around(at, length, most) {
  if (length <= most) return [0, length];
  const from = Math.max(0, Math.min(at - most / 2, length - most));
  return [from, from + most];
}
