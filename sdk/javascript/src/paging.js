const PAGE = 100;

/** Yields the entries of the list `name` of an operation page by page; at most `limit` entries. */
export async function* paged(connection, operation, name, { limit = Infinity, signal, ...filters } = {}) {
  let left = limit;
  for (let cursor; left > 0;) {
    const page = await connection.call(operation, { ...filters, limit: Math.min(left, PAGE), cursor }, { signal });
    for (const item of page[name].slice(0, left)) yield item;
    left -= page[name].length;
    cursor = page.next_cursor;
    if (!cursor) return;
  }
}
