/** Offsets of the API count code points; JavaScript counts UTF-16 units. Half of a pair is where they differ. */
const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/**
 * Measure `text` once: `slice(start, end)` by code points, `length`, `unit(point)` and `point(unit)` to change between
 * the two.
 */
export function points(text) {
  const pairs = [...text.matchAll(PAIRS)].map((match) => match.index);
  const length = text.length - pairs.length;
  const unit = (point) => Math.max(0, Math.min(point, length)) + pairsBefore(pairs, (index, at) => at - index < point);
  return {
    length,
    unit,
    point: (at) => at - pairsBefore(pairs, (_, pair) => pair < at),
    slice: (start, end = length) => text.slice(unit(start), unit(end)),
  };
}

/** How many of the ascending `pairs` satisfy `holds(index, place)`, which holds for the first ones only. */
function pairsBefore(pairs, holds) {
  let low = 0;
  let high = pairs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle, pairs[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}
