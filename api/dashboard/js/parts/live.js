/** A question while it is worked on: stages, the draft as it is written, verdicts and repairs as they arrive. */
import { h, show } from "../dom.js";
import { number, words } from "../i18n.js";
import { points } from "../points.js";
import { stageLine, stageName } from "./stages.js";
import { toneOf, verdictIcon, verdictWord } from "./verdict.js";

const t = words("parts/live");

const JUDGED = new Set(["sentence.verified", "sentence.failed", "sentence.checked", "sentence.kept"]);
const MENDED = new Set(["sentence.repaired", "sentence.removed"]);

/** `element`, and `hear({ type, data })` for every event of the stream. */
export function live(signal) {
  const stages = stageLine(signal);
  const draft = h("div", { class: "answer draft", dir: "auto" }, h("span", { class: "muted" }, t("waiting")));
  const status = h("p", { class: "sr-only", role: "status" });
  const counted = h("span", { class: "small muted" });
  const log = h("ul", { class: "log small", "aria-label": t("log"), hidden: true });
  const state = { round: 0, stage: "", text: "", sentences: new Map() };
  let planned = false;

  const drawSoon = () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      count();
      drawDraft(draft, state);
    });
  };
  const note = (...children) => {
    log.hidden = false;
    log.append(h("li", { dir: "auto" }, children));
  };
  const begin = (round) => {
    if (round === undefined || round === state.round) return;
    Object.assign(state, { round, text: "", sentences: new Map() });
  };
  const count = () => {
    const judged = [...state.sentences.values()];
    const bad = judged.filter((sentence) => sentence.failed).length;
    counted.textContent = judged.length ? t("counted", { done: number(judged.length), bad: number(bad) }) : "";
  };
  const enter = (stage) => {
    state.stage = stage;
    stages.enter(stage);
    // Announced with each stage; with each sentence it would be too much to listen to.
    status.textContent = [stageName(stage), counted.textContent].filter(Boolean).join(". ");
  };

  function hear({ type, data }) {
    if (type === "stage") {
      enter(data.stage);
    } else if (type === "draft") {
      begin(data.round);
      state.text = points(state.text).slice(0, data.start) + data.text;
    } else if (JUDGED.has(type)) {
      begin(data.round);
      const failed = data.status !== "supported" && data.status !== "no_claim";
      state.sentences.set(data.sentence, { ...state.sentences.get(data.sentence), ...data, failed });
    } else if (MENDED.has(type)) {
      const mended = { becomes: data.text || "", removed: type === "sentence.removed", mended: true, why: data.reason };
      state.sentences.set(data.sentence, { ...state.sentences.get(data.sentence), ...mended });
    } else {
      tell(type, data, note);
      return;
    }
    drawSoon();
  }
  const element = h(
    "div",
    { class: "live", role: "group", "aria-label": t("draft") },
    stages.element,
    status,
    h("div", { class: "row spread eyebrow" }, t("draft"), counted),
    draft,
    log,
  );
  return { element, hear, end: () => stages.enter(null) };
}

function tell(type, data, note) {
  if (type === "search")
    note(t("search", { q: data.query }), data.why && h("div", { class: "muted" }, t("why", { why: data.why })));
  else if (type === "question_restated") note(t("restated", { q: data.question }));
  else if (type === "question_rewritten")
    note(
      t("rewritten", { n: data.queries.length }),
      data.queries.map((query) => h("div", { class: "muted" }, query)),
    );
  else if (type === "research_notes") note(t("notes", { n: data.notes.length }));
  else if (type === "corrective_round") note(t("round"));
  else if (type === "draft.stopped") note(t("stopped"));
}

function drawDraft(element, { stage, text, sentences }) {
  if (!text) return void show(element, h("span", { class: "muted" }, t("waiting")));
  const measured = points(text);
  const pieces = [];
  let cursor = 0;
  const placed = [...sentences.values()].filter(
    (sentence) => sentence.start !== undefined && sentence.end <= measured.length,
  );
  for (const sentence of placed.sort((a, b) => a.start - b.start)) {
    if (sentence.start < cursor) continue;
    pieces.push(
      plain(measured.slice(cursor, sentence.start)),
      drawSentence(sentence, plain(measured.slice(sentence.start, sentence.end))),
    );
    cursor = sentence.end;
  }
  pieces.push(
    plain(measured.slice(cursor)),
    stage === "generating" && h("span", { class: "caret pulse", "aria-hidden": "true" }, "▍"),
  );
  show(element, pieces);
}

/** Markers as they are published. */
const plain = (text) => text.replaceAll("[†", "[");

function drawSentence(sentence, text) {
  const mark = (words) => h("span", { class: "sr-only" }, ` (${words}) `);
  if (sentence.removed) return h("del", { class: "sentence unsupported" }, text, mark(t("removed")));
  if (sentence.mended && sentence.becomes) {
    return [
      h("del", { class: "sentence contradicted" }, text),
      " ",
      h("ins", { class: "sentence supported" }, sentence.becomes, mark(t("repaired"))),
    ];
  }
  return h(
    "span",
    { class: `sentence ${toneOf(sentence.status)} arrived` },
    h("span", { class: "said" }, text),
    h("span", { class: "verdict-mark", "aria-hidden": "true" }, verdictIcon(sentence.status)),
    mark(verdictWord(sentence.status)),
  );
}
