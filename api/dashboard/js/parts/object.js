/** The answer as an object by a schema: its JSON, and what became of each place of it. */
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words({
  en: {
    title: "As an object",
    withheld: "The object is withheld",
    copy: "Places and what became of them",
    place: "Place",
    value: "Value",
    state: "State",
    from: "Cites",
    verified: "verified",
    removed: "removed",
    not_stated: "not stated",
  },
  ko: {
    title: "객체로 된 답변",
    withheld: "객체를 내지 않았습니다",
    copy: "항목별 결과",
    place: "항목",
    value: "값",
    state: "상태",
    from: "인용",
    verified: "확인됨",
    removed: "삭제됨",
    not_stated: "언급 없음",
  },
});

/** A section, or false where no object was asked for. */
export function objectOf({ answer_object: made }) {
  if (!made) return false;
  const title = h("h2", { id: "object-title" }, t("title"));
  return h(
    "section",
    { class: "card", "aria-labelledby": "object-title" },
    title,
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
