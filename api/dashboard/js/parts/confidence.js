/** The confidence of a result, told where it was measured how often it is right, or where it is a model's own. */
import { h } from "../dom.js";
import { percent, words } from "../i18n.js";

const t = words({ en: { uncalibrated: "not calibrated" }, ko: { uncalibrated: "보정 안 됨" } });

/** Whether the number means something: a calibration of this verifier holds, or a model judged statements and question. */
export const isCalibrated = ({ confidence_level: level }) => level !== "Uncalibrated";

/** The number, or in small words that there is none. */
export function confidenceOf(scores) {
  if (scores.confidence === null || scores.confidence === undefined) return "–";
  return isCalibrated(scores) ? percent(scores.confidence) : h("span", { class: "small muted" }, t("uncalibrated"));
}

/** Sentences or citations without likelihoods that nobody has measured. */
export const honest = (told, scores) => (isCalibrated(scores) ? told : told.map((one) => ({ ...one, support: null, confidence_score: null })));
