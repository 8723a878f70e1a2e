/** What people say of answers: grounded or not. Kept in this browser, sent with each look at the quality. */
import { h } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { counts } from "./counts.js";

const t = words("parts/labels");

const NAME = "citewell.labels";
const AT_A_TIME = 6;
const VALUES = { true: true, false: false };

function stored() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) || {};
  } catch {
    return {};
  }
}

/** The labels as the API takes them. */
export const givenLabels = () => Object.entries(stored()).map(([id, grounded]) => ({ query_id: id, grounded }));

/** The newest answers, each with a choice; `changed()` is called when one was made. */
export async function labelling(workspace, changed, signal) {
  const list = h("ul", { class: "labels" });
  const told = h("span", { class: "small muted", role: "status" });
  const forget = h(
    "button",
    {
      type: "button",
      class: "small",
      onclick: () => {
        localStorage.removeItem(NAME);
        for (const select of list.querySelectorAll("select")) select.value = "";
        label();
      },
    },
    t("forget"),
  );
  const more = h("button", { type: "button", onclick: () => load() }, t("more"));
  let cursor = "";
  function label() {
    count(told, forget);
    changed();
  }
  async function load() {
    const page = await ask(withQuery("/v1/history", { workspace, status: "succeeded", cursor, limit: AT_A_TIME }), {
      signal,
    });
    cursor = page.next_cursor;
    more.hidden = !cursor;
    list.append(
      ...page.entries
        .filter((entry) => entry.confidence !== null || entry.abstained)
        .map((entry) => item(entry, label)),
    );
  }
  await load();
  count(told, forget);
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "labels" },
    h("h2", { id: "labels" }, t("title")),
    h("p", { class: "small muted" }, t("lead")),
    list.childElementCount ? list : h("p", { class: "empty" }, t("none")),
    h("div", { class: "row" }, more, told, forget),
  );
}

function count(told, forget) {
  const n = givenLabels().length;
  told.textContent = n ? t("labelled", { n: number(n) }) : "";
  forget.hidden = !n;
}

function item(entry, label) {
  const now = stored()[entry.id];
  const choose = (event) => {
    const { [entry.id]: _, ...others } = stored();
    const value = VALUES[event.target.value];
    localStorage.setItem(NAME, JSON.stringify(value === undefined ? others : { ...others, [entry.id]: value }));
    label();
  };
  const options = [
    ["", "open"],
    ["true", "grounded"],
    ["false", "not"],
  ];
  return h(
    "li",
    {},
    h(
      "div",
      {},
      h("a", { class: "entry", href: `#/thread/${entry.id}`, dir: "auto" }, entry.question),
      h("div", { class: "row small muted" }, counts(entry.sentences), moment(entry.created_at)),
    ),
    h(
      "select",
      { "aria-label": t("of", { name: entry.question }), onchange: choose },
      options.map(([value, name]) => h("option", { value, selected: value === String(now ?? "") }, t(name))),
    ),
  );
}
