/** The finished answer: what it says, how sure it is, what was changed, and everything behind it. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { words } from "../i18n.js";
import { go } from "../router.js";
import { answerText, highlight } from "./answer.js";
import { attempts } from "./attempts.js";
import { changeNotice, changes, isChanged, versions } from "./changes.js";
import { citedSources } from "./cited.js";
import { claimsTable } from "./claims.js";
import { honest } from "./confidence.js";
import { conflictsOf } from "./conflicts.js";
import { copyButtons } from "./copying.js";
import { effort } from "./effort.js";
import { feedbackOn } from "./feedback.js";
import { legend } from "./legend.js";
import { notice, told, trouble } from "./notices.js";
import { objectOf } from "./object.js";
import { passageList } from "./passages.js";
import { refusal } from "./refusal.js";
import { scores } from "./scores.js";
import { shareButton } from "./sharing.js";
import { signalBadge, signalLine } from "./signal.js";
import { stepName } from "./steps.js";

const t = words("parts/result");

const ALL_MARKS = "citewell.marks";

/** Draw `query` into `place`; what its history adds comes when that promise is kept. */
export async function result(place, query, path, history, signal) {
  const { verification } = query;
  const feedback = feedbackOn(query.id, signal);
  const refused = h("div");
  const changed = h("div");
  const behind = h("div", { class: "behind" });
  if (query.abstained) show(refused, refusal(query));
  show(changed, changes(query));
  show(
    place,
    h(
      "div",
      { class: query.abstained ? "" : "result" },
      h(
        "section",
        { class: "card main", "aria-labelledby": "answer-title" },
        h("h2", { id: "answer-title", class: "sr-only" }, t("answer")),
        query.abstained ? h("p", { class: "signal-line" }, signalBadge(query.signal)) : signalLine(query.signal),
        warnings(query),
        changeNotice(query, () => changed.scrollIntoView({ block: "start" })),
        query.abstained ? refused : [answerOf(query, feedback.onSentence), conflictsOf(query)],
        h(
          "div",
          { class: "actions stack" },
          h("div", { class: "row" }, shareButton(path), copyButtons(query, path)),
          feedback.element,
        ),
      ),
      !query.abstained &&
        h(
          "div",
          { class: "beside-answer" },
          citedSources(query.citations),
          verification &&
            h(
              "section",
              { class: "card aside", "aria-labelledby": "proof-title" },
              h("h2", { id: "proof-title" }, t("proof")),
              scores(query),
            ),
        ),
      h("div", { class: "rest" }, objectOf(query), changed),
      behind,
    ),
  );
  try {
    const told = await history;
    if (query.abstained) show(refused, refusal(query, told.events));
    show(changed, changes(query, draftOf(told)));
    if (!verification && told.verifications.length) place.querySelector(".unverified")?.replaceChildren(t("broke"));
    show(behind, sections(query, told));
  } catch (error) {
    if (error.name !== "AbortError") show(behind, trouble(error));
  }
}

/** What there is of a question that did not succeed. */
export async function resultOfFailed(place, query, history) {
  try {
    const told = await history;
    show(
      place,
      query.answer && h("section", { class: "card" }, answerOf(query)),
      h("div", { class: "behind" }, sections(query, told)),
    );
  } catch (error) {
    if (error.name !== "AbortError") show(place, trouble(error));
  }
}

function answerOf(query, onSentence) {
  const sentences = query.verification ? honest(query.verification.sentences, query.verification) : [];
  const citations = honest(query.citations, query.verification || {});
  const answer = answerText({ text: query.answer, sentences, citations, passages: query.sources, onSentence });
  const original = query.original_answer || "";
  return [
    sentences.length > 0 &&
      h(
        "div",
        { class: "row spread" },
        legend(
          sentences.map((sentence) => sentence.status),
          (state) => highlight(answer, state),
        ),
        marks(answer),
      ),
    isChanged(original, query.answer) ? versions(answer, original, query.answer) : answer,
  ];
}

