/** Words for how far a document has come. */
import { language, number, words } from "../i18n.js";

const t = words("parts/ingestion");

const TONES = { ready: "supported", failed: "contradicted", superseded: "no_claim" };
const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

export const DOCUMENT_STATES = ["queued", "processing", "ready", "failed", "superseded"];
export const stageWord = (stage) => t(stage);
export const documentTone = (status) => TONES[status] || "not_checked";

/**
 * How far a document has come: `{ done, total, words }`. Pages of a scan are counted while they are recognised, then
 * its passages, which `passages(done, total)` words.
 */
export function progressOf(
  { chunks_done: chunks, chunks_total: all, pages_recognised: pages, pages_to_recognise: scanned },
  passages,
) {
  if (all || !scanned) return { done: chunks, total: all, words: all && passages(number(chunks), number(all)) };
  return { done: pages, total: scanned, words: t("page", { done: number(pages), total: number(scanned) }) };
}

/** 1536 is 1.5 kB, in the language of the moment. */
export function bytes(size) {
  const step = size < 1000 ? 0 : Math.min(Math.floor(Math.log10(size) / 3), UNITS.length - 1);
  const format = { style: "unit", unit: UNITS[step], unitDisplay: step ? "short" : "narrow", maximumFractionDigits: 1 };
  return new Intl.NumberFormat(language(), format).format(size / 1000 ** step);
}
