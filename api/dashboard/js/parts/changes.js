/**
 * What became of an answer between its draft and its end: citations removed, sentences mended or taken out, and why.
 */
import { difference } from "../difference.js";
import { h, show } from "../dom.js";
import { number, words } from "../i18n.js";

const t = words("parts/changes");

const SILENT = new Set(["renumbered"]);
const COUNTED = ["removed", "rewritten", "dropped", "reattributed"];

/**
 * The list of changes; null when there are none. `draft` has `sentences` by their number, `checks` by
 * `sentence:number`.
 */
export function changes(query, draft = { sentences: new Map(), checks: new Map() }) {
  const told = toldOf(query);
  if (!told.length) return null;
  return h(
    "div",
    { class: "card changes", role: "group", "aria-label": t("title") },
    h("h2", {}, t("title")),
    h(
      "ul",
      { class: "edits" },
      told.map((edit) => h("li", {}, changed(edit, draft))),
    ),
  );
}

/** S5.7: in one line, above the answer, how much was changed; `jump()` leads to the list. Null when nothing was. */
export function changeNotice(query, jump) {
  const told = toldOf(query);
  const counts = COUNTED.map((kind) => [kind, told.filter((edit) => edit.kind === kind).length]).filter(
    ([, count]) => count,
  );
  if (!counts.length) return null;
  return h(
    "div",
    { class: "caution row spread change-notice" },
    h(
      "span",
      {},
      h("span", { "aria-hidden": "true" }, "✂ "),
      counts.map(([kind, n]) => t(`${kind}Count`, { n: number(n) })).join(", "),
    ),
    h("button", { type: "button", class: "plain", onclick: jump }, t("show")),
  );
}

const toldOf = ({ edits }) => edits.filter((edit) => !SILENT.has(edit.kind));

function changed(edit, { sentences, checks }) {
  const title = edit.kind === "removed" ? t("removedOne", { n: edit.number ?? "?" }) : t(edit.kind);
  const statement = edit.before ? null : sentences.get(edit.statement);
  const finding = edit.kind === "removed" && checks.get(`${edit.statement}:${edit.number}`);
  return [
    h("strong", {}, title),
    edit.before && h("del", { dir: "auto" }, h("span", { class: "sr-only" }, `${t("before")}: `), edit.before),
    edit.after && h("ins", { dir: "auto" }, h("span", { class: "sr-only" }, `${t("after")}: `), edit.after),
    statement && h("div", { class: "small", dir: "auto" }, `“${statement}”`),
    edit.reason &&
      h(
        "div",
        { class: "small muted", dir: "auto" },
        `${t("why")}: `,
        edit.reason,
        finding && !finding.includes(edit.reason) && `; ${finding}`,
      ),
  ];
}

/** Whether the two texts say anything else, markers in their two forms and places aside. */
export const isChanged = (original, final) => alike(original) !== alike(final);

/** A choice between the verified text (`answer`, an element), the original one, and their differences. */
export function versions(answer, original, final) {
  const place = h("div", {}, answer);
  const views = {
    verified: () => answer,
    original: () => h("div", { class: "answer", dir: "auto" }, alike(original)),
    differences: () => differences(alike(original), alike(final)),
  };
  const buttons = Object.keys(views).map((name) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": String(name === "verified"),
        onclick: (event) => {
          for (const button of buttons) button.setAttribute("aria-pressed", String(button === event.currentTarget));
          show(place, views[name]());
        },
      },
      t(name),
    ),
  );
  return [h("div", { class: "segments", role: "group", "aria-label": t("view") }, buttons), place];
}

/** Two texts as one: what went and what came. */
export function differences(before, after) {
  const names = { gone: "del", new: "ins" };
  const mark = (name) => h("span", { class: "sr-only" }, ` (${t(name === "gone" ? "gone" : "added")}) `);
  return h(
    "div",
    { class: "answer", dir: "auto" },
    difference(before, after).map(({ kind, text }) => (kind === "same" ? text : h(names[kind], {}, text, mark(kind)))),
  );
}

/** Markers as `[1]` behind the full stop, as the published answer has them. */
export function alike(text) {
  return text
    .replace(
      /\s*((?:\[†?\d+\]\s*)+?)([.!?。]*)(?=\s|$|\[)/g,
      (_, markers, stop) => `${stop} ${markers.replace(/[†\s]/g, "")}`,
    )
    .replace(/\][ ]+\[/g, "][")
    .trim();
}
