/** Why there is no answer, what comes closest, and what was searched before it was decided. */
import { h } from "../dom.js";
import { number, words } from "../i18n.js";
import { evidence, openLink, placeOf } from "./evidence.js";

const t = words("parts/refusal");

const MOST = 5;

/** `query` abstained; `again(changes)` asks it once more, null where that cannot be; `events` of its history tell the searches. */
export function refusal(query, again, events = []) {
  const { sources } = query;
  const names = query.attached_texts.join(", ");
  const isRead = query.provider !== "offline";
  const places = new Map(sources.map((source) => [`${source.document_id} ${source.page_number}`, source]));
  const easier = (event) => {
    event.currentTarget.disabled = true;
    again({ mode: "low" }).catch(() => null); // told already
  };
  return h(
    "div",
    { class: "refusal" },
    h("p", {}, h("strong", {}, t(isRead ? "title" : "unsure")), " ", h("span", { dir: "auto" }, query.abstain_reason)),
    closestPassages(query),
    h(
      "div",
      { class: "small" },
      h("h3", {}, names ? t("searchedTexts", { names }) : t("searched", { workspace: query.workspaces.join(", ") })),
      h(
        "ul",
        {},
        searches(query, events).map((search) => h("li", { dir: "auto" }, search)),
      ),
      places.size
        ? [
            h("h3", {}, t("looked", { n: number(sources.length) })),
            h("ul", {}, [...places.values()].slice(0, MOST).map(read)),
          ]
        : h("p", {}, t("none")),
    ),
    h(
      "p",
      { class: "row small" },
      t("next"),
      h("a", { href: "#/documents" }, t("add")),
      isRead &&
        again &&
        query.mode !== "low" &&
        h("button", { type: "button", class: "small", onclick: easier }, t("easier")),
    ),
  );
}

/** Under a refusal, and under an answer that may not be what was asked: the passages that come closest, if any. */
export function closestPassages({ mentions = [], sources, provider }) {
  if (!mentions.length) return null;
  return [
    h("h3", {}, t(provider === "offline" ? "unread" : "mention")),
    mentions.map((mention) => closest(mention, sources)),
  ];
}

/** A passage that was read: its place leads there. */
function read(source) {
  const { document_id: id, start_index: start, text } = source;
  const href = `#/document/${id}?start=${start}&end=${start + [...text].length}`;
  return h("li", {}, h("a", { href }, placeOf(source)));
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
