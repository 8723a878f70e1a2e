/** Fields of metadata: names with values. */
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words({
  en: { name: "Name", value: "Value", add: "Add a field", remove: "Remove this field" },
  ko: { name: "이름", value: "값", add: "항목 추가", remove: "이 항목 제거" },
});

/** `{ element, values() }`; what looks like a number is one. */
export function pairs() {
  const list = h("div", { class: "stack" });
  const add = () => {
    const row = h("div", { class: "row pair" }, h("input", { "aria-label": t("name"), placeholder: "year" }),
      h("input", { "aria-label": t("value"), placeholder: "2026" }),
      h("button", { type: "button", class: "plain", "aria-label": t("remove"), onclick: () => row.remove() }, "✕"));
    list.append(row);
    return row;
  };
  add();
  const element = h("div", { class: "stack" }, list,
    h("button", { type: "button", class: "small", onclick: () => add().querySelector("input").focus() }, t("add")));
  const values = () => Object.fromEntries([...list.children]
    .map((row) => [...row.querySelectorAll("input")].map((input) => input.value.trim()))
    .filter(([name, value]) => name && value)
    .map(([name, value]) => [name, /^-?\d{1,15}(\.\d+)?$/.test(value) && !/^-?0\d/.test(value) ? Number(value) : value]));
  return { element, values };
}
