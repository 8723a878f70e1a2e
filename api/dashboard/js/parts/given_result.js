/** What became of an answer from elsewhere: verdicts, evidence in its sources, citations, claims, the repaired text. */
import { h, show } from "../dom.js";
import { dollars, number, seconds, words } from "../i18n.js";
import { answerText, highlight } from "./answer.js";
import { beside } from "./beside.js";
import { changeNotice, changes, isChanged } from "./changes.js";
import { claimsTable } from "./claims.js";
import { honest } from "./confidence.js";
import { copy } from "./copying.js";
import { feedbackOn } from "./feedback.js";
import { legend } from "./legend.js";
import { scores } from "./scores.js";
import { signalLine } from "./signal.js";
import { stepName } from "./steps.js";
import { markedSources, sourceTexts } from "./sources.js";

const t = words("parts/given_result");

/** Draw the result of a verification into `place`; `at` is `{ number, start }` of a place in a source to go to. */
export async function givenResult(place, told, { at, signal }) {
  const readText = sourceTexts(told.id, signal);
  const sources = markedSources(told.sources, placesOf(told), readText);
  const answer = h("div");
  const feedback = feedbackOn(told.id, signal);
  const changed = h("div", {}, changes(told, draftOf(told)));
  show(
    place,
    h(
      "div",
      { class: "columns wide" },
      h(
        "div",
        {},
        card(
          "given",
          "answer",
          changeNotice(told, () => changed.scrollIntoView({ block: "center" })),
          answer,
          h("div", { class: "actions" }, feedback.element),
        ),
        changed,
      ),
      h(
        "div",
        {},
        card("sources", "sources", sources.element),
        told.verification && card("proof", "proof", degraded(told), signalLine(told.signal), scores(told), usage(told)),
      ),
    ),
    repaired(told),
    findings(told),
  );
  place.addEventListener("click", (event) => reveal(event, sources), { signal });
  show(answer, verdicts(told, await passagesOf(told, readText), feedback.onSentence));
  if (at) await sources.reveal(at.number, at.start);
}

const card = (id, title, ...content) =>
  h("section", { class: "card", "aria-labelledby": id }, h("h2", { id }, t(title)), content);

