// k8s/chart: what it renders with its own values are the overlays, and what values change. By Helm where there is one, else by
// templates.mjs.
import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { render } from "./templates.mjs";

const merged = (a, b) => Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [key,
  !(key in b) ? a[key] : b[key] && typeof b[key] === "object" && !Array.isArray(b[key]) ? merged(a[key] ?? {}, b[key]) : b[key]]));
const has_helm = spawnSync("helm", ["version"]).status === 0;

export async function check_chart(k8s, build, check) {
  const { parse, parseAllDocuments } = await import("yaml");
  const chart = path.join(k8s, "chart"), read = (name) => readFileSync(path.join(chart, name), "utf8");
  const defaults = parse(read("values.yaml"));
  const rendered = (values, namespace = "frond") => {
    let text;
    if (has_helm) {
      const done = spawnSync("helm", ["template", "frond", chart, "--namespace", namespace, "--values", "-"], { input: JSON.stringify(values), encoding: "utf8" });
      if (done.status !== 0) throw new Error(done.stderr);
      text = done.stdout;
    } else {
      const root = { Values: merged(defaults, values), Release: { Namespace: namespace, Name: "frond" }, Files: { Get: read } };
      text = readdirSync(path.join(chart, "templates")).map((name) => render(read(`templates/${name}`), root)).join("\n");
    }
    return parseAllDocuments(text).map((one) => one.toJS()).filter(Boolean);
  };
  const key = ({ kind, metadata }) => `${kind} ${metadata.name}`;
  const without_null = (value) => JSON.parse(JSON.stringify(value, (_, one) => (one === null ? undefined : one)));
  const by_key = (objects) => Object.fromEntries(objects.map((one) => [key(one), without_null(one)]));

  for (const overlay of ["dev", "gpu", "production", "serve", "write", "object-storage", "object-storage-write"]) {
    const meant = by_key(build(`overlays/${overlay}`).filter(({ kind }) => kind !== "Namespace")), made = by_key(rendered({ overlay }));
    for (const name of new Set([...Object.keys(meant), ...Object.keys(made)]))
      check(isDeepStrictEqual(meant[name], made[name]), `k8s/chart, ${overlay}: ${name} is not that of the overlay`);
  }

  const large = rendered({ overlay: "production", shards: 3, partitions: 6, collection: "mail", image: { repository: "registry.example/frond", tag: 7 },
                           broker: { maxReplicas: 5 }, leaf: { cpu: 2, memory: "8Gi", hostCache: "4GiB" }, storage: { class: "fast", data: "9Gi" } }, "search");
  const sets = large.filter(({ kind }) => kind === "StatefulSet"), [leaf] = sets[0].spec.template.spec.containers;
  check(sets.length === 2 && sets.every(({ spec }) => spec.replicas === 3) && leaf.args.includes("--shard=$(SHARD)/3"), "k8s/chart: shards are not those of the values");
  check(large.filter(({ metadata }) => /^leaves-shard-[012]$/.test(metadata.name)).length === 3, "k8s/chart: not every shard has a budget");
  check(leaf.args.includes("--collection=mail") && leaf.args.includes("--host-cache=4GiB") && leaf.image === "registry.example/frond:7", `k8s/chart: ${leaf.image} ${leaf.args}`);
  check(leaf.resources.limits.memory === "8Gi" && leaf.resources.requests.memory === "8Gi" && leaf.resources.requests.cpu === "2", "k8s/chart: resources of leaves are not those of the values");
  const [data] = sets[0].spec.volumeClaimTemplates;
  check(data.spec.storageClassName === "fast" && data.spec.resources.requests.storage === "9Gi", "k8s/chart: claims are not those of the values");
  const index = large.find(({ kind, metadata }) => kind === "CronJob" && metadata.name === "index").spec.jobTemplate.spec;
  check(index.completions === 6 && index.template.spec.containers[0].args.includes("--partition=$(JOB_COMPLETION_INDEX)/6"), "k8s/chart: partitions are not those of the values");
  check(large.find(({ kind }) => kind === "HorizontalPodAutoscaler").spec.maxReplicas === 5, "k8s/chart: brokers are not those of the values");
  check(large.every(({ kind, metadata }) => kind === "PriorityClass" || metadata.namespace === "search"), "k8s/chart: an object is in another namespace");
  const [service] = rendered({ overlay: "write" }, "search").find(({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "indexer").spec.template.spec.containers;
  check(service.args.includes("--http-hosts=indexer,indexer.search,indexer.search.svc,indexer.search.svc.cluster.local"), "k8s/chart: the service answers under other names");

  const watched = rendered({ monitoring: { enabled: true, release: "mine" } }).filter((one) => !by_key(rendered({}))[key(one)]);
  const operator = watched.filter(({ apiVersion }) => apiVersion === "monitoring.coreos.com/v1");
  check(operator.length === 6 && operator.every(({ metadata }) => metadata.labels.release === "mine"), `k8s/chart: monitoring has ${operator.map(key)}`);
  return { watched, has_helm };
}

// k8s/monitoring: monitors select what there is, and give it the jobs that rules use; and it is what the chart has.
export function check_monitoring(name, objects, watched, builds, check) {
  const of = (kind) => objects.filter((one) => one.kind === kind);
  const jobs = new Set();
  for (const { kind, metadata, spec } of [...of("PodMonitor"), ...of("ServiceMonitor")]) {
    const where = `${name}: ${kind} ${metadata.name}`, [{ port, relabelings }] = spec.podMetricsEndpoints ?? spec.endpoints;
    const label = spec.selector.matchLabels["app.kubernetes.io/name"];
    const targets = builds.flat().flatMap((one) => {
      const template = one.kind === "CronJob" ? one.spec.jobTemplate.spec.template : one.spec?.template;
      if (kind === "ServiceMonitor") return one.kind === "Service" && one.metadata.labels["app.kubernetes.io/name"] === label ? one.spec.ports.map((each) => each.name) : [];
      return template?.metadata.labels["app.kubernetes.io/name"] === label ? template.spec.containers[0].ports?.map((each) => each.name) ?? [] : [];
    });
    check(targets.includes(port), `${where}: no ${kind === "PodMonitor" ? "pod" : "Service"} has the port ${port}`);
    check(spec.jobLabel === "app.kubernetes.io/name" && relabelings[0].targetLabel === "instance", `${where}: gives no job or no instance`);
    jobs.add(label);
  }
  check([...jobs].sort().join() === "frond-broker,frond-build,frond-indexer,frond-leaf", `${name}: jobs ${[...jobs]}`);
  const groups = (all) => all.filter(({ kind }) => kind === "PrometheusRule").flatMap(({ spec }) => spec.groups);
  check(isDeepStrictEqual(groups(objects), groups(watched)) && groups(objects).length > 4, `${name}: other rules than k8s/chart`);
  const dashboards = (all) => Object.fromEntries(all.filter(({ kind }) => kind === "ConfigMap").map(({ metadata, data }) => [metadata.name,
    [metadata.labels.grafana_dashboard, ...Object.values(data).map((text) => JSON.parse(text).title)]]));
  check(isDeepStrictEqual(dashboards(objects), dashboards(watched)) && Object.keys(dashboards(objects)).length === 4, `${name}: other dashboards than k8s/chart`);
}
