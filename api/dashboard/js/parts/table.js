/** A table that can be sorted by its columns. */
import { h, show } from "../dom.js";
import { language } from "../i18n.js";

/**
 * `columns`: `{ name, cell(row), value(row)?, number? }`; one with `value` can be sorted by it, the first column is the row's header.
 * The caption is read out, and seen where `seen` says so.
 */
export function table({ caption, columns, rows, seen = false }) {
  const body = h("tbody");
  const heads = columns.map((column) => head(column, (descending) => sortBy(column, descending)));
  const collator = new Intl.Collator(language(), { numeric: true });
  function sortBy(column, descending) {
    for (const each of heads) each.toggleAttribute("aria-sort", false);
    heads[columns.indexOf(column)].setAttribute("aria-sort", descending ? "descending" : "ascending");
    const sign = descending ? -1 : 1;
    draw([...rows].sort((one, other) => sign * compare(column.value(one), column.value(other), collator)));
  }
  const draw = (ordered) => show(body, ordered.map((row) => h("tr", {}, columns.map((column, place) =>
    h(place ? "td" : "th", { scope: place ? null : "row", class: column.number && "number" }, column.cell(row))))));
  draw(rows);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: seen ? "" : "sr-only" }, caption), h("thead", {}, h("tr", {}, heads)), body));
}

function head({ name, value, number }, sort) {
  if (!value) return h("th", { scope: "col", class: number && "number" }, name);
  const cell = h("th", { scope: "col", class: number && "number" });
  const press = () => sort(cell.getAttribute("aria-sort") === "ascending");
  return show(cell, h("button", { type: "button", class: "sort", onclick: press }, name, h("span", { class: "arrow", "aria-hidden": "true" })));
}

/** What is missing comes last in ascending order. */
function compare(one, other, collator) {
  if (one === null || one === undefined || other === null || other === undefined) return Number(one === null || one === undefined) - Number(other === null || other === undefined);
  return typeof one === "number" ? one - other : collator.compare(one, other);
}
