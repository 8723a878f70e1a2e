/** What people said of answers: the queue to review, and what was decided. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { judgement } from "../parts/feedback.js";
import { notice, told, trouble } from "../parts/notices.js";

const t = words({
  en: {
    title: "Feedback",
    loading: "Loading",
    lead: "What people said of answers and their sentences. What you decide here is kept as labels; “citewell evaluate --from-feedback” measures with them.",
    filters: "Filters",
    status: "State",
    open: "To review",
    reviewed: "Reviewed",
    all: "All",
    rating: "Thumb",
    any: "Any",
    up: "It helps",
    down: "It does not help",
    verdict: "Verdict",
    supported: "The sources say it",
    unsupported: "The sources do not say it",
    none: "Nothing waits for a review. Thumbs and verdicts that are given beside an answer come here.",
    nothing: "No feedback fits these filters.",
    more: "Show more",
    answer: "Of the answer",
    sentence: "Of a sentence",
    citation: "Of a citation",
    see: "Open",
    decide: "Your verdict: do the sources say it?",
    unsaid: "No verdict",
    accept: "Reviewed",
    reopen: "Put back",
    remove: "Delete",
    by: "reviewed by {name}",
    sure: "Delete this feedback?",
    warning: "It is no label any more.",
    name: "Your name",
  },
  ko: {
    title: "의견",
    loading: "불러오는 중",
    lead: "답변과 문장에 대한 사람들의 의견입니다. 여기서 내린 판정은 레이블로 저장되며 “citewell evaluate --from-feedback”이 이것으로 측정합니다.",
    filters: "조건",
    status: "상태",
    open: "검토할 것",
    reviewed: "검토함",
    all: "모두",
    rating: "평가",
    any: "모두",
    up: "도움이 됨",
    down: "도움이 안 됨",
    verdict: "판정",
    supported: "출처에 있음",
    unsupported: "출처에 없음",
    none: "검토할 의견이 없습니다. 답변 옆에서 남긴 평가와 판정이 여기에 모입니다.",
    nothing: "조건에 맞는 의견이 없습니다.",
    more: "더 보기",
    answer: "답변에 대해",
    sentence: "문장에 대해",
    citation: "인용에 대해",
    see: "열기",
    decide: "판정: 출처에 있습니까?",
    unsaid: "판정 안 함",
    accept: "검토 완료",
    reopen: "다시 검토",
    remove: "삭제",
    by: "검토한 사람: {name}",
    sure: "이 의견을 삭제할까요?",
    warning: "더는 레이블로 쓰이지 않습니다.",
    name: "내 이름",
  },
});

const AT_A_TIME = 30;
const LONGEST = 400;
const REVIEWER = "citewell.reviewer";

/** `#/feedback?status=open|reviewed|`. */
export async function page(view, { search, signal }) {
  const choice = (options, value) =>
    h(
      "select",
      { onchange: () => load() },
      options.map(([option, name]) => h("option", { value: option, selected: option === value }, t(name))),
    );
  const status = choice(
    [
      ["open", "open"],
      ["reviewed", "reviewed"],
      ["", "all"],
    ],
    search.get("status") === "all" ? "" : (search.get("status") ?? "open"),
  );
  const rating = choice(
    [
      ["", "any"],
      ["up", "up"],
      ["down", "down"],
    ],
    search.get("rating"),
  );
  const verdict = choice(
    [
      ["", "any"],
      ["supported", "supported"],
      ["unsupported", "unsupported"],
    ],
    search.get("verdict"),
  );
  const reviewer = h("input", {
    maxlength: "200",
    autocomplete: "name",
    value: localStorage.getItem(REVIEWER) || "",
    onchange: () => localStorage.setItem(REVIEWER, reviewer.value.trim()),
  });
  const list = h(
    "ul",
    { class: "plain-list stack reviews" },
    h("li", {}, h("progress", { class: "loading", "aria-label": t("loading") })),
  );
  const empty = h("p", { class: "empty", role: "status" });
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  const state = { cursor: "", asked: 0 };
  async function load(cursor = "") {
    const asking = ++state.asked;
    const wanted = { status: status.value, rating: rating.value, verdict: verdict.value };
    history.replaceState(
      null,
      "",
      withQuery("#/feedback", { ...wanted, status: wanted.status === "open" ? "" : wanted.status || "all" }),
    );
    try {
      const listing = await ask(withQuery("/v1/feedback", { ...wanted, cursor, limit: AT_A_TIME }), { signal });
      if (asking !== state.asked) return;
      state.cursor = listing.next_cursor;
      more.hidden = !state.cursor;
      if (!cursor) show(list);
      list.append(...listing.feedback.map((entry) => item(entry, reviewer, (left) => keepOrGo(left))));
      told();
    } catch (error) {
      if (!signal.aborted) show(list, h("li", {}, trouble(error)));
    }
  }
  const told = () => {
    empty.textContent = list.children.length
      ? ""
      : t(status.value === "open" && !rating.value && !verdict.value ? "none" : "nothing");
  };
  /** One that the filters do not show any more goes; the keyboard goes on with the next. */
  function keepOrGo({ element, entry }) {
    const fits = entry && (!status.value || entry.status === status.value);
    const next = element.nextElementSibling || element.previousElementSibling;
    if (fits) element.replaceWith(item(entry, reviewer, keepOrGo));
    else element.remove();
    (fits ? null : next?.querySelector("button") || status)?.focus();
    told();
  }
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    h(
      "section",
      { class: "card stack", "aria-label": t("title") },
      h(
        "form",
        { class: "sieve", role: "search", "aria-label": t("filters"), onsubmit: (event) => event.preventDefault() },
        h("label", {}, t("status"), status),
        h("label", {}, t("rating"), rating),
        h("label", {}, t("verdict"), verdict),
        h("label", {}, t("name"), reviewer),
      ),
      list,
      empty,
      more,
    ),
  );
  await load();
}

