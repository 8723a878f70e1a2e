/** Why there is no answer, and what was searched before it was decided. */
import { h } from "../dom.js";
import { withQuery } from "../http.js";
import { number, words } from "../i18n.js";
import { evidence, openLink, placeOf } from "./evidence.js";

const t = words("parts/refusal");

/** `query` abstained; `events` of its history tell the searches. */
export function refusal(query, events = []) {
  const { workspace, run, preset, mentions = [] } = query;
  const isRead = query.provider !== "offline";
  const question = query.restated_question || query.question;
  const places = new Map(query.sources.map((source) => [`${source.document_id} ${source.page_number}`, source]));
  return h(
    "div",
    { class: "refusal" },
    h("p", {}, h("strong", {}, t(isRead ? "title" : "unsure")), " ", h("span", { dir: "auto" }, query.abstain_reason)),
    mentions.length > 0 && [
      h("h3", {}, t(isRead ? "mention" : "unread")),
      mentions.map((mention) => closest(mention, query.sources)),
    ],
    h("h3", {}, t("searched", { workspace: query.workspace })),
    h(
      "ul",
      {},
      searches(query, events).map((search) => h("li", { dir: "auto" }, search)),
    ),
    places.size
      ? h(
          "div",
          {},
          h("h3", {}, t("looked", { n: number(query.sources.length) })),
          h(
            "ul",
            {},
            [...places.values()]
              .slice(0, 5)
              .map((source) => h("li", {}, placeOf({ ...source, section: source.section }))),
          ),
        )
      : h("p", {}, t("none")),
    h("h3", {}, t("next")),
    h(
      "ul",
      {},
      h("li", {}, t("reword")),
      h("li", {}, h("a", { href: "#/documents" }, t("add"))),
      isRead &&
        query.mode !== "low" &&
        h(
          "li",
          {},
          h("a", { href: withQuery("#/ask", { question, workspace, run, preset, mode: "low" }) }, t("easier")),
        ),
    ),
  );
}

function closest(mention, passages) {
  return h(
    "div",
    { class: "closest" },
    evidence(mention, mention.quote, passages),
    h(
      "p",
      { class: "small" },
      placeOf({ document_name: mention.document, page_number: mention.page, section: mention.section }),
      " ",
      openLink(mention),
    ),
  );
}

function searches(query, events) {
  const searched = [query.run === "structured" && (query.restated_question || query.question)];
  for (const { type, data } of events) {
    if (type === "search") searched.push(data.query);
    if (type === "question_rewritten") searched.push(...data.queries);
  }
  return [...new Set(searched.filter(Boolean))];
}
