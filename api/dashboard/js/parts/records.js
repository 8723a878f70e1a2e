/** Tables whose rows are kept while nothing of them changes (so that focus stays), and are cards on a narrow screen. */
import { h, show } from "../dom.js";

/**
 * `columns`: `{ label, cell(row), number, nowrap, quiet }`; the label of a `quiet` one is only heard. Returns `{
 * element, update(rows) }`. Roles are said, because a browser forgets those of a table that is laid out as cards.
 */
export function records(caption, columns, keyOf = (row) => row.id) {
  const kept = new Map();
  const body = h("tbody", { role: "rowgroup" });
  const heads = columns.map(({ label, quiet, number }) =>
    h(
      "th",
      { scope: "col", role: "columnheader", class: number && "number" },
      quiet ? h("span", { class: "sr-only" }, label) : label,
    ),
  );
  const element = h(
    "table",
    { role: "table", class: "cards" },
    h("caption", { class: "sr-only" }, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)),
    body,
  );
  function rowOf(row) {
    const said = JSON.stringify(row);
    const before = kept.get(keyOf(row));
    if (before?.said === said) return before;
    const cells = columns.map(({ label, quiet, number, nowrap, cell }) =>
      h(
        "td",
        { role: "cell", class: number ? "number" : nowrap && "nowrap", dataset: { label: quiet ? "" : label } },
        cell(row),
      ),
    );
    return { said, element: h("tr", { role: "row" }, cells) };
  }
  function update(rows) {
    const now = rows.map((row) => [keyOf(row), rowOf(row)]);
    kept.clear();
    for (const [key, row] of now) kept.set(key, row);
    const elements = now.map(([, row]) => row.element);
    const same =
      elements.length === body.children.length && elements.every((child, place) => body.children[place] === child);
    if (!same) show(body, elements);
  }
  return { element, update };
}
