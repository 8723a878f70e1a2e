/** A line over time: values by pointer and by arrow keys, gaps where there is nothing, the same as a table. */
import { h, show, svg } from "../dom.js";
import { number, words } from "../i18n.js";
import { day, labels, range } from "./scale.js";
import { table } from "./table.js";

const t = words("parts/chart");

/**
 * `points`: `{ start, value, count }`, the oldest first, `value` null where there is none; `format(value)` writes a
 * value; `target` as the API tells it or null; `whole` keeps the axis at 0 to 1.
 */
export function chart({ title, points, bucket, format, target, whole }) {
  const known = points.filter(({ value }) => value !== null);
  if (!known.length) return h("p", { class: "muted small chart-empty" }, t("empty"));
  const scale = range(
    known.map(({ value }) => value),
    target?.limit,
    whole,
  );
  const across = (place) => (points.length === 1 ? 50 : (place / (points.length - 1)) * 100);
  const up = (value) => ((value - scale.low) / (scale.high - scale.low)) * 100;
  const name = ({ start }) => (bucket === "week" ? t("week", { day: day(start) }) : day(start));
  const plot = plotted({ title, points, across, up, target, tell: (point) => told(point, format), name });
  return h(
    "div",
    { class: "chart" },
    h(
      "div",
      { class: "chart-y number small muted", "aria-hidden": "true" },
      labels(scale).map((value) => h("span", {}, format(value))),
    ),
    plot,
    h(
      "div",
      { class: "chart-x small muted", "aria-hidden": "true" },
      ends(points).map((point) => h("span", {}, day(point.start))),
    ),
    h("details", { class: "small" }, h("summary", {}, t("table")), asTable(title, known, name, format)),
  );
}

function told({ value, count }, format) {
  if (value === null) return t("nothing");
  return t("of", { value: format(value), n: number(count) });
}

function ends(points) {
  return points.length > 2 ? [points[0], points[points.length >> 1], points.at(-1)] : points;
}

function plotted({ title, points, across, up, target, tell, name }) {
  const tip = h("div", { class: "chart-tip small", hidden: true, "aria-hidden": "true" });
  const spot = h("div", { class: "chart-spot", hidden: true });
  const state = { at: points.findLastIndex(({ value }) => value !== null) };
  const element = h(
    "div",
    {
      class: "chart-plot",
      role: "slider",
      tabindex: "0",
      "aria-label": title,
      "aria-valuemin": "0",
      "aria-valuemax": String(points.length - 1),
      "aria-orientation": "horizontal",
      onfocus: () => move(state.at),
      onblur: hide,
      onkeydown: key,
      onpointermove: (event) => move(under(event)),
      onpointerdown: (event) => move(under(event)),
      onpointerleave: hide,
    },
    drawn(points, across, up, target),
    target && h("span", { class: "chart-target small", style: { "--y": `${up(target.limit)}%` } }, t("target")),
    spot,
    tip,
  );

  const under = (event) => {
    const box = element.getBoundingClientRect();
    return Math.round(((event.clientX - box.left) / box.width) * (points.length - 1));
  };
  function say(place) {
    state.at = Math.min(points.length - 1, Math.max(0, place));
    const point = points[state.at];
    element.setAttribute("aria-valuenow", String(state.at));
    element.setAttribute("aria-valuetext", `${name(point)}: ${tell(point)}`);
    return point;
  }
  function move(place) {
    const point = say(place);
    const x = across(state.at);
    for (const shape of [tip, spot]) shape.style.setProperty("--x", `${x}%`);
    tip.classList.toggle("left", x > 50);
    show(tip, h("strong", {}, tell(point)), h("div", {}, name(point)));
    tip.hidden = false;
    spot.hidden = point.value === null;
    if (point.value !== null) spot.style.setProperty("--y", `${up(point.value)}%`);
  }
  function hide() {
    if (document.activeElement === element && element.matches(":focus-visible")) return move(state.at);
    tip.hidden = spot.hidden = true;
  }
  function key(event) {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -points.length, End: points.length }[
      event.key
    ];
    if (event.key === "Escape") tip.hidden = true;
    if (!step) return;
    event.preventDefault();
    move(state.at + step);
  }
  say(state.at);
  return element;
}

/** Lines are as thick as they are however the picture is stretched, and a dot is a line of no length. */
function drawn(points, across, up, target) {
  const at = (place) => `${across(place).toFixed(2)} ${(100 - up(points[place].value)).toFixed(2)}`;
  const line = points.map(
    ({ value }, place) =>
      value !== null &&
      `${points[place - 1]?.value === undefined || points[place - 1].value === null ? "M" : "L"}${at(place)}`,
  );
  const dots = points.map(({ value }, place) => value !== null && `M${at(place)}h0`);
  const y = target && (100 - up(target.limit)).toFixed(2);
  return svg(
    "svg",
    { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
    [0, 50, 100].map((height) => svg("path", { class: "grid", d: `M0 ${height}H100` })),
    target && svg("path", { class: "aim", d: `M0 ${y}H100` }),
    svg("path", { class: "line", d: line.filter(Boolean).join("") }),
    svg("path", { class: "dots", d: dots.filter(Boolean).join("") }),
  );
}

function asTable(caption, known, name, format) {
  return table({
    caption,
    rows: known.toReversed(),
    columns: [
      { name: t("when"), value: (point) => point.start, cell: name },
      { name: t("value"), value: (point) => point.value, cell: (point) => format(point.value), number: true },
      { name: t("cases"), value: (point) => point.count, cell: (point) => number(point.count), number: true },
    ],
  });
}
