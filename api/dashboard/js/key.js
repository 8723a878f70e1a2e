/** The API key of this tab: kept until the tab is closed, sent only to this server. */
const NAME = "citewell.key";

export const storedKey = () => sessionStorage.getItem(NAME) || "";

export function storeKey(key) {
  if (key) sessionStorage.setItem(NAME, key);
  else sessionStorage.removeItem(NAME);
}
