/** The confidence of a result, told only where it has been measured how often it is right. */
import { h } from "../dom.js";
import { percent, words } from "../i18n.js";

const t = words({ en: { uncalibrated: "not calibrated" }, ko: { uncalibrated: "보정 안 됨" } });

/** Whether the number means something: a calibration of this verifier holds. */
export const isCalibrated = ({ confidence_level: level }) => level !== "Uncalibrated";

/** The number, or in small words that there is none. */
export function confidenceOf(scores) {
  if (scores.confidence === null || scores.confidence === undefined) return "–";
  return isCalibrated(scores) ? percent(scores.confidence) : h("span", { class: "small muted" }, t("uncalibrated"));
}

/** Sentences or citations without likelihoods that nobody has measured. */
export const honest = (told, scores) => (isCalibrated(scores) ? told : told.map((one) => ({ ...one, support: null, confidence_score: null })));
