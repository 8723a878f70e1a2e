/**
 * Korean and English. All texts of the page stand in texts.en.json and texts.ko.json, by the module that shows them:
 * `const t = words("pages/ask")`, then `t("name", { n: 3 })`. Those of the first page are there before any module uses
 * them; what loads another module waits for `allTexts()`.
 */
const NAME = "citewell.language";
export const LANGUAGES = { en: "English", ko: "한국어" };
const texts = {};
const loading = {};

export function language() {
  const chosen = localStorage.getItem(NAME);
  if (chosen in LANGUAGES) return chosen;
  return navigator.languages.some((tag) => tag.startsWith("ko")) ? "ko" : "en";
}

export async function chooseLanguage(name) {
  await allTexts(name);
  localStorage.setItem(NAME, name);
}

export async function allTexts(name = language()) {
  try {
    texts[name] = await (loading[name] ??= read(`texts.${name}.json`));
  } catch (error) {
    loading[name] = null; // it is tried again
    throw error;
  }
}

async function read(file) {
  return (await fetch(new URL(`../${file}`, import.meta.url))).json();
}

texts[language()] = await read(`texts.${language()}.first.json`);
window.addEventListener("storage", () => allTexts()); // the language may have been chosen in another tab

/**
 * A function from names to words in the language of the moment. `{n}` in them is replaced, `{n:page|pages}` is the
 * first word for 1, else the second. A missing name is shown as it is, and told to the console.
 */
export function words(group) {
  return (name, values = {}) => {
    const text = (texts[language()] ?? Object.values(texts)[0])[group]?.[name] ?? missing(group, name);
    return text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, key, singular, more) =>
      singular === undefined ? String(values[key] ?? "") : String(values[key]) === "1" ? singular : more,
    );
  };
}

function missing(group, name) {
  console.warn(`no text in ${group}: ${name}`);
  return name;
}

const formats = new Map();

/** A formatter of `Intl`, made once for its options: a page of many numbers would spend its time making them. */
function format(Kind, options) {
  const key = JSON.stringify([language(), options]);
  if (!formats.has(key)) formats.set(key, new Kind(language(), options));
  return formats.get(key);
}

const figure = (value, options) =>
  value === null || value === undefined ? "–" : format(Intl.NumberFormat, options).format(value);
export const percent = (value, digits = 0) => figure(value, { style: "percent", maximumFractionDigits: digits });
export const number = (value, digits = 0) => figure(value, { maximumFractionDigits: digits });
export const dollars = (value) =>
  figure(value ?? 0, { style: "currency", currency: "USD", maximumSignificantDigits: 3 });
const date = (text, options) => format(Intl.DateTimeFormat, options).format(new Date(text));
export const moment = (text) => (text ? date(text, { dateStyle: "medium", timeStyle: "short" }) : "–");
export const day = (text) => date(text, { dateStyle: "medium" });
export const seconds = (value) =>
  value === null || value === undefined ? "–" : `${number(value, 1)}${language() === "ko" ? "초" : " s"}`;
/** A language in the language of the page: `ko` is "Korean" or "한국어". */
export const languageName = (code) => new Intl.DisplayNames([language()], { type: "language" }).of(code);
