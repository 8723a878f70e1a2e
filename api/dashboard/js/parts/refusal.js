/** Why there is no answer, and what was searched before it was decided. */
import { h } from "../dom.js";
import { withQuery } from "../http.js";
import { number, words } from "../i18n.js";
import { evidence, openLink, placeOf } from "./evidence.js";

const t = words({
  en: {
    title: "The documents do not answer this.",
    unsure: "No sentence was found that surely answers this.",
    searched: "Searched in workspace “{workspace}” for",
    looked: "{n} {n:passage was|passages were} read; the closest are from",
    none: "No passage was found.",
    mention: "These passages come closest",
    unread: "Closest passages; no model read them",
    next: "What you can do",
    reword: "Ask in other words, or in smaller parts.",
    add: "Add the document that answers it.",
    easier: "Ask with less evidence required (mode “low”).",
  },
  ko: {
    title: "문서에 이 질문의 답이 없습니다.",
    unsure: "이 질문에 확실히 답하는 문장을 찾지 못했습니다.",
    searched: "작업 공간 “{workspace}”에서 검색한 내용",
    looked: "구절 {n}개를 읽었으며, 가장 가까운 문서는 다음과 같습니다",
    none: "찾은 구절이 없습니다.",
    mention: "가장 가까운 구절입니다",
    unread: "가장 가까운 구절입니다(모델이 읽지 않았습니다)",
    next: "다음과 같이 해 보세요",
    reword: "다른 표현으로 묻거나 질문을 나누어 보세요.",
    add: "답이 있는 문서를 추가해 보세요.",
    easier: "근거 기준을 낮춰(‘낮음’ 모드) 질문해 보세요.",
  },
});

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