/** A link to a place in a source of this page goes there without drawing the page anew. */
function reveal(event, sources) {
  const place = event.target
    .closest?.("a")
    ?.getAttribute("href")
    ?.match(/^#\/verification\/.*\?source=(\d+)&start=(\d+)$/);
  if (!place) return;
  event.preventDefault();
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" })); // closes the card that has the link
  sources.reveal(Number(place[1]), Number(place[2]));
}

/** The sentences by their numbers, and what was said of the citations in them. */
function draftOf({ sentences, citations }) {
  const numbers = new Map(sentences.map((sentence, index) => [sentence.start, index]));
  return {
    sentences: new Map(sentences.map((sentence, index) => [index, sentence.text])),
    checks: new Map(
      citations.map((citation) => [`${numbers.get(citation.sentence_start)}:${citation.number}`, citation.explanation]),
    ),
  };
}

function placesOf({ sentences, citations }) {
  const of = (sentence, status, source) => ({
    number: source.number,
    start: source.source_start,
    end: source.source_end,
    sentence,
    status,
  });
  const numbers = new Map(sentences.map((sentence, index) => [sentence.start, index]));
  const cited = citations.filter(
    (citation) => citation.number && citation.source_start !== null && numbers.has(citation.sentence_start),
  );
  return [
    ...sentences.flatMap((sentence, index) => (sentence.source ? [of(index, sentence.status, sentence.source)] : [])),
    ...cited.map((citation) =>
      of(numbers.get(citation.sentence_start), sentences[numbers.get(citation.sentence_start)].status, citation),
    ),
  ];
}

/** The texts that the cards show evidence in. */
async function passagesOf({ sources, sentences, citations }, readText) {
  const needed = new Set([
    ...sentences.map((sentence) => sentence.source?.number),
    ...citations.filter((citation) => citation.source_start !== null).map((citation) => citation.number),
  ]);
  const wanted = sources.filter((source) => needed.has(source.number));
  return Promise.all(
    wanted.map(async ({ number: n }) => ({ ...names(n), start_index: 0, text: await readText(n).catch(() => "") })),
  );
}

const names = (n) => ({ chunk_id: `source_${n}`, document_id: `source_${n}` });

function verdicts(told, passages, onSentence) {
  const answer = answerText({
    text: told.answer,
    passages,
    onSentence,
    sentences: honest(told.sentences, told.verification || {}).map((sentence) => ({
      ...sentence,
      source: sentence.source && placed(told, sentence.source),
    })),
    citations: honest(
      told.citations.filter((citation) => citation.number).map((citation) => cited(told, citation)),
      told.verification || {},
    ),
  });
  return [
    told.sentences.length > 0 &&
      legend(
        told.sentences.map((sentence) => sentence.status),
        (state) => highlight(answer, state),
      ),
    answer,
    told.citations.length > 0 && h("p", { class: "small muted" }, t("hint")),
  ];
}

/** A place in a given source as one in a document, for the parts that both have. */
function placed({ id }, { number: n, title, ...place }) {
  const href = `#/verification/${id}?source=${n}&start=${place.source_start}`;
  return { ...place, ...names(n), document_name: title, link: () => h("a", { class: "open-link", href }, t("show")) };
}

function cited(told, citation) {
  const place = {
    number: citation.number,
    title: citation.source?.title || t("nosource"),
    page_number: citation.page_number,
    source_start: citation.source_start,
    source_end: citation.source_end,
  };
  return {
    ...placed(told, place),
    number: citation.number,
    status: citation.status,
    answer_start: citation.sentence_start,
    section: null,
    confidence_score: citation.confidence,
    citation_type: citation.relation || "checked",
    explanation: citation.explanation,
    text_span: citation.evidence,
  };
}

function repaired({ repaired_answer: after, answer, changed, repaired_is_grounded: grounded }) {
  if (after === null) return null;
  const heading = h("h2", { id: "repaired" }, t("repaired"));
  if (!changed || !isChanged(answer, after))
    return h("section", { class: "card", "aria-labelledby": "repaired" }, heading, h("p", {}, "✓ ", t("same")));
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "repaired" },
    heading,
    beside(answer, after),
    grounded !== null && h("p", { class: "small" }, t(grounded ? "grounded" : "ungrounded")),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => copy(after) }, t("copy"))),
  );
}

function findings(told) {
  const checks = told.citations.map((citation) => ({
    ...citation,
    citation_number: citation.cited,
    statement: citation.statement || "–",
    decided_by: null,
    source_file: citation.source?.title,
    source_page: citation.page_number,
  }));
  const claims = (told.verification?.claims || []).map((claim) => ({
    ...claim,
    source:
      claim.source &&
      placed(told, {
        ...claim.source,
        number: Number(claim.source.chunk_id.split("_")[1]),
        title: claim.source.document_name,
      }),
  }));
  if (!checks.length && !claims.length) return null;
  const { unverified_claims: open = [], suggested_corrections: corrections = [] } = told.verification || {};
  const list = (title, items) =>
    items.length > 0 &&
    h(
      "div",
      {},
      h("h3", {}, title),
      h(
        "ul",
        {},
        items.map((item) => h("li", { dir: "auto" }, item)),
      ),
    );
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "findings" },
    h("h2", { id: "findings" }, t("claims")),
    list(t("unverified"), open),
    list(t("corrections"), corrections),
    claimsTable({ claims, citation_checks: checks, sentences: told.sentences }, []),
  );
}

function degraded({ degraded: out }) {
  return (
    out.length > 0 &&
    h(
      "div",
      { class: "caution" },
      h("strong", {}, t("degraded")),
      h(
        "ul",
        {},
        out.map((step) => h("li", {}, `${stepName(step.step)}: ${step.reason}`)),
      ),
    )
  );
}

function usage({ provider, usage: { llm_calls: calls, cost_usd: cost }, timings }) {
  const time = seconds((timings.total ?? 0) / 1000);
  return h(
    "p",
    { class: "small muted" },
    provider === "offline" ? time : t("usage", { calls: number(calls), cost: dollars(cost), time }),
  );
}
