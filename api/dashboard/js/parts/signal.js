/**
 * The signal of an answer as the API tells it: its word in its colour, never the colour alone, and the sentence behind
 * it.
 */
import { h } from "../dom.js";

const TONES = { green: "supported", amber: "partial", red: "contradicted", grey: "no_claim" };
const ICONS = { green: "✓", amber: "◐", red: "✕", grey: "–" };

export const signalTone = ({ level }) => TONES[level];

/** The word with its sign. */
export function signalBadge(signal) {
  return h(
    "span",
    { class: `badge signal ${signalTone(signal)}` },
    h("span", { "aria-hidden": "true" }, ICONS[signal.level]),
    signal.word,
  );
}

/** The word and why, above an answer. */
export const signalLine = (signal) =>
  h("p", { class: "signal-line" }, signalBadge(signal), " ", h("span", { class: "small" }, signal.reason));
