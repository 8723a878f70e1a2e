/** A table that can be sorted by its columns. */
import { h, show } from "../dom.js";
import { language } from "../i18n.js";

const AT_ONCE = 100;

/**
 * `columns`: `{ name, cell(row), value(row)?, number? }`; one with `value` can be sorted by it, the first column is the
 * row's header. The caption is read out, and seen where `seen` says so.
 */
export function table({ caption, columns, rows, seen = false }) {
  const body = h("tbody");
  const heads = columns.map((column) => head(column, (descending) => sortBy(column, descending)));
  const collator = new Intl.Collator(language(), { numeric: true });
  function sortBy(column, descending) {
    for (const cell of heads) cell.toggleAttribute("aria-sort", false);
    heads[columns.indexOf(column)].setAttribute("aria-sort", descending ? "descending" : "ascending");
    const sign = descending ? -1 : 1;
    draw([...rows].sort((left, right) => sign * compare(column.value(left), column.value(right), collator)));
  }
  let drawings = 0;
  /** The first rows at once, and the others behind them, so that the page never stands still for a long table. */
  function draw(ordered) {
    const drawing = ++drawings;
    const some = (from) => ordered.slice(from, from + AT_ONCE).map((row) => rowOf(row, columns));
    function behind(from) {
      if (drawing !== drawings || from >= ordered.length) return;
      body.append(...some(from));
      setTimeout(() => behind(from + AT_ONCE));
    }
    show(body, some(0));
    setTimeout(() => behind(AT_ONCE));
  }
  draw(rows);
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: seen ? "" : "sr-only" }, caption), h("thead", {}, h("tr", {}, heads)), body),
  );
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
