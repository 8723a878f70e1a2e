/** Paste an answer of any system with its sources, and have every sentence of it checked. */
import { h, show } from "../dom.js";
import { EXAMPLES } from "../examples.js";
import { ask } from "../http.js";
import { language, words } from "../i18n.js";
import { calls } from "../parts/calls.js";
import { givenSources } from "../parts/given.js";
import { trouble } from "../parts/notices.js";
import { go } from "../router.js";

const t = words({
  en: {
    title: "Verify a text",
    lead: "Paste an answer that any system wrote, and the sources it was written from. Every sentence and every citation is held against them.",
    examples: "Try an example",
    text: "The answer",
    question: "Question",
    questionHint: "Optional. Without it, it is not checked whether the answer fits the question.",
    answer: "Answer",
    answerHint: "[1] or [Source: 1] cites the first source. It may also have no citations.",
    sources: "Sources",
    repair: "What fails",
    full: "mend it from the sources, or leave it out",
    citations: "only take wrong citations away",
    off: "leave the text as it is",
    effort: "Checks",
    configured: "as configured",
    standard: "thorough: each statement by itself",
    cheap: "cheaper: many statements in one call",
    submit: "Verify",
    noAnswer: "Paste the answer first.",
    noSource: "Give at least one source with a text.",
  },
  ko: {
    title: "글 검증",
    lead: "어떤 시스템이 쓴 답변이든 그 근거가 된 출처와 함께 붙여 넣으세요. 모든 문장과 인용을 출처와 대조합니다.",
    examples: "예시 사용해 보기",
    text: "답변",
    question: "질문",
    questionHint: "선택 사항입니다. 없으면 답변이 질문에 맞는지는 확인하지 않습니다.",
    answer: "답변",
    answerHint: "[1] 또는 [Source: 1]은 첫 번째 출처를 인용합니다. 인용이 없어도 됩니다.",
    sources: "출처",
    repair: "틀린 부분",
    full: "출처에 맞게 고치거나 뺍니다",
    citations: "틀린 인용만 없앱니다",
    off: "글을 그대로 둡니다",
    effort: "확인 방식",
    configured: "서버 설정값",
    standard: "꼼꼼하게: 문장을 하나씩 확인합니다",
    cheap: "저렴하게: 여러 문장을 한 번에 확인합니다",
    submit: "검증",
    noAnswer: "먼저 답변을 붙여 넣으세요.",
    noSource: "본문이 있는 출처를 하나 이상 입력하세요.",
  },
});

// Kept while another page, or the other language, is looked at.
const draft = { question: "", answer: "", sources: [{ title: "", text: "" }], repair: "full", preset: "" };

export async function page(view, { signal }) {
  const sources = givenSources(draft.sources, signal);
  const made = calls(signal);
  const form = formOf(sources, signal);
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    examples((example) => fill(example, form, sources)),
    form,
    made.element,
  );
  await made.load();
}

function examples(choose) {
  const heading = h("h2", { id: "examples", class: "small" }, t("examples"));
  return h(
    "section",
    { class: "row examples", "aria-labelledby": "examples" },
    heading,
    EXAMPLES[language()].map((example) =>
      h("button", { type: "button", class: "small", onclick: () => choose(example) }, example.name),
    ),
  );
}

function fill({ question, answer, sources }, form, given) {
  Object.assign(draft, { question, answer });
  form.elements.question.value = question;
  form.elements.answer.value = answer;
  draft.sources.splice(0, Infinity, ...sources.map((source) => ({ ...source })));
  given.draw();
  form.querySelector(".primary").focus();
}

function formOf(sources, signal) {
  const problem = h("div");
  const bound = (name) => ({
    name,
    oninput: (event) => {
      draft[name] = event.target.value;
    },
  });
  const choice = (name, options) =>
    h(
      "select",
      bound(name),
      options.map((option) =>
        h("option", { value: option, selected: option === draft[name] }, t(option || "configured")),
      ),
    );
  const send = h("button", { class: "primary" }, t("submit"));
  const submitted = async (event) => {
    event.preventDefault();
    send.disabled = true;
    show(problem);
    try {
      const { id } = await ask("/v1/verifications", { method: "POST", json: request(), signal });
      go(`/verification/${id}`);
    } catch (error) {
      send.disabled = false;
      if (!signal.aborted)
        show(
          problem,
          error instanceof Unready ? h("p", { class: "problem", role: "alert" }, error.message) : trouble(error),
        );
    }
  };
  return h(
    "form",
    { onsubmit: submitted },
    h(
      "div",
      { class: "columns wide" },
      h(
        "section",
        { class: "card stack", "aria-labelledby": "text" },
        h("h2", { id: "text" }, t("text")),
        h(
          "label",
          {},
          t("answer"),
          h("textarea", { rows: "9", dir: "auto", value: draft.answer, ...bound("answer") }),
          h("span", { class: "hint" }, t("answerHint")),
        ),
        h(
          "label",
          {},
          t("question"),
          h("input", { dir: "auto", value: draft.question, ...bound("question") }),
          h("span", { class: "hint" }, t("questionHint")),
        ),
      ),
      h(
        "section",
        { class: "card stack", "aria-labelledby": "sources" },
        h("h2", { id: "sources" }, t("sources")),
        sources.element,
      ),
    ),
    h(
      "div",
      { class: "card stack" },
      problem,
      h(
        "div",
        { class: "sieve" },
        h("label", {}, t("repair"), choice("repair", ["full", "citations", "off"])),
        h("label", {}, t("effort"), choice("preset", ["", "standard", "cheap"])),
        send,
      ),
    ),
  );
}

class Unready extends Error {}

function request() {
  const { question, answer, repair, preset } = draft;
  const said = (source) => source.document_id || source.text.trim();
  // Empty boxes at the end were not used; one between others is told by the API, because citations count it.
  const used = draft.sources.slice(0, draft.sources.findLastIndex(said) + 1);
  if (!answer.trim()) throw new Unready(t("noAnswer"));
  if (!used.length) throw new Unready(t("noSource"));
  const sources = used.map(({ title, text, document_id: stored }) => ({
    ...(stored ? { document_id: stored } : { text }),
    ...(title.trim() ? { title: title.trim() } : {}),
  }));
  return {
    answer,
    sources,
    repair,
    show_claims: true,
    ...(preset ? { preset } : {}),
    ...(question.trim() ? { question: question.trim() } : {}),
  };
}
