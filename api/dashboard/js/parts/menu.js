/** A button that opens a small panel below it: closed by Escape, by a tap elsewhere, and by a button in it. */
import { h, show } from "../dom.js";

const GAP = 4;

/** `[button, panel]`; `content(close)` makes what is in it, each time it opens. */
export function menu(label, content) {
  const panel = h("div", { class: "menu", popover: "auto", role: "group", "aria-label": label });
  const close = () => panel.hidePopover();
  const button = h(
    "button",
    { type: "button", class: "plain small", "aria-expanded": "false" },
    label,
    h("span", { "aria-hidden": "true" }, "▾"),
  );
  button.popoverTargetElement = panel;
  panel.addEventListener("click", (event) => event.target.closest("button:not([aria-pressed])") && close());
  panel.addEventListener("beforetoggle", ({ newState }) => {
    button.setAttribute("aria-expanded", String(newState === "open"));
    if (newState !== "open") return;
    show(panel, content(close));
    place(button, panel);
  });
  // Its size is known when it is shown.
  panel.addEventListener("toggle", () => place(button, panel));
  return [button, panel];
}

function place(button, panel) {
  const { left, top, bottom } = button.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const below = bottom + GAP + height <= innerHeight || top < height + GAP;
  panel.style.setProperty("--left", `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`);
  panel.style.setProperty("--top", `${below ? bottom + GAP : top - GAP - height}px`);
}
