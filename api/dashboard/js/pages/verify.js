/** Paste an answer of any system with its sources, and have every sentence of it checked. */
import { h, show } from "../dom.js";
import { EXAMPLES } from "../examples.js";
import { ask } from "../http.js";
import { language, words } from "../i18n.js";
import { calls } from "../parts/calls.js";
import { givenSources } from "../parts/given.js";
import { trouble } from "../parts/notices.js";
import { go } from "../router.js";

const t = words("pages/verify");

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