function item(entry, reviewer, changed) {
  const verdict = h(
    "select",
    {},
    ["unsaid", "supported", "unsupported"].map((name) =>
      h("option", { value: name === "unsaid" ? "" : name, selected: name === entry.verdict }, t(name)),
    ),
  );
  const act = (work) => async () => {
    try {
      const left = await work();
      if (left !== undefined) changed({ element, entry: left });
    } catch (error) {
      notice(told(error));
    }
  };
  const review = (json) => () =>
    ask(`/v1/feedback/${entry.id}`, { method: "PATCH", json: { ...json, reviewer: reviewer.value.trim() || null } });
  const removed = async () =>
    (await confirmed(t("sure"), t("warning"), t("remove")))
      ? ask(`/v1/feedback/${entry.id}`, { method: "DELETE" })
      : undefined;
  const open = entry.status === "open";
  const element = h(
    "li",
    {},
    h(
      "div",
      { class: "row spread small muted" },
      h(
        "span",
        {},
        t(entry.place),
        " · ",
        entry.author && h("bdi", {}, `${entry.author} · `),
        moment(entry.created_at),
        entry.reviewed_by && [" · ", t("by", { name: entry.reviewed_by })],
      ),
      h("a", { href: `#/query/${entry.query_id}` }, t("see")),
    ),
    entry.excerpt &&
      h(
        "blockquote",
        { class: "passage", dir: "auto" },
        entry.excerpt.length > LONGEST ? `${entry.excerpt.slice(0, LONGEST)} …` : entry.excerpt,
      ),
    judgement(entry),
    h(
      "div",
      { class: "row" },
      open && h("label", { class: "small" }, t("decide"), verdict),
      open
        ? h(
            "button",
            {
              type: "button",
              class: "small",
              onclick: act(() => review({ status: "reviewed", verdict: verdict.value || null })()),
            },
            t("accept"),
          )
        : h("button", { type: "button", class: "small", onclick: act(review({ status: "open" })) }, t("reopen")),
      h("button", { type: "button", class: "small danger plain", onclick: act(removed) }, t("remove")),
    ),
  );
  return element;
}
