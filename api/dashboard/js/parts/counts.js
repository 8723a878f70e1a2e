/** How many sentences are in which state, in little space: an icon and a number, and the word for screen readers. */
import { h } from "../dom.js";
import { number } from "../i18n.js";
import { STATES, toneOf, verdictIcon, verdictWord } from "./verdict.js";

/** One chip for each state that occurs in `counts`, an object from states to numbers; "–" for none. */
export function counts(counted) {
  const chips = STATES.filter((state) => counted[state]).map((state) => chip(state, counted[state]));
  return chips.length ? h("span", { class: "chips" }, chips) : "–";
}

function chip(state, count) {
  return h(
    "span",
    { class: `badge ${toneOf(state)}`, title: verdictWord(state) },
    h("span", { "aria-hidden": "true" }, verdictIcon(state)),
    number(count),
    h("span", { class: "sr-only" }, ` ${verdictWord(state)} `),
  );
}
