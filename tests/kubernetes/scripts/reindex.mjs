// k8s/reindex.
import assert from "node:assert/strict";
import { run } from "./run.mjs";

const reindex = (body, args = []) => run("reindex", args, body, { POLL_SECONDS: "0.01" });

export const tests = {
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
