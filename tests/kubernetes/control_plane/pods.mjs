// What controllers and the scheduler make of production: keys, pods, volumes, addresses, what may be evicted.
import assert from "node:assert/strict";
import path from "node:path";
import { for_server, write } from "./older.mjs";
import { until } from "./plane.mjs";

export function steps({ plane, nodes, minor, bin, build, script, kubectl, leaves, brokers, ready, names }) {
  const evict = (name) => plane.request("POST", `/api/v1/namespaces/frond/pods/${name}/eviction`,
    { apiVersion: minor < 22 ? "policy/v1beta1" : "policy/v1", kind: "Eviction", metadata: { name, namespace: "frond" } });

  const FROND = path.join(bin, "frond");
  const secret = (name) => `/api/v1/namespaces/frond/secrets/${name}`;
  const secrets = async () => {
    const answers = await Promise.all(["leaf-curve", "broker-curve"].map((name) => plane.ask("GET", secret(name))));
    return answers.map(({ data }) => Object.fromEntries(Object.entries(data).map(
      ([file, text]) => [file, Buffer.from(text, "base64").toString().trim()])));
  };

  return {
    "k8s/make-keys without the program frond draws keys in a pod, which is gone afterwards": async () => {
      const done = await script("make-keys", [], { FROND: "" });
      assert.equal(done.status, 0, done.output);
      assert.match(done.output, /a pod of frond:1 draws the keys/);
      for (const key of (await secrets()).flatMap(Object.values)) assert.equal(key.length, 40);
      await until("the pod is gone", async () => (await nodes.pods()).length === 0);
      for (const name of ["leaf-curve", "broker-curve"]) await plane.ask("DELETE", secret(name));
    },
    "k8s/make-keys makes the keys that the pods mount, once, shows no secret one, and leaves the namespace as it is": async () => {
      const warn = { "pod-security.kubernetes.io/warn": "baseline" };
      await plane.ask("PATCH", "/api/v1/namespaces/frond", { metadata: { labels: warn } });
      const { labels } = (await plane.ask("GET", "/api/v1/namespaces/frond")).metadata;
      const done = await script("make-keys", [], { FROND });
      assert.equal(done.status, 0, done.output);
      assert.deepEqual((await plane.ask("GET", "/api/v1/namespaces/frond")).metadata.labels, labels);
      const [leaf, broker] = await secrets();
      assert.deepEqual([Object.keys(leaf), Object.keys(broker)], [["clients", "secret"], ["leaf", "secret"]]);
      const keys = [leaf.secret, leaf.clients, broker.secret, broker.leaf];
      assert.equal(new Set(keys).size, 4);
      for (const key of keys) assert.equal(key.length, 40);
      for (const secret of [leaf.secret, broker.secret]) assert(!done.output.includes(secret));
      assert.notEqual((await script("make-keys", [], { FROND })).status, 0);
      assert.deepEqual(await secrets(), [leaf, broker]);
    },
    "before there is a generation: leaves run and are found, none is ready, and no node's drain waits for them": async () => {
      nodes.behaviour = (pod) => (pod.metadata.labels["app.kubernetes.io/name"] === "frond-leaf" ? "running" : "ready");
      const { objects } = for_server(minor, build("overlays/production"));
      const done = plane.kubectl(["apply", "-f", "-"], write(objects));
      assert.equal(done.status, 0, done.stderr);
      const pods = await until("four leaves run", async () => {
        const all = await leaves();
        return all.length === 4 && all.every((pod) => pod.status.phase === "Running") && all;
      });
      assert.deepEqual(names(pods), ["leaf-a-0", "leaf-a-1", "leaf-b-0", "leaf-b-1"]);
      await until("all leaves' addresses are published", async () => {
        const { subsets } = await plane.ask("GET", "/api/v1/namespaces/frond/endpoints/leaves");
        return subsets?.flatMap(({ addresses }) => addresses ?? []).length === 4;
      });
      if (minor >= 27) assert.equal((await evict("leaf-a-0")).status, 201);
    },
    "pods are as the manifests say, and the server had nothing to add for `restricted`": async () => {
      nodes.behaviour = () => "ready";
      const objects = build("overlays/production");
      const pods = await until("all pods are ready", async () => {
        const all = [...await leaves(), ...await brokers()];
        return all.length === 7 && all.every(ready) && all;  // without metrics the autoscaler goes to its least: 3 brokers
      });
      for (const pod of pods) {
        const owner = objects.find(({ kind, metadata }) => (kind === "Deployment" ? metadata.name === "broker" : kind === "StatefulSet" &&
          metadata.labels["frond/set"] === pod.metadata.labels["frond/set"]) && pod.metadata.name.startsWith(metadata.name));
        const { spec } = owner.spec.template;
        assert.deepEqual(pod.spec.securityContext, spec.securityContext);
        assert.deepEqual(pod.spec.containers[0].securityContext, spec.containers[0].securityContext);
        assert.deepEqual(pod.spec.containers[0].args, spec.containers[0].args);
        assert.equal(pod.spec.priority, 100000);
        assert(!pod.spec.volumes.some(({ name, projected }) => projected || /token/.test(name)), "a service account's token");
        for (const { name, secret } of pod.spec.volumes.filter((volume) => volume.secret))
          assert.equal(secret.defaultMode, 0o440, name);
        if (minor >= 28 && pod.metadata.labels["frond/set"])
          assert.equal(pod.metadata.labels["apps.kubernetes.io/pod-index"], pod.metadata.name.at(-1));
      }
      const node_of = Object.fromEntries(pods.map((pod) => [pod.metadata.name, pod.spec.nodeName]));
      if (minor >= 27) for (const shard of [0, 1]) assert.notEqual(node_of[`leaf-a-${shard}`], node_of[`leaf-b-${shard}`]);
      console.log(`   ${Object.entries(node_of).map((pair) => pair.join(" on ")).join(", ")}`);
      const claims = (await plane.ask("GET", "/api/v1/namespaces/frond/persistentvolumeclaims")).items;
      assert.deepEqual(names(claims), ["data-leaf-a-0", "data-leaf-a-1", "data-leaf-b-0", "data-leaf-b-1", "input", "repository"]);
      assert(claims.every(({ status }) => status.phase === "Bound"));
    },
    "k8s/rotate-keys gives brokers a new key, which leaves let in, and the old one no more": async () => {
      const [leaf, broker] = await secrets(), before = names(await brokers());
      const done = await script("rotate-keys", [], { FROND, POLL_SECONDS: "0.2", ROLLOUT_TIMEOUT: "60s" });
      assert.equal(done.status, 0, done.output);
      const [new_leaf, new_broker] = await secrets();
      assert.deepEqual([new_leaf.secret, new_broker.leaf], [leaf.secret, broker.leaf]);
      assert(new_broker.secret.length === 40 && new_broker.secret !== broker.secret);
      assert(new_leaf.clients.length === 40 && new_leaf.clients !== leaf.clients);
      assert(names((await brokers()).filter(ready)).every((name) => !before.includes(name)));
    },
    "of a shard's leaves one may be evicted, and the other not until it is ready again; another shard's may": async () => {
      const budget = (shard) => plane.ask(
        "GET", `/apis/policy/${minor < 21 ? "v1beta1" : "v1"}/namespaces/frond/poddisruptionbudgets/leaves-shard-${shard}`);
      for (const shard of [0, 1])
        await until("the budget knows both leaves", async () => {
          const { expectedPods, disruptionsAllowed } = (await budget(shard)).status;
          return expectedPods === 2 && disruptionsAllowed === 1;
        });
      nodes.behaviour = (pod) => (["leaf-a-0", "leaf-b-1"].includes(pod.metadata.name) ? "running" : "ready");
      const before = (await leaves()).find((pod) => pod.metadata.name === "leaf-a-0").metadata.uid;
      assert.equal((await evict("leaf-a-0")).status, 201);
      assert.equal((await evict("leaf-b-0")).status, 429);
      assert.equal((await evict("leaf-b-1")).status, 201);
      await until("leaf-a-0 runs again", async () => (await leaves()).some(
        (pod) => pod.metadata.name === "leaf-a-0" && pod.metadata.uid !== before && pod.status.phase === "Running"));
      for (const leaf of ["leaf-b-0", "leaf-a-1"]) assert.equal((await evict(leaf)).status, 429);
      nodes.behaviour = () => "ready";
      for (const shard of [0, 1]) await until("another may go", async () => (await budget(shard)).status.disruptionsAllowed === 1);
    },
    "a drain of one of the two nodes with leaves ends, and every shard keeps one": async () => {
      const of_shard = (pods, shard) => pods.filter((pod) => ready(pod) && new RegExp(`^leaf-.-${shard}$`).test(pod.metadata.name));
      let fewest = 2;
      nodes.watch = (pods) => { fewest = Math.min(fewest, of_shard(pods, 0).length, of_shard(pods, 1).length); };
      const { status, output } = await kubectl(["drain", "node-0", "--ignore-daemonsets", "--timeout=30s"]);
      assert.equal(status, 0, output);
      const left = await until("the leaves of the drained node wait for it", async () => {
        const pods = await leaves();
        return pods.length === 4 && pods;
      });
      assert.deepEqual(names(left.filter((pod) => !pod.spec.nodeName)), ["leaf-a-0", "leaf-b-1"]);
      assert.equal(fewest, 1);
      nodes.watch = () => {};
      assert.equal((await kubectl(["uncordon", "node-0"])).status, 0);
      await until("they are back", async () => (await leaves()).filter(ready).length === 4);
    },
  };
}
