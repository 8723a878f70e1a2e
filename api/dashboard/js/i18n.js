/**
 * Korean and English. Each page brings its words: `const t = words({ en: {…}, ko: {…} })`, then `t("name", { n: 3 })`.
 */
const NAME = "citewell.language";
export const LANGUAGES = { en: "English", ko: "한국어" };

export function language() {
  const chosen = localStorage.getItem(NAME);
  if (chosen in LANGUAGES) return chosen;
  return navigator.languages.some((tag) => tag.startsWith("ko")) ? "ko" : "en";
}

export function chooseLanguage(name) {
  localStorage.setItem(NAME, name);
}

/**
 * A function from names to words in the language of the moment. `{n}` in them is replaced, `{n:page|pages}` is the
 * first word for 1, else the second. A missing name is told as it is.
 */
export function words(dictionary) {
  return (name, values = {}) => {
    const text = dictionary[language()]?.[name] ?? dictionary.en[name] ?? name;
    return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, key, singular, more) =>
      singular === undefined ? String(values[key] ?? "") : String(values[key]) === "1" ? singular : more,
    );
  };
}

export const percent = (value, digits = 0) =>
  value === null || value === undefined
    ? "–"
    : new Intl.NumberFormat(language(), { style: "percent", maximumFractionDigits: digits }).format(value);
export const number = (value, digits = 0) =>
  value === null || value === undefined
    ? "–"
    : new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(value);
export const dollars = (value) =>
  new Intl.NumberFormat(language(), { style: "currency", currency: "USD", maximumSignificantDigits: 3 }).format(
    value ?? 0,
  );
export const moment = (text) =>
  text ? new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(text)) : "–";
export const seconds = (value) =>
  value === null || value === undefined ? "–" : `${number(value, 1)}${language() === "ko" ? "초" : " s"}`;
/** A language in the language of the page: `ko` is "Korean" or "한국어". */
export const languageName = (code) => new Intl.DisplayNames([language()], { type: "language" }).of(code);