/** Whether sentences that are in order are marked, too: read as a text, only what is wrong should catch the eye. */
function marks(answer) {
  const all = h("input", {
    type: "checkbox",
    checked: localStorage.getItem(ALL_MARKS) !== null,
    onchange: () => {
      answer.classList.toggle("quiet", !all.checked);
      if (all.checked) localStorage.setItem(ALL_MARKS, "");
      else localStorage.removeItem(ALL_MARKS);
    },
  });
  answer.classList.toggle("quiet", !all.checked);
  return h("label", { class: "inline small" }, all, t("marks"));
}

function warnings(query) {
  const { verification, degraded, abstained } = query;
  return [
    !verification &&
      !abstained &&
      h(
        "div",
        { class: "caution row spread" },
        h("span", { class: "unverified" }, t("unverified")),
        query.sources.length > 0 &&
          h(
            "button",
            { type: "button", class: "primary", onclick: (event) => verifyNow(event.currentTarget, query) },
            t("verify"),
          ),
      ),
    degraded.length > 0 &&
      h(
        "div",
        { class: "caution" },
        h("strong", {}, t("degraded")),
        h(
          "ul",
          {},
          degraded.map((step) => h("li", { dir: "auto" }, `${stepName(step.step)}: ${step.reason}`)),
        ),
      ),
  ];
}

/**
 * The answer is held against the passages that it was written from, each under the number that it has in the answer.
 */
async function verifyNow(button, query) {
  button.disabled = true;
  const numbered = new Map(query.citations.map((citation) => [citation.chunk_id, citation.number]));
  const place = (source) => numbered.get(source.chunk_id) ?? Number.MAX_SAFE_INTEGER;
  const sources = [...query.sources].sort((left, right) => place(left) - place(right)).map(asGiven);
  const { answer, workspace, preset } = query;
  const question = query.restated_question || query.question;
  try {
    const { id } = await ask("/v1/verifications", {
      method: "POST",
      json: { question, answer, sources, workspace, preset, show_claims: true },
    });
    go(`/verification/${id}`);
  } catch (error) {
    button.disabled = false;
    notice(told(error));
  }
}

function asGiven({ text, document_name: title, page_number: page, document_id, chunk_id, start_index }) {
  const pages = page === null ? {} : { pages: [[page, 0, [...text].length]] };
  return { text, title: title.slice(0, 300), metadata: { document_id, chunk_id, start_index }, ...pages };
}

/**
 * What was found of the draft: its sentences by their number, its citations by `sentence:number`, for edits that name
 * only those.
 */
function draftOf({ events }) {
  const of = (type) => events.filter((event) => event.type === type).map((event) => event.data);
  return {
    sentences: new Map(of("sentence.checked").map((event) => [event.sentence, event.text])),
    checks: new Map(
      of("citation.checked").map((event) => [`${event.sentence}:${event.citation_number}`, event.explanation]),
    ),
  };
}

function sections(query, told) {
  const published =
    told.verifications.find((verification) => verification.kind === "published") || told.verifications.at(-1);
  const tried = attempts(told);
  return [
    published?.claims.length + published?.citation_checks.length > 0 &&
      section(t("claims"), () => claimsTable(published, query.sources)),
    tried && section(t("attempts"), () => tried),
    query.sources.length > 0 &&
      section(t(query.abstained ? "read" : "passages"), () => passageList(query.sources, query.citations, told.steps)),
    section(t("history"), () => effort(told, query.usage)),
  ];
}

/** What is behind the answer is made when it is opened: `content()`. */
function section(title, content) {
  const place = h("div", { class: "stack" });
  const fill = () => {
    if (!place.hasChildNodes()) show(place, content());
  };
  return h("details", { class: "card", ontoggle: fill }, h("summary", { onclick: fill }, h("h2", {}, title)), place);
}
