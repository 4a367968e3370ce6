// What changes a cluster that serves: k8s/upgrade, k8s/reindex, going back, and nodes that are short.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { for_server, write } from "./older.mjs";
import { sleep, until } from "./plane.mjs";

export function steps({ plane, nodes, minor, k8s, build, script, set_say, leaves, brokers, ready, names }) {
  const budgets = `/apis/policy/${minor < 21 ? "v1beta1" : "v1"}/namespaces/frond/poddisruptionbudgets`;
  const image_of = (pod) => pod.spec.containers[0].image;

  // An overlay over production, of another image tag. Kustomize wants a relative path.
  function production_with_tag(tag) {
    const folder = path.join(plane.folder, `tag-${tag}`);
    mkdirSync(folder);
    writeFileSync(path.join(folder, "kustomization.yaml"), write([{
      apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization",
      resources: [path.relative(folder, path.join(k8s, "overlays/production"))], images: [{ name: "frond", newTag: tag }],
    }]));
    return folder;
  }

  // What every broker says when it finds a pod's address `late` ms after the pod was made.
  let known = "{}";
  const find_leaves = (late) => (pods) => {
    const up = pods.filter((pod) => ready(pod) && pod.metadata.labels["frond/set"] &&
                                    Date.now() - Date.parse(pod.metadata.creationTimestamp) > late);
    known = JSON.stringify({ partitions: [0, 1].map((shard) => ({
      partition: shard, leaves: up.filter(({ metadata }) => metadata.name.endsWith(`-${shard}`)).map(({ status }) => `tcp://${status.podIP}:7001`),
    })) });
  };
  set_say(({ scheme, name, port }) => {
    assert.deepEqual([scheme, port], ["http", 8083]);
    assert.match(name, /^broker-/);
    return known;
  });

  return {
    "k8s/upgrade keeps a leaf of every shard and all brokers, and brokers come last": async () => {
      nodes.behaviour = (pod) => (Date.now() - Date.parse(pod.metadata.creationTimestamp) > 2500 ? "ready" : "running");
      let fewest_leaves = 2, fewest_brokers = 3, both_shards = 2, fewest_known = 2;
      const faults = [];
      const find = find_leaves(9000), of_known = () => JSON.parse(known).partitions?.map(({ leaves }) => leaves.length) ?? [0];
      nodes.watch = find;
      await until("brokers know all leaves", () => Math.min(...of_known()) === 2);
      nodes.watch = (pods) => {
        find(pods);
        const up = pods.filter(ready);
        fewest_known = Math.min(fewest_known, ...of_known());
        const of_shard = (shard) => up.filter((pod) => pod.metadata.labels["frond/set"] && pod.metadata.name.endsWith(`-${shard}`)).length;
        fewest_leaves = Math.min(fewest_leaves, of_shard(0), of_shard(1));
        both_shards = Math.min(both_shards, Math.max(of_shard(0), of_shard(1)));
        fewest_brokers = Math.min(fewest_brokers, up.filter((pod) => !pod.metadata.labels["frond/set"]).length);
        const old_leaves = pods.some((pod) => pod.metadata.labels["frond/set"] && image_of(pod) === "frond:1");
        const new_broker = pods.some((pod) => !pod.metadata.labels["frond/set"] && image_of(pod) === "frond:2");
        if (old_leaves && new_broker) faults.push("a broker was replaced before the leaves");
      };
      // The budget that production had before there was one for each shard: two of them would make a pod stay for ever.
      await plane.ask("POST", budgets, {
        apiVersion: budgets.split("/").slice(2, 4).join("/"), kind: "PodDisruptionBudget",
        metadata: { name: "leaves", labels: { "app.kubernetes.io/part-of": "frond" } },
        spec: { maxUnavailable: 1, selector: { matchLabels: { "app.kubernetes.io/name": "frond-leaf" } } },
      });
      const done = await script("upgrade", [production_with_tag("2")], { ROLLOUT_TIMEOUT: "60s" });
      nodes.watch = find_leaves(0);
      assert.equal(fewest_known, 1, "a shard lost its last leaf that brokers knew");
      assert.deepEqual(names((await plane.ask("GET", budgets)).items), ["broker", "leaves-shard-0", "leaves-shard-1"]);
      assert.equal(done.status, 0, done.output);
      assert.deepEqual(faults, []);
      assert.equal(fewest_leaves, 1);
      assert.equal(both_shards, 2, "two shards were down to one leaf at a time");
      assert.equal(fewest_brokers, 3);
      assert([...await leaves(), ...await brokers()].filter(ready).every((pod) => image_of(pod) === "frond:2"));
    },
    "k8s/upgrade stops at a set that does not become ready, and leaves the rest as it was": async () => {
      nodes.behaviour = (pod) => (image_of(pod) === "frond:bad" ? "running" : "ready");
      const done = await script("upgrade", [production_with_tag("bad")], { ROLLOUT_TIMEOUT: "8s" });
      assert.notEqual(done.status, 0);
      assert.deepEqual(names((await leaves()).filter((pod) => image_of(pod) !== "frond:2")), ["leaf-a-1"]);
      assert((await brokers()).every((pod) => image_of(pod) === "frond:2"));

      // The way back that docs/operations.md gives: apply what was. Sets that start their pods in parallel replace one that hangs.
      const back = await script("upgrade", [path.join(plane.folder, "tag-2")], { ROLLOUT_TIMEOUT: "60s" });
      assert.equal(back.status, 0, back.output);
      assert((await leaves()).every((pod) => image_of(pod) === "frond:2"));
    },
    "k8s/fill: a pod takes files for the builders, and goes": async () => {
      nodes.behaviour = (pod) => (pod.metadata.labels["job-name"] ? "running" : "ready");
      const { status, output } = await script("fill", [fileURLToPath(import.meta.url)], { POLL_SECONDS: "0.2" });
      assert.equal(status, 0, output);
      assert.equal(readFileSync(path.join(plane.folder, "bin/filled"), "utf8"), "changes.mjs\n");
      await until("its pod is gone", async () => (await nodes.pods("job-name=fill")).length === 0);
    },
    "k8s/reindex: four builders of the overlay's image, and the publisher when all are done": async () => {
      const builders = () => nodes.pods("job-name=index"), publishers = () => nodes.pods("job-name=publish");
      let built = false;
      nodes.behaviour = (pod) => (pod.metadata.labels["job-name"] === "index" ? (built ? "succeeded" : "running") :
        pod.metadata.labels["job-name"] ? "succeeded" : "ready");
      const done = script("reindex", [], { POLL_SECONDS: "0.2" });
      const running = await until("four builders run", async () => {
        const pods = await builders();
        return pods.length === 4 && pods.every((pod) => pod.status.phase === "Running") && pods;
      });
      if (minor >= 22)
        assert.deepEqual(running.map((pod) => pod.metadata.annotations["batch.kubernetes.io/job-completion-index"]).sort(), ["0", "1", "2", "3"]);
      assert.equal((await publishers()).length, 0);
      assert(running.every((pod) => image_of(pod) === "frond:2"));  // as k8s/upgrade has left it
      await sleep(2000);  // it has to see them
      built = true;
      const { status, output } = await done;
      assert.equal(status, 0, output);
      assert.match(output, /index: 4 running, 0 waiting, 0 of 4 done/);
      assert.equal((await publishers()).length, 1);
      assert((await builders()).length === 4 && (await builders()).every((pod) => pod.status.phase === "Succeeded"));

      // Again, with an overlay: the jobs of the run before are replaced, and of its image.
      const before = names(running);
      const again = await script("reindex", [production_with_tag("3")]);
      assert.equal(again.status, 0, again.output);
      assert((await builders()).every((pod) => !before.includes(pod.metadata.name) && image_of(pod) === "frond:3"));
      assert((await brokers()).every((pod) => image_of(pod) === "frond:2"));
    },
    "k8s/job: the Job that goes back a generation is tried once, and it is said why it failed": async () => {
      nodes.behaviour = (pod) => (pod.metadata.labels["job-name"] === "rollback" ? 1 : "ready");
      const { status, output } = await script("job", ["rollback"]);
      assert.equal(status, 1, output);
      assert.match(output, /rollback-\S+ failed Error, exit code 1: a line of the log\n/);
      assert.match(output, /rollback failed: Job has reached the specified backoff limit/);
      assert.equal((await nodes.pods("job-name=rollback")).length, 1);
    },
    "k8s/reindex says why its builders wait, and gives up": async () => {
      nodes.behaviour = () => "ready";
      const index = "/apis/batch/" + (minor < 21 ? "v1beta1" : "v1") + "/namespaces/frond/cronjobs/index";
      const { spec } = await plane.ask("GET", index);
      const [container] = spec.jobTemplate.spec.template.spec.containers;
      const request = (cpu) => plane.ask("PATCH", index, { spec: { jobTemplate: { spec: { template: { spec: {
        containers: [{ ...container, resources: { ...container.resources, requests: { cpu } } }] } } } } } });
      await request("100");
      const { status, output } = await script("reindex", [], { START_TIMEOUT: "6" });
      await request(container.resources.requests.cpu);
      assert.equal(status, 1);
      assert.match(output, /index: 0 running, 4 waiting, 0 of 4 done, 0 failed/);
      assert.match(output, /index-\S+ waits Unschedulable: 0\/3 nodes are available: 3 Insufficient cpu/);
      assert.match(output, /no pod of index has run for 6 s/);
    },
    "leaves take the place of builders when nodes are full": async () => {
      nodes.behaviour = (pod) => (pod.metadata.labels["job-name"] ? "running" : "ready");
      plane.kubectl(["delete", "job", "index", "-n", "frond"]);
      const { spec } = for_server(minor, build("overlays/production")).objects.find(
        ({ kind, metadata }) => kind === "CronJob" && metadata.name === "index").spec.jobTemplate;
      const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "index", namespace: "frond" }, spec };
      spec.template.spec.containers[0].resources.requests.cpu = "34";  // one a node, beside what is there: no room for a leaf
      spec.completions = spec.parallelism = 3;
      assert.equal(plane.kubectl(["apply", "-f", "-"], write([job])).status, 0);
      const builders = async () => (await nodes.pods("job-name=index")).filter((pod) => pod.status.phase === "Running");
      await until("a builder is on every node", async () => (await builders()).length === 3);
      const before = names(await builders());
      const set = "/apis/apps/v1/namespaces/frond/statefulsets/leaf-a";
      const leaf = (await plane.ask("GET", set)).spec.template.spec.containers[0];
      await plane.ask("PATCH", set, { spec: { template: { spec: { containers: [
        { name: leaf.name, resources: { requests: { cpu: "40" } } }] } } } }, "strategic-merge");
      await until("both leaves of the set are larger and ready", async () => (await leaves()).filter(
        (pod) => ready(pod) && pod.spec.containers[0].resources.requests.cpu === "40").length === 2);
      assert((await builders()).filter((pod) => before.includes(pod.metadata.name)).length < 3);
    },
  };
}
