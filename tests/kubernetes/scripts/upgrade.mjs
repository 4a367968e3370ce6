// k8s/upgrade.
import assert from "node:assert/strict";
import { run } from "./run.mjs";

// Two sets, of the addresses 10.0.0.1, .2 (a) and .3, .4 (b), and two brokers; `known` says what these know: a shell
// command, with the broker in $broker and how often brokers were asked in $asked.
const overlay = (known = EVERYTHING, more = []) => `
case " $* " in
  *" kustomize "*) printf '${["Deployment broker", "StatefulSet leaf-a", "StatefulSet leaf-b", "CronJob index", ...more].map((one) => one.split(" ")).map(([kind, name]) =>
    `kind: ${kind}\\nmetadata:\\n  labels:\\n    name: no\\n${name.startsWith("leaf-") ? `    frond/set: ${name.slice(5)}\\n` : ""}  name: ${name}\\nspec:\\n  name: no\\n---\\n`).join("")}' ;;
  *'{{range $label'*) printf 'of=%s,' "$4" ;;
  *" frond/set=a "*podIP*) printf '10.0.0.1\n10.0.0.2\n' ;;
  *" frond/set=b "*podIP*) printf '10.0.0.3\n10.0.0.4\n' ;;
  *" get pods "*frond-broker*) printf 'HTTPS:broker-1:8080\nHTTP:broker-2:8080\n' ;;
  *" --raw "*|*" exec "*)
    broker=$(grep -o 'broker-[0-9]' <<<"$*") asked=$(grep -c -e --raw "$(dirname "$0")/asked")
    partition() { printf '{"partition":%s,"leaves":[%s],"documents":10},' "$1" "$2"; }
    ${known} ;;
esac`;
const EVERYTHING = `partition 0 '"tcp://10.0.0.1:7001","tcp://10.0.0.3:7001"'; partition 1 '"tcp://10.0.0.2:7001","tcp://10.0.0.4:7001"'`;
const TWO_SETS = overlay();
const STAND_ON = "apply -f - --selector !frond/set,app.kubernetes.io/name notin (frond-broker,frond-indexer)";
const BUDGETS = "--namespace frond get poddisruptionbudgets --selector app.kubernetes.io/part-of=frond -o name";
const DRY_RUN = "apply -f - --dry-run=server --selector !frond/set";
// What was asked, without what brokers were asked for, and without the questions about pods and workloads.
const steps = (asked) => asked.filter((line) => !/ get (pods|statefulset|deployment|daemonset|job)[ /]| --raw | exec /.test(line));
const BROKERS = ["https:broker-1:8080", "http:broker-2:8080"].map(
  (broker) => `--namespace frond get --raw /api/v1/namespaces/frond/pods/${broker}/proxy/v1/cluster`);
const upgrade = (known, { overlay: workloads = [], body = "", ...more } = {}) =>
  run("upgrade", ["overlay"], `${overlay(known, workloads)}\n${body}`, { POLL_SECONDS: "0.01", ...more });
const AT_ONCE = { BROKER_TIMEOUT: "0" };
const set_of = (name) => [`apply -f - --selector frond/set=${name}`, `--namespace frond rollout status statefulset/leaf-${name} --timeout 1h`];

