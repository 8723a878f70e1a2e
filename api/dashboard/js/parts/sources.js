/** Given sources with the words marked that verdicts rest on; each mark says which sentences it is for. */
import { h, show } from "../dom.js";
import { send } from "../http.js";
import { number, words } from "../i18n.js";
import { points } from "../points.js";
import { trouble } from "./notices.js";
import { toneOf } from "./verdict.js";

const t = words("parts/sources");

const WHOLE = 4000; // characters that are shown as they are; of more, what surrounds the marks
const AROUND = 400;
const WORST = ["contradicted", "unsupported", "partial", "not_checked", "supported", "no_claim"];

/**
 * `places` are `{ number, start, end, sentence, status }` in code points of the source's text. `readText(number)`
 * resolves to it. Returns `{ element, reveal(number, start) }`; `reveal` opens a source and goes to the mark that
 * begins there.
 */
export function markedSources(sources, places, readText) {
  const boxes = new Map(
    sources.map((source) => [
      source.number,
      box(
        source,
        places.filter((place) => place.number === source.number),
        readText,
      ),
    ]),
  );
  const element = h(
    "div",
    { class: "stack" },
    [...boxes.values()].map((entry) => entry.element),
  );
  async function reveal(n, start) {
    const entry = boxes.get(n);
    if (!entry) return;
    entry.element.open = true;
    await entry.drawn();
    const marks = [...entry.element.querySelectorAll("mark")];
    const mark =
      marks.find((node) => Number(node.dataset.start) <= start && start < Number(node.dataset.end)) || entry.element;
    mark.scrollIntoView({
      block: "center",
      behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    });
    mark.focus({ preventScroll: true });
  }
  return { element, reveal };
}

/** The text of a source of a verification, asked for once. */
export function sourceTexts(verificationId, signal) {
  const texts = new Map();
  return (n) => {
    if (!texts.has(n))
      texts.set(
        n,
        send(`/v1/verifications/${verificationId}/sources/${n}/text`, { signal }).then((response) => response.text()),
      );
    return texts.get(n);
  };
}

function box(source, places, readText) {
  const content = h("div", {
    class: "source-text",
    dir: "auto",
    tabindex: "0",
    role: "group",
    "aria-label": t("source", { n: source.number }),
  });
  let drawing = null;
  const drawn = () =>
    (drawing ||= readText(source.number)
      .then((text) => draw(content, text, places))
      .catch((error) => show(content, trouble(error))));
  const element = h(
    "details",
    { class: "source", tabindex: "-1", open: places.length > 0, ontoggle: () => element.open && drawn() },
    h(
      "summary",
      {},
      h("span", { class: "badge" }, number(source.number)),
      " ",
      h("bdi", {}, source.title),
      " ",
      h(
        "span",
        { class: "small muted" },
        t("characters", { n: number(source.characters) }),
        !places.length && ` · ${t("unused")}`,
      ),
    ),
    documentLink(source),
    content,
  );
  return { element, drawn };
}

function documentLink({ document_id: stored, metadata }) {
  const id = stored || metadata.document_id;
  return (
    typeof id === "string" &&
    h("div", { class: "small" }, h("a", { href: `#/document/${encodeURIComponent(id)}` }, t("open")))
  );
}

function draw(content, text, places) {
  const measured = points(text);
  const pieces = spans(places);
  if (measured.length <= WHOLE) return show(content, run(measured, 0, measured.length, pieces));
  const windows = around(pieces, measured.length);
  const all = h(
    "button",
    { type: "button", class: "small", onclick: () => show(content, run(measured, 0, measured.length, pieces)) },
    t("all"),
  );
  return show(
    content,
    windows.map(({ start, end }) => [
      start > 0 && "… ",
      run(measured, start, end, pieces),
      end < measured.length && " …\n\n",
    ]),
    h("div", {}, all),
  );
}

/** Text from `start` to `end` with its marks. */
function run(measured, start, end, pieces) {
  const shown = [];
  let cursor = start;
  for (const piece of pieces.filter((part) => part.start >= start && part.end <= end)) {
    shown.push(measured.slice(cursor, piece.start), marked(measured.slice(piece.start, piece.end), piece));
    cursor = piece.end;
  }
  return [...shown, measured.slice(cursor, end)];
}

function marked(text, { start, end, sentences, status, last }) {
  const names = sentences.map((index) => number(index + 1)).join(", ");
  return [
    h("mark", { class: toneOf(status), tabindex: "-1", dataset: { start, end } }, text),
    last &&
      h(
        "sup",
        { class: "for" },
        h("span", { class: "sr-only" }, ` (${t("for", { n: names })})`),
        h("span", { "aria-hidden": "true" }, names),
      ),
  ];
}

/**
 * Places that overlap, cut where one begins or ends: each piece knows its sentences and the worst of their verdicts.
 */
export function spans(places) {
  const cuts = [...new Set(places.flatMap(({ start, end }) => [start, end]))].sort((left, right) => left - right);
  return cuts.slice(0, -1).flatMap((start, index) => {
    const end = cuts[index + 1];
    const here = places.filter((place) => place.start <= start && place.end >= end);
    if (!here.length) return [];
    const sentences = [...new Set(here.map((place) => place.sentence))].sort((left, right) => left - right);
    const status = WORST.find((state) => here.some((place) => place.status === state)) || here[0].status;
    return [{ start, end, sentences, status, last: here.some((place) => place.end === end) }];
  });
}

function around(pieces, length) {
  const windows = [];
  for (const { start, end } of pieces) {
    const [from, to] = [Math.max(0, start - AROUND), Math.min(length, end + AROUND)];
    if (windows.length && from <= windows.at(-1).end) windows.at(-1).end = Math.max(to, windows.at(-1).end);
    else windows.push({ start: from, end: to });
  }
  return windows.length ? windows : [{ start: 0, end: AROUND * 2 }];
}
