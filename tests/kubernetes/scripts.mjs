// The scripts of k8s against a scripted kubectl, which notes what it is asked: what they do in which order, and where they
// stop.
//
// usage: node scripts.mjs
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const k8s = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../k8s");

// A kubectl that appends its arguments to `asked`, one call a line, and then does what `body` says for them.
function run(script, args, body, more = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "frond-scripts-"));
  try {
    const asked = path.join(folder, "asked"), program = (name, text) =>
      writeFileSync(path.join(folder, name), `#!/usr/bin/env bash\n${text}\n`, { mode: 0o755 });
    program("kubectl", `echo "$*" >>"${asked}"\n${body}`);
    // Says which files it was to make, and makes them.
    program("frond", `echo "$3" >>"${folder}/made"; echo "secret-of-$(basename "$3")" >"$3.secret"; echo "public-of-$(basename "$3")" >"$3.public"`);
    const done = spawnSync(path.join(k8s, script), args,
                           { encoding: "utf8", env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, ...more } });
    const lines = (name) => (existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), "utf8").trim().split("\n") : []);
    return { status: done.status, output: done.stdout + done.stderr, asked: lines("asked"), made: lines("made") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const TWO_SETS = `case " $* " in *" kustomize "*) printf 'labels:\\n  frond/set: b\\nlabels:\\n  frond/set: a\\n    frond/set: a\\n' ;; esac`;
const STAND_ON = "apply -f - --selector !frond/set,app.kubernetes.io/name!=frond-broker";
const set_of = (name) => [`apply -f - --selector frond/set=${name}`, `--namespace frond rollout status statefulset/leaf-${name} --timeout 1h`];

const reindex = (body, args = []) => run("reindex", args, body, { POLL_SECONDS: "0.01" });

const tests = {
  "upgrade: what pods need, then set after set, each when the one before is ready, then brokers": () => {
    const { status, asked, output } = run("upgrade", ["overlay", "--context", "there"], TWO_SETS);
    assert.equal(status, 0, output);
    assert.deepEqual(asked, ["kustomize overlay", ...[STAND_ON, ...set_of("a"), ...set_of("b"), "apply -f -",
      "--namespace frond rollout status deployment/broker --timeout 1h"].map((line) => `--context there ${line}`)]);
  },
  "upgrade: a set that does not become ready is the last that is touched": () => {
    const { status, asked } = run("upgrade", ["overlay"], `${TWO_SETS}\ncase "$*" in *statefulset/leaf-a*) exit 1 ;; esac`);
    assert.equal(status, 1);
    assert.deepEqual(asked, ["kustomize overlay", STAND_ON, ...set_of("a")]);
  },
  "upgrade: an overlay without leaves, or none, is refused before anything is applied": () => {
    assert.deepEqual(run("upgrade", ["overlay"], ":").asked, ["kustomize overlay"]);
    assert.notEqual(run("upgrade", [], ":").status, 0);
    assert.notEqual(run("upgrade", ["overlay"], "exit 1").status, 0);
  },
  "make-keys: each side has its own secret key and the other's public one; no file stays, no key is shown": () => {
    const show = `for arg; do case "$arg" in --from-file=*) echo "\${arg#--from-file=}" | { IFS== read -r name file; echo "  $name: $(cat "$file")" >>"$(dirname "$0")/asked"; } ;; esac; done`;
    const { status, output, asked, made } = run("make-keys", [], show, { FROND: "frond" });
    assert.equal(status, 0, output);
    assert(asked[0].startsWith("--namespace frond apply -f ") && asked[0].endsWith("/base/namespace.yaml"));
    assert.deepEqual(asked.slice(2).filter((line) => line.startsWith("  ")), [
      "  secret: secret-of-leaf", "  clients: public-of-broker", "  secret: secret-of-broker", "  leaf: public-of-leaf"]);
    for (const prefix of made) for (const end of ["secret", "public"]) assert(!existsSync(`${prefix}.${end}`), prefix);
    assert(!/(secret|public)-of/.test(output));
  },
  "make-keys: Secrets that are there stay": () => {
    const { status, asked, made } = run("make-keys", [], `case "$*" in *" get secret "*) echo secret/leaf-curve ;; esac`, { FROND: "frond" });
    assert.equal(status, 1);
    assert.equal(asked.length, 2);
    assert.deepEqual(made, []);
  },
  "reindex: publishes when all builders are done": () => {
    const { status, asked, output } = reindex(`case "$*" in *" get job/"*) echo "SuccessCriteriaMet Complete||4|4|1" ;; esac`, ["--context", "there"]);
    assert.equal(status, 0, output);
    assert.deepEqual(asked.map((line) => line.replace("--context there --namespace frond ", "").replace(/ -o .*/, "")), [
      "delete job index publish --ignore-not-found --cascade=foreground", "apply -k index", "get job/index", "apply -k publish",
      "get job/publish", "logs job/publish --tail=1"]);
    assert.match(output, /index: 0 running, 4 of 4 done, 1 failed/);
  },
  "reindex: builders that failed publish nothing": () => {
    const { status, asked, output } = reindex(`case "$*" in *" get job/"*) echo "FailureTarget Failed|||4|2" ;; *" logs "*) echo "why it failed" ;; esac`);
    assert.equal(status, 1);
    assert(!asked.some((line) => line.includes("publish") && line.includes("apply")));
    assert.match(output, /why it failed/);
  },
  "reindex: an API server that is away for a while is waited for, one that stays away is not": () => {
    const away = (times) => `case "$*" in *" get job/"*)
      [ $(grep -c " get job/" "$(dirname "$0")/asked") -gt ${times} ] || exit 1
      echo "Complete||4|4|" ;; esac`;
    assert.equal(reindex(away(3)).status, 0);
    const { status, asked } = reindex(away(1000));
    assert.equal(status, 1);
    assert(!asked.some((line) => line.includes("apply -k publish")));
  },
};

for (const [sentence, test] of Object.entries(tests)) {
  test();
  console.log(`ok ${sentence}`);
}
