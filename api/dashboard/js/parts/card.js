/** A card beside a button: opened by hover, focus or tap, closed by Escape, by leaving it or by a tap elsewhere. */
import { h, show } from "../dom.js";

const OPEN_MS = 120;
const CLOSE_MS = 250;
const GAP = 8;
let shown = null;
let timer = 0;

/**
 * Let `button` open a card called `label`; `content()` makes what is in it, each time. The card stands behind the
 * button in the document, so Tab goes into it.
 */
export function opensCard(button, { label, content }) {
  button.setAttribute("aria-expanded", "false");
  button.addEventListener(
    "pointerenter",
    (event) => event.pointerType === "mouse" && later(OPEN_MS, () => open(button, label, content)),
  );
  button.addEventListener("pointerleave", leave);
  button.addEventListener("focus", () => button.matches(":focus-visible") && open(button, label, content));
  button.addEventListener("focusout", left);
  button.addEventListener("click", () => {
    const pinned = shown?.button === button && shown.pinned;
    if (pinned) return close();
    open(button, label, content);
    shown.pinned = true;
  });
  return button;
}

function open(button, label, content) {
  clearTimeout(timer);
  if (shown?.button === button && shown.card.isConnected) return;
  close();
  const card = h("div", { class: "floating", popover: "manual", role: "group", "aria-label": label });
  card.addEventListener("pointerenter", () => clearTimeout(timer));
  card.addEventListener("pointerleave", leave);
  card.addEventListener("focusout", left);
  show(card, content());
  button.after(card);
  card.showPopover();
  button.setAttribute("aria-expanded", "true");
  shown = { button, card, pinned: false };
  place();
  keepInSight(button, card);
}

/** On a phone the card covers the lower part of the page: what it is about moves above it. */
function keepInSight(button, card) {
  const hidden = button.getBoundingClientRect().bottom + GAP - card.getBoundingClientRect().top;
  if (matchMedia("(max-width: 40rem)").matches && hidden > 0) scrollBy({ top: hidden, behavior: "instant" });
}

function close() {
  clearTimeout(timer);
  if (!shown) return;
  shown.button.setAttribute("aria-expanded", "false");
  shown.card.remove();
  shown = null;
}

function later(delay, act) {
  clearTimeout(timer);
  timer = setTimeout(act, delay);
}

/** The pointer went: close, unless it was tapped open or the keyboard is in it. */
function leave() {
  later(CLOSE_MS, () => {
    if (shown && !shown.pinned && !shown.card.contains(document.activeElement)) close();
  });
}

/** The keyboard went: close, unless it went from the button into the card or back. */
function left(event) {
  const to = event.relatedTarget;
  if (shown && to && to !== shown.button && !shown.card.contains(to)) close();
}

function place() {
  if (!shown) return;
  const { button, card } = shown;
  const at = button.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const below = at.bottom + GAP + height <= innerHeight || at.top < height + GAP;
  card.style.setProperty("--left", `${Math.max(GAP, Math.min(at.left - 16, innerWidth - width - GAP))}px`);
  const top = below ? at.bottom + GAP : at.top - GAP - height;
  // Where there is room neither below nor above, the whole of it is still within the window.
  card.style.setProperty("--top", `${Math.max(GAP, Math.min(top, innerHeight - height - GAP))}px`);
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !shown) return;
  const { button, card } = shown;
  // While the card is open: a button that gets the keyboard would open it again.
  if (card.contains(document.activeElement)) button.focus();
  close();
});
document.addEventListener("pointerdown", (event) => {
  if (
    shown &&
    event.target !== shown.button &&
    !shown.button.contains(event.target) &&
    !shown.card.contains(event.target)
  )
    close();
});
addEventListener("scroll", place, { passive: true, capture: true });
addEventListener("resize", place);
