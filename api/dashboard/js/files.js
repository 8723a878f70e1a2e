/** What was dropped or chosen, as files; folders are opened, and their files named by their paths. */

/** The files of a drop, those in folders included; hidden ones are left out. */
export async function droppedFiles(transfer) {
  // Entries are gone as soon as the event is over, so all are taken first.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  const files = await Promise.all(entries.map((entry) => filesOf(entry)));
  return files.flat();
}

async function filesOf(entry) {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) return [await fileOf(entry)];
  const inside = await entriesOf(entry.createReader());
  const files = await Promise.all(inside.map((child) => filesOf(child)));
  return files.flat();
}

async function fileOf(entry) {
  const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
  file.path = entry.fullPath.replace(/^\//, "");
  return file;
}

async function entriesOf(reader) {
  const all = [];
  for (;;) {
    // a reader gives a hundred at a time
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return all;
    all.push(...some);
  }
}
