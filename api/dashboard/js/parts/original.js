/** What a document looks like beside its text: pages as pictures, blocks, or sheets; and the choice between the two. */
import { h } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { words } from "../i18n.js";
import { blocksShown } from "./blocks.js";
import { notice, told } from "./notices.js";
import { pictures } from "./pictures.js";

const t = words("parts/original");

/**
 * `element`, and `place(start)`: the part of it where a place of the text is. `span` has code points, `cited` UTF-16
 * units.
 */
export async function original(path, { text, measured, layout, shape, span, cited }, signal) {
  if (shape.view !== "pages") {
    const element = blocksShown(text, measured, shape.blocks, layout.pages, cited);
    return { element, place: (start) => lastBefore(element.querySelectorAll("[data-start]"), measured.unit(start)) };
  }
  const marked = span ? await placesOf(path, span, signal) : [];
  const element = pictures(path, layout.pages, marked, ({ start, end }) => measured.slice(start, end), signal);
  const pageOf = (start) => layout.pages.findLast((page) => page.start <= start)?.number;
  return { element, place: (start) => element.querySelector(`[data-page="${pageOf(start)}"]`) };
}

async function placesOf(path, { start, end }, signal) {
  try {
    return (await ask(withQuery(`${path}/boxes`, { start, end }), { signal })).pages;
  } catch (error) {
    if (!signal.aborted) notice(t("noPlaces", { why: told(error) }));
    return [];
  }
}

function lastBefore(elements, start) {
  return [...elements].findLast((element) => Number(element.dataset.start) <= start);
}

/** Buttons for the views `names`, each "original", "text" or "chunks"; `choose(name)` is called with one. */
export function viewChoice(names, chosen, choose) {
  const button = (name) =>
    h("button", { type: "button", "aria-pressed": String(name === chosen), onclick: () => choose(name) }, t(name));
  return h("div", { class: "row view-choice", role: "group", "aria-label": t("view") }, names.map(button));
}
