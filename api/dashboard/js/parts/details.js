/** Everything behind an answer: how sure it is, what was changed, and every claim, attempt, passage, stage and call. */
import { h, show } from "../dom.js";
import { moment, seconds, words } from "../i18n.js";
import { attempts } from "./attempts.js";
import { changes } from "./changes.js";
import { claimsTable } from "./claims.js";
import { effort } from "./effort.js";
import { trouble } from "./notices.js";
import { passageList } from "./passages.js";
import { scores } from "./scores.js";

const t = words("parts/details");

/**
 * `{ button, panel, open() }`; what is in the panel is asked for when it is first opened: `history()`. `marks` is a
 * choice that belongs to the answer.
 */
export function details(query, history, marks = null) {
  const panel = h("div", { class: "behind", id: `details-${query.id}`, hidden: true });
  const button = h(
    "button",
    {
      type: "button",
      class: "plain small",
      "aria-expanded": "false",
      "aria-controls": panel.id,
      onclick: () => (panel.hidden ? open() : turned(false)),
    },
    t("title"),
    h("span", { "aria-hidden": "true" }, "▾"),
  );
  const turned = (isOpen) => {
    panel.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
  };
  async function open() {
    turned(true);
    if (panel.hasChildNodes()) return;
    show(panel, h("progress", { class: "loading", "aria-label": t("loading") }));
    try {
      show(panel, contents(query, await history(), marks));
    } catch (error) {
      if (error.name !== "AbortError") show(panel, trouble(error));
    }
  }
  return { button, panel, open };
}

function contents(query, told, marks) {
  return [
    h(
      "div",
      { class: "row spread" },
      h(
        "p",
        { class: "small muted facts" },
        facts(query).map((fact) => h("span", {}, fact)),
      ),
      marks,
    ),
    query.replay_of &&
      h("p", { class: "small" }, t("replayOf"), " ", h("a", { href: `#/thread/${query.replay_of}` }, t("earlier"))),
    query.verification && h("div", { class: "card" }, h("h3", {}, t("proof")), scores(query)),
    changes(query, draftOf(told)),
    sections(query, told),
  ];
}

function facts(query) {
  const took = query.finished_at && (new Date(query.finished_at) - new Date(query.created_at)) / 1000;
  return [
    t("workspace", { name: query.workspaces.join(", ") }),
    t(query.run),
    t(query.mode),
    query.preset === "cheap" && t("cheap"),
    query.model || query.provider,
    moment(query.created_at),
    took && t("took", { s: seconds(took) }),
  ].filter(Boolean);
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

/** Made when it is opened: `content()`. */
function section(title, content) {
  const place = h("div", { class: "stack" });
  const fill = () => {
    if (!place.hasChildNodes()) show(place, content());
  };
  return h("details", { class: "card", ontoggle: fill }, h("summary", { onclick: fill }, h("h3", {}, title)), place);
}
