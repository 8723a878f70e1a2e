/** The steps of a question in words: what was left out, or given up, is told by its step. */
import { words } from "../i18n.js";

const t = words("parts/steps");

/** One that a newer server has is told by its own name. */
export const stepName = (step) => t(step);
