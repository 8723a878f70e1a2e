/** The pages of a PDF as pictures, with the cited words marked on them. A picture is there while its page is near. */
import { h } from "../dom.js";
import { send, withQuery } from "../http.js";
import { number, words } from "../i18n.js";
import { pause } from "../pause.js";
import { told } from "./notices.js";

const t = words("parts/pictures");

const SETTLED_MS = 120;
const TRIES = 5;
const STEP = 100;
const WIDEST = 2400;
const USUAL = [595, 842]; // A4 in points, for pages whose size is not known

/**
 * A leaf for each of `pages` of a layout; `marked` has the boxes of the API by page, `textOf(box)` the words of one.
 */
export function pictures(path, pages, marked, textOf, signal) {
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries)
        target.dispatchEvent(new CustomEvent(isIntersecting ? "near" : "far"));
    },
    { rootMargin: "100% 0px" },
  );
  signal.addEventListener("abort", () => near.disconnect());
  const boxes = new Map(marked.map((page) => [page.number, page]));
  const element = h(
    "div",
    { class: "leaves" },
    pages.map((page) => leaf(path, page, boxes.get(page.number), textOf, near, signal)),
  );
  // Of the element: a side bar that folds makes room as well as a larger window does.
  const room = new ResizeObserver(() => {
    for (const paper of element.querySelectorAll(".paper")) paper.dispatchEvent(new CustomEvent("resized"));
  });
  room.observe(element);
  signal.addEventListener("abort", () => room.disconnect());
  return element;
}

function leaf(path, { number: n, width, height }, marked, textOf, near, signal) {
  const [wide, high] = width ? [width, height] : USUAL;
  const canvas = h("canvas", { role: "img", "aria-label": t("picture", { n: number(n) }) });
  const paper = h(
    "div",
    { class: "paper", style: { "--wide": String(wide), "--high": String(high) } },
    canvas,
    marked?.boxes.length > 0 && mark(marked, textOf),
  );
  let current = null;
  let drawn = 0;
  const drawNow = () => {
    current?.abort();
    current = new AbortController();
    drawn = wantedWidth(paper);
    draw(
      canvas,
      paper,
      withQuery(`${path}/pages/${n}/image`, { width: drawn }),
      AbortSignal.any([signal, current.signal]),
    );
  };
  paper.addEventListener("near", drawNow);
  paper.addEventListener("resized", () => {
    if (current && wantedWidth(paper) > drawn) drawNow();
  }); // a larger window, or zoomed
  paper.addEventListener("far", () => {
    current?.abort();
    current = null;
    canvas.width = canvas.height = 0; // a long document would fill the memory
  });
  near.observe(paper);
  return h(
    "section",
    { class: "leaf picture", dataset: { page: n }, "aria-label": t("page", { n }) },
    h("h2", { class: "page-number" }, t("page", { n: number(n) })),
    paper,
  );
}

const wantedWidth = (paper) =>
  Math.min(WIDEST, Math.max(2 * STEP, Math.ceil((paper.clientWidth * devicePixelRatio) / STEP) * STEP));

async function draw(canvas, paper, path, signal) {
  paper.querySelector(".problem")?.remove();
  try {
    const sent = await picked(path, signal);
    if (!sent) return;
    const picture = await createImageBitmap(await sent.blob());
    if (signal.aborted) return;
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d").drawImage(picture, 0, 0);
    picture.close();
  } catch (error) {
    if (!signal.aborted) paper.append(h("p", { class: "problem" }, told(error)));
  }
}

/**
 * The response, once the page stays near: who scrolls through a book asks for none of its pages. Null when it went
 * away.
 */
async function picked(path, signal) {
  await pause(SETTLED_MS, signal);
  for (let left = TRIES; !signal.aborted; left -= 1) {
    try {
      return await send(path, { signal });
    } catch (error) {
      if (error.status !== 503 || left === 0) throw error;
      await pause(1000 * (error.retryAfter || 2), signal);
    }
  }
  return null;
}

/** One mark around all boxes of a page: as a whole it is brought into sight and read out. */
function mark({ width, height, boxes }, textOf) {
  const around = {
    left: Math.min(...boxes.map((box) => box.left)),
    top: Math.min(...boxes.map((box) => box.top)),
    right: Math.max(...boxes.map((box) => box.right)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
  return h(
    "mark",
    { class: "cited on-picture", style: placed(around, { left: 0, top: 0, right: width, bottom: height }) },
    boxes.map((box, at) => [
      at > 0 && textOf({ start: boxes[at - 1].end, end: box.start }),
      h("span", { class: "box", style: placed(box, around) }, h("span", { class: "sr-only" }, textOf(box))),
    ]),
  );
}

/** Where `box` is within `whole`, in shares of it. */
function placed(box, whole) {
  const [wide, high] = [whole.right - whole.left || 1, whole.bottom - whole.top || 1];
  const share = (part, all) => `${((100 * part) / all).toFixed(3)}%`;
  return {
    left: share(box.left - whole.left, wide),
    top: share(box.top - whole.top, high),
    width: share(box.right - box.left, wide),
    height: share(box.bottom - box.top, high),
  };
}
