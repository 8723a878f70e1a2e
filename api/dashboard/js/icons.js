/** The icons of the page: lines of one width on a field of 24 by 24, in the colour of the text beside them. */
import { svg } from "./dom.js";

const PATHS = {
  ask: "M4 5h16v11H9l-5 4z M8.5 9.5h7 M8.5 12.5h4.5",
  documents: "M7 3h7l4 4v14H7z M14 3v4h4 M10 12h5 M10 16h5",
  verify: "M12 3l7 3v5.5c0 4.5-3 7.7-7 9.5-4-1.8-7-5-7-9.5V6z M9 12l2.2 2.2L15.2 10",
  settings: "M4 7h9 M17 7h3 M15 5v4 M4 17h3 M11 17h9 M9 15v4 M4 12h4 M12 12h8 M10 10v4",
  search: "M16 16l4.5 4.5 M10.5 17.5a7 7 0 1 1 0-14 7 7 0 0 1 0 14",
  menu: "M4 6.5h16 M4 12h16 M4 17.5h16",
  fold: "M4 5h16v14H4z M9.5 5v14",
};

/** `name` is one of the above; what it stands for is told by the text or label of the element around it. */
export const icon = (name, size = 20) =>
  svg(
    "svg",
    { viewBox: "0 0 24 24", width: size, height: size, class: "icon", "aria-hidden": "true" },
    svg("path", { d: PATHS[name] }),
  );
