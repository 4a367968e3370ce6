// Which pods may be evicted: each is selected by one PodDisruptionBudget at most (one that two select is never evicted), and
// where shards have several leaves each shard has a budget of its own, so that no shard's leaf waits for another shard's.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

// The labels of every pod that `object` makes, those that controllers add included.
export function pods_of(object) {
  const template = object.kind === "CronJob" ? object.spec.jobTemplate.spec.template : object.spec?.template;
  if (!template) return [];
  const labels = template.metadata.labels;
  if (object.kind !== "StatefulSet") return [labels];
  return Array.from({ length: object.spec.replicas }, (_, i) => ({ ...labels, "apps.kubernetes.io/pod-index": String(i) }));
}

export const is_leaf = ({ kind, spec }) => kind === "StatefulSet" && spec.template.spec.containers[0].command[0] === "frond-leaf";

export const selects = (selector, labels) => Object.entries(selector).every(([label, value]) => labels[label] === value);

// Brokers on different nodes, and how many leaves of a shard they are told to expect.
export function check_spread(build_name, objects, check) {
  const { spec: { template: { metadata: { labels }, spec } } } = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "broker");
  for (const topologyKey of ["kubernetes.io/hostname", "topology.kubernetes.io/zone"])
    check(spec.topologySpreadConstraints.some((one) => one.topologyKey === topologyKey && one.nodeTaintsPolicy === "Honor" && one.whenUnsatisfiable === "ScheduleAnyway" &&
      one.matchLabelKeys?.includes("pod-template-hash") && selects(one.labelSelector.matchLabels, labels)), `${build_name}: brokers are not spread by ${topologyKey}`);
  const terms = spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
  check(terms.some(({ podAffinityTerm: term }) => term.topologyKey === "kubernetes.io/hostname" && selects(term.labelSelector.matchLabels, labels)), `${build_name}: brokers do not avoid each other`);
  const sets = objects.filter(is_leaf).length, told = spec.containers[0].args.find((arg) => arg.startsWith("--replicas="));
  check(told === (sets > 1 ? `--replicas=${sets}` : undefined), `${build_name}: brokers expect ${told}, and there are ${sets} sets`);
}

export function check_disruption(build_name, objects, check) {
  const budgets = objects.filter(({ kind }) => kind === "PodDisruptionBudget");
  const sets = objects.filter(is_leaf);
  const of = (labels) => budgets.filter(({ spec }) => selects(spec.selector.matchLabels, labels));
  for (const object of objects)
    for (const labels of pods_of(object))
      check(of(labels).length <= 1, `${build_name}: ${object.kind} ${object.metadata.name}: a pod has ${of(labels).length} budgets`);
  if (sets.length < 2) return;
  for (let shard = 0; shard < sets[0].spec.replicas; ++shard) {
    const where = `${build_name}: shard ${shard}`;
    const replicas = sets.map((set) => pods_of(set)[shard]);
    const found = new Set(replicas.flatMap(of));
    check(found.size === 1, `${where}: ${found.size} budgets`);
    for (const { metadata, spec } of found) {
      const selected = sets.flatMap(pods_of).filter((labels) => selects(spec.selector.matchLabels, labels));
      check(selected.length === replicas.length, `${where}: ${metadata.name} selects other shards' leaves`);
      check(spec.minAvailable === 1 && spec.maxUnavailable === undefined, `${where}: ${metadata.name} does not keep one leaf`);
      check(spec.unhealthyPodEvictionPolicy === "AlwaysAllow", `${where}: ${metadata.name} keeps leaves that do not serve`);
    }
  }
  const leaves = budgets.filter(({ spec }) => sets.flatMap(pods_of).some((labels) => selects(spec.selector.matchLabels, labels)));
  check(leaves.length === sets[0].spec.replicas, `${build_name}: ${leaves.length} budgets for ${sets[0].spec.replicas} shards`);
}

// The file in production is what the script prints for as many shards.
export function check_written(k8s, shards, check) {
  const written = spawnSync(path.join(k8s, "shard-budgets"), [String(shards)], { encoding: "utf8" });
  check(written.status === 0 && written.stdout === readFileSync(path.join(k8s, "overlays/production/shard-budgets.yaml"), "utf8"),
        `overlays/production/shard-budgets.yaml is not what k8s/shard-budgets ${shards} prints`);
  for (const wrong of [[], ["0"], ["x"]])
    check(spawnSync(path.join(k8s, "shard-budgets"), wrong).status === 2, `k8s/shard-budgets takes ${wrong}`);
}
