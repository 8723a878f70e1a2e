/**
 * The API key of this page: kept until its tab is closed, or in this browser where that was wanted; sent to this server
 * only.
 */
const NAME = "citewell.key";

export const storedKey = () => sessionStorage.getItem(NAME) || localStorage.getItem(NAME) || "";

/** Whether it stays in this browser when the tab is closed. */
export const isKept = () => localStorage.getItem(NAME) !== null;

export function storeKey(key, { keep = false } = {}) {
  forgetKey();
  if (key) (keep ? localStorage : sessionStorage).setItem(NAME, key);
}

export function forgetKey() {
  sessionStorage.removeItem(NAME);
  localStorage.removeItem(NAME);
}
