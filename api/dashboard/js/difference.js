/** What two texts have in common, word by word. */
const MOST_CELLS = 4_000_000;

/** The way from `before` to `after`: `[{ kind: "same" | "gone" | "new", text }]`; their texts joined give both back. */
export function difference(before, after) {
  const [from, to] = [wordsOf(before), wordsOf(after)];
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const middle = changes(from.slice(head, from.length - tail), to.slice(head, to.length - tail));
  return joined([
    ...from.slice(0, head).map((text) => ({ kind: "same", text })),
    ...middle,
    ...from.slice(from.length - tail).map((text) => ({ kind: "same", text })),
  ]);
}

const wordsOf = (text) => text.match(/\s+|\[\d+\]|[^\s[]+|\[/g) || [];

function changes(from, to) {
  if (from.length * to.length > MOST_CELLS) {
    return [...from.map((text) => ({ kind: "gone", text })), ...to.map((text) => ({ kind: "new", text }))];
  }
  const lengths = common(from, to);
  const parts = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      parts.push({ kind: "same", text: from[i] });
      i += 1;
      j += 1;
    } else if (j === to.length || (i < from.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      parts.push({ kind: "gone", text: from[i++] });
    } else parts.push({ kind: "new", text: to[j++] });
  }
  return parts;
}

/** `lengths[i][j]`: how many words `from[i:]` and `to[j:]` have in common, in order. */
function common(from, to) {
  const lengths = Array.from({ length: from.length + 1 }, () => new Uint32Array(to.length + 1));
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = from[i] === to[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

function joined(parts) {
  const merged = [];
  for (const part of parts) {
    if (merged.at(-1)?.kind === part.kind) merged.at(-1).text += part.text;
    else merged.push({ ...part });
  }
  return merged;
}