export const tests = {
  "upgrade: what pods need, then set after set, each when the one before is ready, then brokers": () => {
    const { status, asked, output } = run("upgrade", ["overlay", "--context", "there"], TWO_SETS);
    assert.equal(status, 0, output);
    assert.deepEqual(steps(asked), ["kustomize overlay", ...[STAND_ON, BUDGETS, ...set_of("a"), ...set_of("b"), DRY_RUN, "apply -f -",
      "--namespace frond rollout status deployment/broker --timeout 10m"].map((line) => `--context there ${line}`)]);
  },
  "upgrade: a set that does not become ready is the last that is touched": () => {
    const { status, asked, output } = run("upgrade", ["overlay"], `${TWO_SETS}\ncase "$*" in *"rollout status statefulset/leaf-a"*) exit 1 ;;
      *" of=statefulset/leaf-a "*phase*) printf 'leaf-a-1\\tRunning\\twaits\\x1dCrashLoopBackOff\\x1dback-off\\x1f\\x1eleaf-a-0\\tRunning\\t\\x1e' ;; esac`);
    assert.equal(status, 1);
    assert.deepEqual(steps(asked), ["kustomize overlay", STAND_ON, BUDGETS, ...set_of("a")]);
    assert.match(output, /leaf-a-1 waits CrashLoopBackOff: back-off\n/);
    assert.doesNotMatch(output, /leaf-a-0/);
  },
  "upgrade: a set's turn comes when every broker that is ready knows the one before for each partition": () => {
    // At first broker-2 still knows partition 1 from set b only.
    const { status, asked, output } = upgrade(EVERYTHING.replace(";", `\n[ $asked = 2 ] && partition 1 '"tcp://10.0.0.4:7001"' ||`));
    assert.equal(status, 0, output);
    const turn = asked.findIndex((line) => line.includes("--selector frond/set=b"));
    assert.deepEqual(asked.slice(0, turn).filter((line) => line.includes("--raw")), [...BROKERS, ...BROKERS]);
    assert.match(output, /set a is known to 2 brokers/);
  },
  "upgrade: stops before the next set when a broker has not found one": () => {
    const { status, asked, output } = upgrade(`partition 0 '"tcp://10.0.0.1:7001"'; partition 1 '"tcp://10.0.0.4:7001","tcp://110.0.0.2:7001"'`, AT_ONCE);
    assert.equal(status, 1);
    assert.match(output, /broker HTTPS:broker-1:8080 has not found the leaves of set a:\nit knows none for partition 1\n/);
    assert.deepEqual(steps(asked), ["kustomize overlay", STAND_ON, BUDGETS, ...set_of("a")]);
    for (const [known, why] of [["exit 1", "it does not answer"], ["echo '{}'", "it serves no partition"]])
      assert.match(upgrade(known, AT_ONCE).output, new RegExp(why));
    assert.equal(upgrade("exit 1", { ASK_BROKERS: "no" }).status, 0);
  },
  "upgrade: a broker that the API server does not reach is asked from inside, if it speaks plain HTTP": () => {
    const { status, asked, output } = upgrade(`[[ "$* $broker" != *--raw*broker-2 ]] || exit 1; ${EVERYTHING}`);
    assert.equal(status, 0, output);
    assert(asked.some((line) => line.startsWith("--namespace frond exec broker-2 -c broker -- timeout 5 bash -c ")));
    assert(!asked.some((line) => line.startsWith("--namespace frond exec broker-1 ")));
  },
  "upgrade: takes manifests from stdin": () => {
    const { status, asked, output } = run("upgrade", ["-"], TWO_SETS, {}, true, "frond/set: a\n---\nkind: Deployment\nmetadata:\n  name: broker\n");
    assert.equal(status, 0, output);
    assert.deepEqual(steps(asked), [STAND_ON, BUDGETS, ...set_of("a"), DRY_RUN, "apply -f -", "--namespace frond rollout status deployment/broker --timeout 10m"]);
  },
  "upgrade: every workload of the overlay is waited for, and a Job until it ends": () => {
    const done = (job) => upgrade(EVERYTHING, { overlay: ["DaemonSet spool", "Job load", "StatefulSet indexer"], body: `case "$*" in *"get job/load"*) echo '${job}' ;; esac` });
    const { status, asked, output } = done("Complete||1|1||");
    assert.equal(status, 0, output);
    assert.deepEqual(steps(asked).filter((line) => / rollout | logs /.test(line)).slice(2), ["deployment/broker", "daemonset/spool", "statefulset/indexer"].map(
      (workload) => `--namespace frond rollout status ${workload} --timeout 10m`));
    const failed = done("Failed|||1|4|BackoffLimitExceeded");
    assert.equal(failed.status, 1);
    assert.match(failed.output, /k8s\/upgrade: load failed: BackoffLimitExceeded/);
  },
  "upgrade: a workload that does not become ready is named, with what its pods say, and the script fails": () => {
    for (const [kind, name] of [["StatefulSet", "indexer"], ["DaemonSet", "spool"], ["Deployment", "broker"]]) {
      const workload = `${kind.toLowerCase()}/${name}`;
      const { status, output } = upgrade(EVERYTHING, { overlay: name === "broker" ? [] : [`${kind} ${name}`], body: `case "$*" in *"rollout status ${workload}"*) sleep 0.3; exit 1 ;;
        *" of=${workload} "*phase*) printf '${name}-0\\tRunning\\twaits\\x1dCrashLoopBackOff\\x1dno such flag\\x1f\\x1e' ;; esac` });
      assert.equal(status, 1, output);
      assert.match(output, new RegExp(`${name}-0 waits CrashLoopBackOff: no such flag\n(.*\n)*k8s/upgrade: stopped, since ${workload} did not become ready`));
    }
  },
  "upgrade: pods of an older template that OrderedReady waits for in vain are deleted; others are not": () => {
    const stuck = (revision) => upgrade(EVERYTHING, { overlay: ["StatefulSet indexer"], body: `case "$*" in *"rollout status statefulset/indexer"*) sleep 0.3 ;;
      *"get statefulset/indexer "*OrderedReady*) echo ${revision} ;; *"of=statefulset/indexer,controller-revision-hash!=indexer-2 "*) echo indexer-0 ;; esac` });
    const { status, asked, output } = stuck("indexer-2");
    assert.equal(status, 0, output);
    assert(asked.includes("--namespace frond delete pod indexer-0 --wait=false"));
    assert(!stuck("").asked.some((line) => line.includes("delete pod")));  // Parallel, or the change is not seen yet
  },
  "upgrade: a StatefulSet whose fixed fields change is made anew around its pods": () => {
    const { status, asked, output } = upgrade(EVERYTHING, { overlay: ["StatefulSet indexer"], body: `case "$*" in *--dry-run=server*)
      echo "deployment.apps/broker configured (server dry run)"
      echo "The StatefulSet \\"indexer\\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden" >&2; exit 1 ;; esac` });
    assert.equal(status, 0, output);
    const lines = steps(asked), made_anew = lines.indexOf("--namespace frond delete statefulset indexer --cascade=orphan");
    assert.deepEqual(lines.slice(made_anew - 1, made_anew + 2), [DRY_RUN, lines[made_anew], "apply -f -"]);
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
    const with_budgets = (budgets) => `case " $* " in *" kustomize "*)
      printf 'frond/set: a\nfrond/set: b\n- --shard=$(SHARD)/3\n- --shard=$(SHARD)/3\n'
      for shard in ${budgets}; do echo "apps.kubernetes.io/pod-index: \\"$shard\\""; done ;; esac`;
    assert.match(run("upgrade", ["overlay"], with_budgets("0 1"), { ASK_BROKERS: "no" }).output, /3 shards, and disruption budgets for 2 of them/);
    assert.doesNotMatch(run("upgrade", ["overlay"], with_budgets("0 1 2"), { ASK_BROKERS: "no" }).output, /disruption budgets/);
  },
  "upgrade: an overlay without leaves, or none, is refused before anything is applied": () => {
    assert.deepEqual(run("upgrade", ["overlay"], ":").asked, ["kustomize overlay"]);
    assert.notEqual(run("upgrade", [], ":").status, 0);
    assert.notEqual(run("upgrade", ["overlay"], "exit 1").status, 0);
  },
};
