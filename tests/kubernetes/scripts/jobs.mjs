// k8s/job and k8s/reindex.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { run } from "./run.mjs";

const job = (name, body, args = [], more = {}) => run(name, args, body, { POLL_SECONDS: "0.01", START_TIMEOUT: "1", ...more });
const reindex = (body, args = [], more = {}) => job("reindex", body, args, more);
// What is asked, without what a job is asked for again and again, and without arguments that are every call's.
const steps = (asked) => asked.filter((line) => !/ get (pods|job|events)/.test(line))
  .map((line) => line.replace("--context there ", "").replace("--namespace frond ", ""));
const run_job = (name) => [`delete job ${name} --ignore-not-found --cascade=foreground`, `create job ${name} --from=cronjob/${name}`];

// A kubectl whose jobs are in the state `state`, and have a pod of each record: "name phase state what message".
const cluster = (state, pods = []) => `case "$*" in
  *" get job/"*) echo '${state}' ;;
  *" get pods "*) printf '${pods.map(([name, phase, ...fact]) => `${name}\\t${phase}\\t${fact.length ? `${fact.join("\\x1d")}\\x1f` : ""}\\x1e`).join("")}' ;;
  *" get events "*) printf 'FailedCreate: exceeded quota\\x1e' ;;
  *" logs "*) echo "why it failed" ;; esac`;
const PENDING = ["index-0", "Pending", "waits", "Unschedulable", "0/1 nodes are available: 1 Insufficient cpu."];

export const tests = {
  "reindex: publishes when all builders are done": () => {
    const { status, asked, output } = reindex(cluster("SuccessCriteriaMet Complete||4|4|1|"), ["--context", "there"]);
    assert.equal(status, 0, output);
    assert(asked.every((line) => line.startsWith("--context there --namespace frond ")));
    assert.deepEqual(steps(asked), [run_job("publish")[0], ...run_job("index"), "logs job/index --tail=1", ...run_job("publish"), "logs job/publish --tail=1"]);
    assert.match(output, /index: 0 running, 0 waiting, 4 of 4 done, 1 failed/);
  },
  "reindex: with an overlay, its jobs are applied first, once": () => {
    const overlay = mkdtempSync(path.join(tmpdir(), "frond-overlay-"));
    try {
      const { status, asked, output } = reindex(cluster("Complete||4|4||"), [overlay, "--context", "there"]);
      assert.equal(status, 0, output);
      assert.deepEqual(steps(asked).slice(0, 3), [run_job("publish")[0], `kustomize ${overlay}`, "apply -f - --selector app.kubernetes.io/name=frond-indexer,app.kubernetes.io/component!=repository"]);
      assert.equal(asked.filter((line) => line.includes(" apply ")).length, 1);
      assert.deepEqual(steps(job("job", cluster("Complete||1|1||"), ["prune", overlay]).asked), [
        `kustomize ${overlay}`, "apply -f - --selector app.kubernetes.io/name=frond-indexer,app.kubernetes.io/component!=repository", ...run_job("prune"), "logs job/prune --tail=1"]);
    } finally {
      rmSync(overlay, { recursive: true });
    }
  },
  "reindex: builders that failed publish nothing, and it is said why": () => {
    const { status, asked, output } = reindex(cluster("FailureTarget Failed|||4|2|BackoffLimitExceeded", [
      ["index-0", "Failed", "failed", "OOMKilled, exit code 137", ""], ["index-1", "Failed", "failed", "Error, exit code 1", "one line\\nno such folder\\n"]]));
    assert.equal(status, 1);
    assert(!asked.some((line) => line.includes("create job publish")));
    assert.match(output, /why it failed/);
    assert.match(output, /index failed: BackoffLimitExceeded/);
    assert.match(output, /index-0 failed OOMKilled, exit code 137\n/);
    assert.match(output, /index-1 failed Error, exit code 1: no such folder\n/);
  },
  "reindex: pods that wait are no running ones; it says why they wait, once, and goes on while one runs": () => {
    const pods = (more) => cluster("|2||4||", [PENDING, ...more]);
    const { status, output } = reindex(`[ $(grep -c " get job/" "$(dirname "$0")/asked") -lt 12 ] || { [[ "$*" != *" get job/"* ]] || echo 'Complete||4|4||'; exit 0; }
      sleep 0.2; ${pods([["index-1", "Running"]])}`);
    assert.equal(status, 0, output);
    assert.match(output, /index: 1 running, 1 waiting, 0 of 4 done/);
    assert.equal(output.match(/index-0 waits Unschedulable: 0\/1 nodes are available: 1 Insufficient cpu\./g).length, 1);
  },
  "reindex: gives up when nothing runs for too long, and says what waits for what": () => {
    const { status, output, asked } = reindex(cluster("|4||4||", [PENDING]));
    assert.equal(status, 1);
    assert.match(output, /index: 0 running, 4 waiting, 0 of 4 done, 0 failed/);
    assert.match(output, /index-0 waits Unschedulable/);
    assert.match(output, /no pod of index has run for 1 s; FailedCreate: exceeded quota/);
    assert(!steps(asked).some((line) => line.startsWith("delete job index") && asked.indexOf(line) > 2), "the Job stays");
  },
  "reindex: an API server that is away for a while is waited for, one that stays away is not": () => {
    const away = (times) => `case "$*" in *" get job/"*)
      [ $(grep -c " get job/" "$(dirname "$0")/asked") -gt ${times} ] || exit 1
      echo "Complete||4|4||" ;; esac`;
    assert.equal(reindex(away(3)).status, 0);
    const { status, asked } = reindex(away(1000));
    assert.equal(status, 1);
    assert(!asked.some((line) => line.includes("create job publish")));
  },
  "job: one that the cluster does not have, or none, is refused": () => {
    const { status, output } = job("job", `case "$*" in *" create job "*) exit 1 ;; esac`, ["cleanup"]);
    assert.equal(status, 1);
    assert.match(output, /no job cleanup is known/);
    assert.notEqual(job("job", ":").status, 0);
  },
};
