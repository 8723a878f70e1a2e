/** The answer as an object by a schema: its JSON, and what became of each place of it. */
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words("parts/object");

/** A section, or false where no object was asked for. */
export function objectOf({ answer_object: made }) {
  if (!made) return false;
  return h(
    "div",
    { class: "card", role: "group", "aria-label": t("title") },
    h("h3", {}, t("title")),
    made.value === null
      ? h("p", { class: "caution" }, t("withheld"), ": ", h("bdi", {}, made.withheld))
      : h("pre", { class: "scroll", tabindex: "0" }, JSON.stringify(made.value, null, 2)),
    made.values.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, t("copy")),
        h(
          "div",
          { class: "scroll" },
          h(
            "table",
            { class: "cards" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["place", "value", "state", "from"].map((name) => h("th", { scope: "col" }, t(name))),
              ),
            ),
            h("tbody", {}, made.values.map(row)),
          ),
        ),
      ),
  );
}

const row = ({ path, value, status, reason, citations }) =>
  h(
    "tr",
    {},
    h("td", { "data-label": t("place") }, h("code", {}, path)),
    h("td", { "data-label": t("value"), dir: "auto" }, value === null ? "" : String(value)),
    h("td", { "data-label": t("state") }, t(status), reason && h("span", { class: "hint" }, reason)),
    h("td", { "data-label": t("from") }, citations.map((number) => `[${number}]`).join("")),
  );
