/**
 * The states of a sentence (and of a claim in it) and of a citation: a word, an icon and a colour; never the colour
 * alone. The words are those of the command line: one fact has one word everywhere.
 */
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words("parts/verdict");

const ICONS = {
  supported: "✓",
  partial: "◐",
  contradicted: "✕",
  unsupported: "!",
  no_claim: "–",
  not_checked: "?",
  accurate: "✓",
  inaccurate: "✕",
  uncertain: "?",
  dangling: "✕",
};
const TONES = { accurate: "supported", inaccurate: "contradicted", uncertain: "not_checked", dangling: "contradicted" };

export const STATES = ["supported", "partial", "contradicted", "unsupported", "no_claim", "not_checked"];
export const toneOf = (state) => TONES[state] || state;
export const verdictWord = (state) => t(state);
export const verdictIcon = (state) => ICONS[state] || "·";

/** A badge with icon and word. */
export function verdict(state) {
  return h(
    "span",
    { class: `badge ${toneOf(state)}` },
    h("span", { "aria-hidden": "true" }, verdictIcon(state)),
    verdictWord(state),
  );
}
