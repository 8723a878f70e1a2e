/** From where to where an axis goes, and how its days are written. */
import { language } from "../i18n.js";

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** `{ low, high }` that holds 0, all `values` and the `limit`, in round numbers; 0 to 1 where it is `whole`. */
export function range(values, limit = 0, whole = false) {
  if (whole) return { low: 0, high: 1 };
  const least = Math.min(...values, limit);
  const most = Math.max(...values, limit * 1.2); // above its line, so that it is seen as one
  return { low: least < 0 ? -rounded(-least) : 0, high: most > 0 ? rounded(most) : 0.1 };
}

const rounded = (value) => STEPS.find((step) => step >= value) || Math.ceil(value);

/** What is written beside the axis, from its top down. */
export const labels = ({ low, high }) => [high, (low + high) / 2, low];

/** A day as the API tells it (`2026-11-22`), in words; it is one of UTC, wherever it is read. */
export function day(text) {
  const format = new Intl.DateTimeFormat(language(), { day: "numeric", month: "short", timeZone: "UTC" });
  return format.format(new Date(`${text}T00:00:00Z`));
}
