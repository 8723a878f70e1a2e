/** An answer on the page: every sentence marked with its verdict, every citation a button that shows its source. */
import { h } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { points } from "../points.js";
import { opensCard } from "./card.js";
import { besidesQuote, evidence, openLink, placeOf, placeText } from "./evidence.js";
import { toneOf, verdict, verdictIcon, verdictWord } from "./verdict.js";

const t = words("parts/answer");

const MARKER = /\s*\[†?(\d+)\]/g;

/**
 * The text with its marks. `sentences` tell start, end, status, reason, support, evidence, source; `citations` number,
 * answer_start, status and where they stand; `passages` hold the evidence. Without `sentences` it is the text with its
 * citations. `onSentence(position)` is what the card of a sentence has besides.
 */
export function answerText({ text, sentences = [], citations = [], passages = [], onSentence = () => null }) {
  const measured = points(text);
  const pieces = [];
  let cursor = 0;
  let last = null;
  const ordered = [...sentences.entries()].sort(([, left], [, right]) => left.start - right.start);
  ordered.forEach(([position, sentence], index) => {
    pieces.push(cited(measured.slice(cursor, sentence.start), last, citations, passages));
    pieces.push(
      marked(measured.slice(sentence.start, sentence.end), sentence, index, citations, passages, () =>
        onSentence(position),
      ),
    );
    cursor = sentence.end;
    last = sentence;
  });
  pieces.push(cited(measured.slice(cursor), last, citations, passages));
  return h("div", { class: "answer", dir: "auto" }, pieces);
}

/** Show only sentences in `state` at full strength; all of them for null. */
export function highlight(answer, state) {
  for (const sentence of answer.querySelectorAll(".sentence"))
    sentence.classList.toggle("dimmed", state !== null && sentence.dataset.state !== state);
}

function marked(text, sentence, index, citations, passages, more) {
  const label = t("sentence", { n: number(index + 1), state: verdictWord(sentence.status) });
  const button = h(
    "button",
    { type: "button", class: "verdict-mark", "aria-label": label },
    verdictIcon(sentence.status),
  );
  opensCard(button, { label, content: () => [aboutSentence(sentence, passages), more()] });
  return h(
    "span",
    { class: `sentence ${toneOf(sentence.status)}`, dataset: { state: sentence.status } },
    h("span", { class: "said" }, cited(text, sentence, citations, passages)),
    "\u2060",
    button,
  );
}

/** `text` with a button in the place of each marker. */
function cited(text, sentence, citations, passages) {
  const pieces = [];
  let cursor = 0;
  for (const marker of text.matchAll(MARKER)) {
    const own = citations.filter((reference) => reference.number === Number(marker[1]));
    const citation = own.find((reference) => reference.answer_start === sentence?.start) || own[0];
    pieces.push(
      strong(text.slice(cursor, marker.index)),
      citation ? citationButton(citation, passages) : marker[0].replace("†", ""),
    );
    cursor = marker.index + marker[0].length;
  }
  return [...pieces, strong(text.slice(cursor))];
}

/** The one mark of Markdown that disturbs reading where it is shown as it is. */
function strong(text) {
  return text.split(/\*\*([^*\n]+)\*\*/).map((part, place) => (place % 2 ? h("strong", {}, part) : part));
}

function citationButton(citation, passages) {
  const label = t("citation", { n: citation.number, place: placeText(citation), state: verdictWord(citation.status) });
  const button = h(
    "button",
    { type: "button", class: `citation ${toneOf(citation.status)}`, "aria-label": label },
    String(citation.number),
  );
  return ["\u2060", opensCard(button, { label, content: () => aboutCitation(citation, passages) })];
}

function aboutCitation(citation, passages) {
  return [
    h(
      "div",
      { class: "row" },
      verdict(citation.status),
      h(
        "span",
        { class: "small muted" },
        t(citation.citation_type),
        citation.confidence_score !== null && [" · ", t("certainty", { p: percent(citation.confidence_score) })],
      ),
    ),
    h("div", { class: "small" }, placeOf(citation)),
    citation.text_span && evidence(citation, citation.text_span, passages),
    besides(citation.explanation, citation.text_span),
    citation.text_span && h("div", {}, openLink(citation)),
  ];
}

function besides(reason, quote) {
  const said = besidesQuote(reason, quote);
  return said && h("p", { class: "small", dir: "auto" }, said);
}

function aboutSentence({ status, support, reason, evidence: quote, source }, passages) {
  return [
    h(
      "div",
      { class: "row" },
      verdict(status),
      support !== null &&
        support !== undefined &&
        h("span", { class: "small muted" }, t("likely", { p: percent(support) })),
    ),
    besides(reason, source && quote),
    source && h("div", { class: "small" }, placeOf(source)),
    source && evidence(source, quote, passages),
    source && h("div", {}, openLink(source)),
  ];
}
