/**
 * What the API says in English, in the language of the page: errors, and the reasons of verdicts, repairs and refusals,
 * which are kept with an answer in the words that they were written in. All texts stand in messages.ko.json: a template
 * of the source, such as "the source does not have {1}", with its Korean; tests/api/test_messages.py says of every
 * template that it has one.
 */
// Members of the API's JSON that hold such texts. What a model or a person wrote in one of them is in no table, and
// stays.
const TOLD = new Set([
  "reason",
  "abstain_reason",
  "disabled_reason",
  "explanation",
  "reasoning",
  "message",
  "detail",
  "error",
  "issues",
  "suggested_corrections",
  "stopped",
  "withheld",
  "noticed",
  "word",
  "tried",
  "found",
  "problem",
  "reading_notes",
]);
const QUOTED = /(“[^”]*”)/;
// It is asked for with this module, not with the first reason.
let table = load();

/** `json` of the API with its texts in Korean. Other members are as they were. */
export async function inLanguage(json) {
  table ??= load();
  return walked(json, await table);
}

async function load() {
  try {
    const response = await fetch(new URL("../messages.ko.json", import.meta.url));
    return reader(await response.json());
  } catch {
    table = null; // it is tried again
    return (text) => text;
  }
}

function walked(value, read) {
  if (Array.isArray(value)) return value.map((item) => walked(item, read));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!TOLD.has(name)) return [name, walked(member, read)];
      if (typeof member === "string") return [name, read(member)];
      return [
        name,
        Array.isArray(member)
          ? member.map((item) => (typeof item === "string" ? read(item) : walked(item, read)))
          : walked(member, read),
      ];
    }),
  );
}

/** A function that reads a text of the API in the language of `messages`. */
export function reader(messages) {
  const plain = new Map();
  const open = []; // with something put in
  for (const [english, own] of Object.entries(messages)) {
    if (/\{\w+\}/.test(english)) open.push(template(english, own));
    else plain.set(english, own);
  }
  // The one with the most words of its own says most.
  open.sort((left, right) => right.weight - left.weight);
  // What may be made of several: it has a semicolon of its own, or another sentence behind it.
  const whole = open.filter((pattern) => /; |\.\{\w+\}$/.test(pattern.english));
  const known = new Map();
  function read(text) {
    if (!known.has(text)) known.set(text, translated(text));
    return known.get(text);
  }
  function translated(text) {
    if (plain.has(text)) return plain.get(text);
    const bare = text.trim();
    if (bare !== text) return bare ? text.replace(bare, () => read(bare)) : text;
    const parts = apart(text);
    const put = filled(parts.length > 1 ? whole : open, text, read);
    if (put !== null) return put;
    return parts.length > 1 ? parts.map(read).join("; ") : text;
  }
  return read;
}

function template(english, own) {
  const names = [...english.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const pieces = english.split(/\{\w+\}/);
  const literal = pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // What stands in quotation marks ends with the first of them; only where nothing fits so, with a later one.
  const quoted = literal.reduce((before, piece) => `${before}${before.endsWith("“") ? "([^”]*?)" : "(.*?)"}${piece}`);
  const expressions = [quoted, literal.join("(.*?)")].map((pattern) => new RegExp(`^${pattern}$`, "s"));
  return { english, own, names, begins: pieces[0], ends: pieces.at(-1), weight: pieces.join("").length, expressions };
}

/** The first of `templates` that `text` is made of, with what is put in read as well; null for none. */
function filled(templates, text, read) {
  const near = templates.filter(({ begins, ends }) => text.startsWith(begins) && text.endsWith(ends));
  for (const strictness of [0, 1]) {
    for (const { own, names, expressions } of near) {
      const match = expressions[strictness].exec(text);
      if (match) return own.replace(/\{(\w+)\}/g, (_, name) => read(match[names.indexOf(name) + 1] ?? ""));
    }
  }
  return null;
}

/** Reasons that were put together with semicolons; those within quotations are words of somebody. */
function apart(text) {
  const parts = [""];
  for (const piece of text.split(QUOTED)) {
    const [first, ...others] = QUOTED.test(piece) ? [piece] : piece.split("; ");
    parts[parts.length - 1] += first;
    parts.push(...others);
  }
  return parts;
}
