/** The claims and citation checks of an answer as a table: sorted, filtered, each with its evidence and the reason. */
import { h, show } from "../dom.js";
import { number, percent, words } from "../i18n.js";
import { openLink, placeOf } from "./evidence.js";
import { points } from "../points.js";
import { table } from "./table.js";
import { verdict } from "./verdict.js";

const t = words("parts/claims");

const STATES = { SUPPORTED: "supported", PARTIALLY_SUPPORTED: "partial", UNSUPPORTED: "unsupported" };

/** The table of what one verification (of the history) found. */
export function claimsTable({ claims, citation_checks: checks, sentences }, passages) {
  const rows = [
    ...checks.map((check) => fromCheck(check, passages)),
    ...claims.map((claim) => fromClaim(claim, sentences)),
  ];
  if (!rows.length) return h("p", { class: "muted" }, t("none"));
  const place = h("div");
  const shown = h("span", { class: "small muted", role: "status" });
  const wanted = { state: "", text: "" };
  const draw = () => {
    const fitting = rows.filter(
      (row) => (!wanted.state || row.state === wanted.state) && row.statement.toLowerCase().includes(wanted.text),
    );
    shown.textContent = t("shown", { n: number(fitting.length) });
    show(place, table({ caption: t("claims"), columns, rows: fitting }));
  };
  const states = [...new Set(rows.map((row) => row.state))];
  const filters = h(
    "div",
    { class: "row narrow" },
    h(
      "select",
      {
        "aria-label": t("filter"),
        onchange: (event) => {
          wanted.state = event.target.value;
          draw();
        },
      },
      h("option", { value: "" }, t("all")),
      states.map((state) => h("option", { value: state }, verdict(state).textContent)),
    ),
    h("input", {
      type: "search",
      "aria-label": t("find"),
      placeholder: t("find"),
      oninput: (event) => {
        wanted.text = event.target.value.toLowerCase();
        draw();
      },
    }),
    shown,
  );
  draw();
  return h("div", { class: "claims stack" }, filters, place);
}

function fromClaim({ claim, status, evidence: quote, source, reasoning }, sentences) {
  return {
    statement: claim,
    state: stateOf(claim, STATES[status], sentences),
    number: null,
    quote,
    source,
    reason: reasoning,
    confidence: null,
  };
}

/**
 * Claims know no contradiction: one that a contradicted sentence says has the sentence's word, so that one fact has one
 * word.
 */
function stateOf(claim, state, sentences) {
  const denied =
    state === "unsupported" &&
    sentences.some((sentence) => sentence.status === "contradicted" && bare(sentence.text).includes(bare(claim)));
  return denied ? "contradicted" : state;
}

const bare = (text) =>
  text
    .replace(/\s*\[†?\d+\]/g, "")
    .replace(/[.!?。\s]+$/u, "")
    .toLowerCase();

function fromCheck(check, passages) {
  const { statement, status: state, citation_number: n, evidence: quote, confidence, decided_by: by } = check;
  const reason = [explained(check), by && t(by === "evidence" ? "byEvidence" : "model")].filter(Boolean).join(" · ");
  return { statement, state, number: n, quote, source: quote && sourceOf(check, passages), reason, confidence };
}

function explained({ explanation, second_look: looks }) {
  return looks?.second ? t("twice", { noticed: looks.noticed, says: explanation || "–" }) : explanation;
}

/** Where the evidence of a check stands: found again in the passage, because a check tells its words alone. */
function sourceOf({ chunk_id: chunk, evidence: quote, source_file: name, source_page: page }, passages) {
  const passage = passages.find((candidate) => candidate.chunk_id === chunk && candidate.text.includes(quote));
  if (!passage) return { document_name: name, page_number: page };
  const start = passage.start_index + points(passage.text).point(passage.text.indexOf(quote));
  return { ...passage, source_start: start, source_end: start + points(quote).length };
}

const columns = [
  {
    get name() {
      return t("statement");
    },
    value: (row) => row.statement,
    cell: (row) => h("span", { dir: "auto" }, row.statement),
  },
  {
    get name() {
      return t("verdict");
    },
    value: (row) => row.state,
    cell: (row) => verdict(row.state),
  },
  {
    get name() {
      return t("against");
    },
    value: (row) => row.number,
    cell: (row) => (row.number ? `[${row.number}]` : t("everything")),
  },
  {
    get name() {
      return t("certainty");
    },
    value: (row) => row.confidence,
    cell: (row) => percent(row.confidence),
    number: true,
  },
  {
    get name() {
      return t("evidence");
    },
    cell: quoted,
  },
  {
    get name() {
      return t("reason");
    },
    cell: (row) => h("span", { class: "small", dir: "auto" }, row.reason || "–"),
  },
];

function quoted({ source, quote }) {
  if (!quote) return "–";
  return [
    h("blockquote", { class: "passage", dir: "auto" }, quote),
    source?.document_name && h("div", { class: "small" }, placeOf(source), " ", source.document_id && openLink(source)),
  ];
}
