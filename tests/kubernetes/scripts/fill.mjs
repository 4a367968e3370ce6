// k8s/fill, with a real tar on both sides.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { run } from "./run.mjs";

// A kubectl whose pod `fill-x` has the state `pod`, and `input` as its claim.
const cluster = (input, pod = "Running\\t") => `case "$*" in
  *" get pods "*) printf 'fill-x\\t${pod}\\x1e' ;;
  *" exec -i fill-x -- tar -C /input "*) shift 9; tar -C "${input}" "$@" ;; esac`;

function with_folders(use) {
  const folder = mkdtempSync(path.join(tmpdir(), "frond-fill-"));
  try {
    for (const name of ["from/a folder", "input"]) mkdirSync(path.join(folder, name), { recursive: true });
    writeFileSync(path.join(folder, "from/one.jsonl"), "1");
    writeFileSync(path.join(folder, "from/a folder/-two\n.jsonl"), "2");
    writeFileSync(path.join(folder, "input/there"), "0");
    use(path.join(folder, "from"), path.join(folder, "input"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const fill = (where, body, more = {}) => run("fill", [where], body, { POLL_SECONDS: "0.01", START_TIMEOUT: "1", ...more });

export const tests = {
  "fill: what is in a folder, or one file, gets into the claim; the pod goes": () => with_folders((from, input) => {
    const { status, output, asked } = fill(from, cluster(input));
    assert.equal(status, 0, output);
    assert.deepEqual(readdirSync(input).sort(), ["a folder", "one.jsonl", "there"]);
    assert.equal(readFileSync(path.join(input, "a folder/-two\n.jsonl"), "utf8"), "2");
    const steps = asked.filter((line) => / job /.test(line)).map((line) => line.replace("--namespace frond ", ""));
    assert.deepEqual(steps, ["delete job fill --ignore-not-found --cascade=foreground", "create job fill --from=cronjob/fill",
                             "delete job fill --ignore-not-found --wait=false"]);
    rmSync(path.join(input, "one.jsonl"));
    assert.equal(fill(path.join(from, "one.jsonl"), cluster(input)).status, 0);
    assert(readdirSync(input).includes("one.jsonl"));
  }),
  "fill: a pod that does not start is told why; the pod goes": () => with_folders((from, input) => {
    const { status, output, asked } = fill(from, cluster(input, "Pending\\twaits\\x1dUnschedulable\\x1dno volume for the claim\\x1f"));
    assert.equal(status, 1);
    assert.match(output, /fill-x waits Unschedulable: no volume for the claim/);
    assert.match(output, /has not started within 1 s/);
    assert(asked.at(-1).includes("delete job fill"));
  }),
  "fill: an end in the midst is a failure; a path that is not there is refused at once": () => with_folders((from, input) => {
    assert.notEqual(fill(from, cluster(input).replace("shift 9;", "exit 1;")).status, 0);
    const { status, asked } = fill(`${from}/nothing`, cluster(input));
    assert.equal(status, 1);
    assert.deepEqual(asked, []);
  }),
};
