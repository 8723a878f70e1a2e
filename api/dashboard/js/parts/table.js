/** A table that can be sorted by its columns. */
import { h, show } from "../dom.js";
import { language } from "../i18n.js";

const GROUP = 50; // rows
const PAUSE_MS = 200;

/**
 * `columns`: `{ name, cell(row), value(row)?, number? }`; one with `value` can be sorted by it, the first column is the
 * row's header. The caption is read out, and seen where `seen` says so. All rows are there at once, to be
 * found and printed, in groups (of `--rows`), which styles may leave without a layout until they are `.laid-out`.
 */
export function table({ caption, columns, rows, seen = false }) {
  const heads = columns.map((column) => head(column, (descending) => sortBy(column, descending)));
  const collator = new Intl.Collator(language(), { numeric: true });
  const title = h("caption", { class: seen ? "" : "sr-only" }, caption);
  function sortBy(column, descending) {
    for (const cell of heads) cell.toggleAttribute("aria-sort", false);
    heads[columns.indexOf(column)].setAttribute("aria-sort", descending ? "descending" : "ascending");
    const sign = descending ? -1 : 1;
    draw([...rows].sort((left, right) => sign * compare(column.value(left), column.value(right), collator)));
  }
  // The heads stay when rows are sorted, so that the one that was pressed keeps the focus.
  const element = h("table", {}, title, h("thead", {}, h("tr", {}, heads)));
  const groupOf = (some) =>
    h(
      "tbody",
      { style: { "--rows": some.length } },
      some.map((row) => rowOf(row, columns)),
    );
  function draw(ordered) {
    const groups = [];
    for (let at = 0; at < ordered.length; at += GROUP) groups.push(groupOf(ordered.slice(at, at + GROUP)));
    for (const group of element.querySelectorAll("tbody")) group.remove();
    element.append(...groups);
    setTimeout(() => layOut(element), PAUSE_MS);
  }
  draw(rows);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, element);
}

/** One group after the other, so that the page never stands still for a long table: assistive technology needs all. */
function layOut(element) {
  const group = element.querySelector("tbody:not(.laid-out)");
  group?.classList.add("laid-out");
  if (group) setTimeout(() => layOut(element), PAUSE_MS);
}

function rowOf(row, columns) {
  return h(
    "tr",
    {},
    columns.map((column, place) =>
      h(place ? "td" : "th", { scope: place ? null : "row", class: column.number && "number" }, column.cell(row)),
    ),
  );
}

function head({ name, value, number }, sort) {
  if (!value) return h("th", { scope: "col", class: number && "number" }, name);
  const cell = h("th", { scope: "col", class: number && "number" });
  const press = () => sort(cell.getAttribute("aria-sort") === "ascending");
  return show(
    cell,
    h(
      "button",
      { type: "button", class: "sort", onclick: press },
      name,
      h("span", { class: "arrow", "aria-hidden": "true" }),
    ),
  );
}

/** What is missing comes last in ascending order. */
function compare(left, right, collator) {
  if (left === null || left === undefined || right === null || right === undefined)
    return Number(left === null || left === undefined) - Number(right === null || right === undefined);
  return typeof left === "number" ? left - right : collator.compare(left, right);
}
