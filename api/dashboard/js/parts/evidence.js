/** Words of a source where they stand: the passage around them, the document, page and section, and the way there. */
import { h } from "../dom.js";
import { number, words } from "../i18n.js";
import { points } from "../points.js";

const t = words("parts/evidence");

const AROUND = 240;
const MARKDOWN = /\.(md|markdown|mdx)$/i;

/** Words of a document as its reader sees them: without marks of Markdown, the cells of a row parted by a bar. */
export function readable(text, document = "") {
  const plain = MARKDOWN.test(document)
    ? text
        .replace(/^([\uFDD0\uFDD1]?) {0,3}#{1,6}[ \t]+/gm, "$1")
        .replace(/^[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|?)+[ \t]*$\n?/gm, "")
        .replace(/^([\uFDD0\uFDD1]?)[ \t]*\|[ \t]*|[ \t]*(?<!\\)\|[ \t]*([\uFDD0\uFDD1]?)$/gm, "$1$2")
        .replace(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, "$2")
    : text;
  return plain.replace(/ *\t */g, " | ");
}

// Characters that no text is written with: marks of Markdown are found by what stands around them, also around a word
// that is marked.
const OPENS = "\uFDD0";
const CLOSES = "\uFDD1";

/** `text` as its reader sees it, with the words of `spans` (`{ start, end }` in code points, in order) marked. */
export function readableMarked(text, spans, document) {
  const measured = points(text.replace(/[\uFDD0\uFDD1]/g, "\uFFFD"));
  let whole = "";
  let from = 0;
  for (const { start, end } of spans) {
    whole += measured.slice(from, start) + OPENS + measured.slice(start, end) + CLOSES;
    from = end;
  }
  const parts = readable(whole + measured.slice(from), document).split(/[\uFDD0\uFDD1]/);
  return parts.map((part, place) => (place % 2 ? h("mark", {}, part) : part));
}

/**
 * `text` of `document` with the words from `start` to `end` (code points) marked; what is further away than `around` is
 * left out.
 */
export function passage({ text, start, end, around = AROUND, document }) {
  const measured = points(text);
  const from = Math.max(0, start - around);
  const to = Math.min(measured.length, end + around);
  return h(
    "blockquote",
    { class: "passage", dir: "auto" },
    from > 0 && "… ",
    readableMarked(measured.slice(from, to), [{ start: start - from, end: end - from }], document),
    to < measured.length && " …",
  );
}

/**
 * The passage that holds a piece of evidence: `source` tells `chunk_id`, `source_start`, `source_end`; `passages` are
 * those of the answer; `quote` is shown alone when the passage is not among them.
 */
export function evidence(source, quote, passages) {
  const origin = passages.find(
    (candidate) => candidate.chunk_id === source.chunk_id && candidate.document_id === source.document_id,
  );
  const start = source.source_start - (origin?.start_index ?? 0);
  const end = source.source_end - (origin?.start_index ?? 0);
  const exact = origin && oneLine(points(origin.text).slice(start, end)) === oneLine(quote);
  const document = source.document_name ?? source.document;
  if (exact) return passage({ text: origin.text, start, end, document });
  return h("blockquote", { class: "passage", dir: "auto" }, h("mark", {}, readable(quote || t("none"), document)));
}

const LONGEST_PHRASE = 24;

/** What `reason` says besides the quote that is shown with it; "" where it only introduces the quote. */
export function besidesQuote(reason, quote) {
  const said = oneLine(reason || "");
  const words = oneLine(quote || "");
  const introduces = words && said.includes(words) && said.length - words.length <= LONGEST_PHRASE;
  return introduces ? "" : said;
}

const oneLine = (text) => text.split(/\s+/).join(" ").trim();

const FIGURES = ["alternative_text", "caption", "chart"];

/** `refund-policy.pdf · page 2 · 2.3 Holiday season · caption of a figure`. */
export function placeOf(place) {
  const { document_name: name, page_number: page, section, cells } = place;
  return h(
    "span",
    { class: "place" },
    h("bdi", { class: "name" }, name),
    page !== null && page !== undefined && [" · ", t("page", { n: number(page) })],
    section && [" · ", h("bdi", {}, section)],
    cells && [" · ", h("bdi", {}, cellsText(cells))],
    marksOf(place).map((mark) => [" · ", mark]),
  );
}

/** What is said of text: what of a picture it is, how surely it was recognised, and the copies that have it too. */
export function marksOf({ figure, recognised_confidence: sure, corrected, also_in: copies }) {
  const recognised = sure === null || sure === undefined ? null : t("recognised", { n: sure.toFixed(2) });
  const also = copies?.length > 0 && t("alsoIn", { names: copies.map((copy) => copy.document_name).join(", ") });
  return [FIGURES.includes(figure) && t(figure), recognised, corrected && t("corrected"), also].filter(Boolean);
}

/** `A5:D5`, as spreadsheets write it. */
export function cellsText({ row, last_row: lastRow, column, last_column: lastColumn }) {
  const [first, last] = [`${column}${row}`, `${lastColumn}${lastRow}`];
  return first === last ? first : `${first}:${last}`;
}

/** The same as text, for labels and for copying. */
export function placeText(place) {
  const { document_name: name, page_number: page, section, cells } = place;
  return [name, page && t("page", { n: page }), section, cells && cellsText(cells), ...marksOf(place)]
    .filter(Boolean)
    .join(", ");
}

/** A link to the place in the document; what is no document brings its own `link`, an element for each time. */
export function openLink({ document_id: id, source_start: start, source_end: end, link }) {
  return link?.() || h("a", { class: "open-link", href: `#/document/${id}?start=${start}&end=${end}` }, t("open"));
}
