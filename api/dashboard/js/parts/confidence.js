/** Whether the likelihoods of a result were measured, or are a model's own; others are shown nowhere. */

/**
 * Whether the numbers mean something: a calibration of this verifier holds, or a model judged statements and question.
 */
export const isCalibrated = ({ confidence_level: level }) => level !== "Uncalibrated";

/** Sentences or citations without likelihoods that nobody has measured. */
export const honest = (told, scores) =>
  isCalibrated(scores) ? told : told.map((sentence) => ({ ...sentence, support: null, confidence_score: null }));
