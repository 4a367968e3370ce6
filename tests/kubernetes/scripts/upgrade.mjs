// k8s/upgrade.
import assert from "node:assert/strict";
import { run } from "./run.mjs";

// Two sets, of the addresses 10.0.0.1, .2 (a) and .3, .4 (b), and two brokers; `known` says what these know: a shell
// command, with the broker in $broker and how often brokers were asked in $asked.
const overlay = (known = EVERYTHING) => `
case " $* " in
  *" kustomize "*) printf 'labels:\n  frond/set: b\nlabels:\n  frond/set: a\n    frond/set: a\n' ;;
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
// What was asked, without what brokers were asked for.
const steps = (asked) => asked.filter((line) => !/ get pods | --raw | exec /.test(line));
const BROKERS = ["https:broker-1:8080", "http:broker-2:8080"].map(
  (broker) => `--namespace frond get --raw /api/v1/namespaces/frond/pods/${broker}/proxy/v1/cluster`);
const upgrade = (known, more = {}) => run("upgrade", ["overlay"], overlay(known), { POLL_SECONDS: "0.01", ...more });
const AT_ONCE = { BROKER_TIMEOUT: "0" };
const set_of = (name) => [`apply -f - --selector frond/set=${name}`, `--namespace frond rollout status statefulset/leaf-${name} --timeout 1h`];

export const tests = {
  "upgrade: what pods need, then set after set, each when the one before is ready, then brokers": () => {
    const { status, asked, output } = run("upgrade", ["overlay", "--context", "there"], TWO_SETS);
    assert.equal(status, 0, output);
    assert.deepEqual(steps(asked), ["kustomize overlay", ...[STAND_ON, BUDGETS, ...set_of("a"), ...set_of("b"), "apply -f -",
      "--namespace frond rollout status deployment/broker --timeout 1h"].map((line) => `--context there ${line}`)]);
  },
  "upgrade: a set that does not become ready is the last that is touched": () => {
    const { status, asked, output } = run("upgrade", ["overlay"], `${TWO_SETS}\ncase "$*" in *statefulset/leaf-a*) exit 1 ;;
      *" frond/set=a "*phase*) printf 'leaf-a-1\\tRunning\\twaits\\x1dCrashLoopBackOff\\x1dback-off\\x1f\\x1eleaf-a-0\\tRunning\\t\\x1e' ;; esac`);
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
