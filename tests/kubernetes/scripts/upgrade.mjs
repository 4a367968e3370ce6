// k8s/upgrade.
import assert from "node:assert/strict";
import { run } from "./run.mjs";

const TWO_SETS = `case " $* " in *" kustomize "*) printf 'labels:\\n  frond/set: b\\nlabels:\\n  frond/set: a\\n    frond/set: a\\n' ;; esac`;
const STAND_ON = "apply -f - --selector !frond/set,app.kubernetes.io/name!=frond-broker";
const BUDGETS = "--namespace frond get poddisruptionbudgets --selector app.kubernetes.io/part-of=frond -o name";
const set_of = (name) => [`apply -f - --selector frond/set=${name}`, `--namespace frond rollout status statefulset/leaf-${name} --timeout 1h`];

export const tests = {
  "upgrade: what pods need, then set after set, each when the one before is ready, then brokers": () => {
    const { status, asked, output } = run("upgrade", ["overlay", "--context", "there"], TWO_SETS);
    assert.equal(status, 0, output);
    assert.deepEqual(asked, ["kustomize overlay", ...[STAND_ON, BUDGETS, ...set_of("a"), ...set_of("b"), "apply -f -",
      "--namespace frond rollout status deployment/broker --timeout 1h"].map((line) => `--context there ${line}`)]);
  },
  "upgrade: a set that does not become ready is the last that is touched": () => {
    const { status, asked } = run("upgrade", ["overlay"], `${TWO_SETS}\ncase "$*" in *statefulset/leaf-a*) exit 1 ;; esac`);
    assert.equal(status, 1);
    assert.deepEqual(asked, ["kustomize overlay", STAND_ON, BUDGETS, ...set_of("a")]);
  },
  "upgrade: disruption budgets that the overlay no longer has are deleted, others stay": () => {
    const { status, asked, output } = run("upgrade", ["overlay"], `${TWO_SETS}\ncase "$*" in
      *"!frond/set"*) echo "poddisruptionbudget.policy/leaves-shard-0 created" ;;
      *" get poddisruptionbudgets "*) echo poddisruptionbudget.policy/leaves; echo poddisruptionbudget.policy/leaves-shard-0 ;; esac`);
    assert.equal(status, 0, output);
    assert.deepEqual(asked.filter((line) => line.includes("delete")), ["--namespace frond delete poddisruptionbudget.policy/leaves"]);
    assert.match(output, /leaves-shard-0 created/);
  },
  "upgrade: tells that shards lack a budget": () => {
    const overlay = (budgets) => `case " $* " in *" kustomize "*)
      printf 'frond/set: a\nfrond/set: b\n- --shard=$(SHARD)/3\n- --shard=$(SHARD)/3\n'
      for shard in ${budgets}; do echo "apps.kubernetes.io/pod-index: \\"$shard\\""; done ;; esac`;
    assert.match(run("upgrade", ["overlay"], overlay("0 1")).output, /3 shards, and disruption budgets for 2 of them/);
    assert.doesNotMatch(run("upgrade", ["overlay"], overlay("0 1 2")).output, /disruption budgets/);
  },
  "upgrade: an overlay without leaves, or none, is refused before anything is applied": () => {
    assert.deepEqual(run("upgrade", ["overlay"], ":").asked, ["kustomize overlay"]);
    assert.notEqual(run("upgrade", [], ":").status, 0);
    assert.notEqual(run("upgrade", ["overlay"], "exit 1").status, 0);
  },
};
