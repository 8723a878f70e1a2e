/** Rows of names with values: the metadata of files, a glossary. */
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words("parts/pairs");

/**
 * `{ element, values() }`; what looks like a number is one, unless `numbers` is false. `values` are those to begin
 * with.
 */
export function pairs({
  values: given = {},
  names = [t("name"), t("value")],
  placeholders = ["", ""],
  numbers = true,
} = {}) {
  const list = h("div", { class: "stack" });
  const add = (pair = ["", ""]) => {
    const row = h(
      "div",
      { class: "row pair" },
      names.map((label, place) =>
        h("input", { "aria-label": label, placeholder: placeholders[place] || label, dir: "auto", value: pair[place] }),
      ),
      h("button", { type: "button", class: "plain", "aria-label": t("remove"), onclick: () => row.remove() }, "✕"),
    );
    list.append(row);
    return row;
  };
  for (const pair of Object.entries(given)) add(pair);
  add();
  const element = h(
    "div",
    { class: "stack" },
    list,
    h("button", { type: "button", class: "small", onclick: () => add().querySelector("input").focus() }, t("add")),
  );
  const values = () =>
    Object.fromEntries(
      [...list.children]
        .map((row) => [...row.querySelectorAll("input")].map((input) => input.value.trim()))
        .filter(([name, value]) => name && value)
        .map(([name, value]) => [
          name,
          /^-?\d{1,15}(\.\d+)?$/.test(value) && !/^-?0\d/.test(value) && numbers ? Number(value) : value,
        ]),
    );
  return { element, values };
}
