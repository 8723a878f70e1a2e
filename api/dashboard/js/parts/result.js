/** What became of a question: the answer with its signal, marks and sources, and the row of what can be done with it. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { words } from "../i18n.js";
import { go } from "../router.js";
import { answerText, highlight } from "./answer.js";
import { changeNotice, isChanged, versions } from "./changes.js";
import { citedSources } from "./cited.js";
import { honest } from "./confidence.js";
import { conflictsOf } from "./conflicts.js";
import { copyButtons } from "./copying.js";
import { details } from "./details.js";
import { feedbackOn } from "./feedback.js";
import { legend } from "./legend.js";
import { menu } from "./menu.js";
import { notice, told } from "./notices.js";
import { objectOf } from "./object.js";
import { closestPassages, refusal } from "./refusal.js";
import { shareButton } from "./sharing.js";
import { signalBadge, signalLine } from "./signal.js";
import { stepName } from "./steps.js";

const t = words("parts/result");

const ALL_MARKS = "citewell.marks";

/** Of a question that has an answer; `again(changes)` asks it once more, `more` are buttons of the row. */
export function result(query, path, { signal, again, more }) {
  const feedback = feedbackOn(query.id, signal);
  const history = once(() => ask(`${path}/verifications`, { signal }));
  const { answer, shown } = answerOf(query, feedback.onSentence);
  const behind = details(query, history, !query.abstained && marks(answer));
  const jump = async () => {
    await behind.open();
    behind.panel.querySelector(".changes").scrollIntoView({ block: "start" });
  };
  const unverified = h("span", {}, t("unverified"));
  return [
    h(
      "div",
      { class: "result" },
      h(
        "div",
        { class: "main" },
        query.abstained ? h("p", { class: "signal-line" }, signalBadge(query.signal)) : signalLine(query.signal),
        query.review?.state === "corrected"
          ? h("p", { class: "caution" }, t("corrected"))
          : !query.verification && !query.abstained && warning(query, unverified, history),
        leftOut(query),
        changeNotice(query, jump),
        query.abstained ? refused(query, history, again) : [shown, conflictsOf(query), closestPassages(query)],
        objectOf(query),
      ),
      !query.abstained && citedSources(query.citations),
    ),
    h(
      "div",
      { class: "row actions" },
      menu(t("copy"), () => copyButtons(query, path)),
      shareButton(path),
      more,
      feedback.element,
      behind.button,
    ),
    behind.panel,
  ];
}

/** The answer with its signal, marks and sources, for somebody who has to judge it. */
export const proof = (query) =>
  h(
    "div",
    { class: "result" },
    h("div", { class: "main" }, signalLine(query.signal), answerOf(query).shown, conflictsOf(query)),
    citedSources(query.citations),
  );

/** Of one that failed, was stopped, or is held back. */
export function ended(query, path, { signal, more }) {
  if (query.status === "held") return [h("p", { class: "caution", role: "status" }, t("held")), queue()];
  const behind = details(
    query,
    once(() => ask(`${path}/verifications`, { signal })),
  );
  return [
    query.status === "cancelled"
      ? h("p", { class: "muted" }, t("stopped"))
      : h(
          "div",
          { class: "problem" },
          h("strong", {}, t("failed")),
          h("div", { dir: "auto" }, query.error?.message),
          h("code", {}, query.error?.code),
        ),
    query.answer && answerOf(query).shown,
    h("div", { class: "row actions" }, more, behind.button),
    behind.panel,
  ];
}

const queue = () => h("p", { class: "small" }, h("a", { href: "#/feedback" }, t("queue")));

function once(act) {
  let made = null;
  return () => (made ??= act());
}

function answerOf(query, onSentence) {
  if (!query.answer) return {};
  const sentences = query.verification ? honest(query.verification.sentences, query.verification) : [];
  const citations = honest(query.citations, query.verification || {});
  const answer = answerText({ text: query.answer, sentences, citations, passages: query.sources, onSentence });
  answer.classList.toggle("quiet", localStorage.getItem(ALL_MARKS) === null);
  const original = query.original_answer || "";
  const shown = [
    legend(
      sentences.map((sentence) => sentence.status),
      (state) => highlight(answer, state),
    ),
    isChanged(original, query.answer) ? versions(answer, original, query.answer) : answer,
  ];
  return { answer, shown };
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
  return h("label", { class: "inline small" }, all, t("marks"));
}

function refused(query, history, again) {
  const place = h("div", {}, refusal(query, again));
  history()
    .then(({ events }) => show(place, refusal(query, again, events)))
    .catch(() => null); // what was searched is told without it
  return place;
}

function warning(query, told, history) {
  history()
    .then(({ verifications }) => verifications.length && told.replaceChildren(t("broke")))
    .catch(() => null);
  return h(
    "div",
    { class: "caution row spread" },
    told,
    query.sources.length > 0 &&
      h(
        "button",
        { type: "button", class: "primary", onclick: (event) => verifyNow(event.currentTarget, query) },
        t("verify"),
      ),
  );
}

function leftOut({ degraded }) {
  return (
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
    )
  );
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
