// Indexes JSON Lines with LanceDB's full-text index, for tests/bench/peers/index: node lance_index.mjs FILE FOLDER
// Without positions, stems or stop words. Prints the processor and wall seconds of the index alone: the table that holds
// the documents is written before. Run where @lancedb/lancedb is installed.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const lancedb = createRequire(`${process.cwd()}/`)("@lancedb/lancedb");
const [file, folder] = process.argv.slice(2);
const kBatch = 20000;

const database = await lancedb.connect(folder);
let table = null;
let rows = [];
const put = async () => {
  if (rows.length === 0) return;
  if (table === null) table = await database.createTable("documents", rows, { mode: "overwrite" });
  else await table.add(rows);
  rows = [];
};
for await (const line of createInterface({ input: createReadStream(file) })) {
  const { id, title, url, contents } = JSON.parse(line);
  rows.push({ id, title: title ?? "", url: url ?? "", contents: `${title ?? ""}\n${contents}` });
  if (rows.length === kBatch) await put();
}
await put();
const before = process.cpuUsage();
const started = process.hrtime.bigint();
await table.createIndex("contents", {
  config: lancedb.Index.fts({ withPosition: false, stem: false, removeStopWords: false, asciiFolding: false }),
});
const used = process.cpuUsage(before);
console.log(
  JSON.stringify({
    processor: (used.user + used.system) / 1e6,
    wall: Number(process.hrtime.bigint() - started) / 1e9,
    documents: await table.countRows(),
  }),
);
