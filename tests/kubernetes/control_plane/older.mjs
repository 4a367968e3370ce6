// Objects as an older API server knows them: versions renamed where the fields are the same, and fields left out that came
// later. What was left out is told, so that nobody takes it for tested.
//
// usage: node older.mjs MINOR <manifests >manifests     MINOR: 20 of Kubernetes 1.20
//        node older.mjs --job <CronJob >Job             what `kubectl create job --from` makes, which knows no v1beta1 any more
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments, stringify } from "yaml";

// What came with which minor version. A path's last [field] is each element of a list that has this field.
const RENAMED = [
  { until: 22, kind: "HorizontalPodAutoscaler", to: "autoscaling/v2beta2" },
  { until: 20, kind: "PodDisruptionBudget", to: "policy/v1beta1" },
  { until: 20, kind: "CronJob", to: "batch/v1beta1" },
];
const LEFT_OUT = [
  { until: 21, kind: "CronJob", path: "spec.jobTemplate.spec.completionMode" },
  { until: 25, kind: "CronJob", path: "spec.jobTemplate.spec.podFailurePolicy" },
  { until: 26, kind: "PodDisruptionBudget", path: "spec.unhealthyPodEvictionPolicy" },
  // A constraint without its matchLabelKeys would count other pods: it goes as a whole.
  { until: 26, kind: "Deployment", path: "spec.template.spec.topologySpreadConstraints.[matchLabelKeys]" },
  { until: 26, kind: "StatefulSet", path: "spec.template.spec.topologySpreadConstraints.[matchLabelKeys]" },
];

function leave_out(value, [step, ...rest]) {
  if (value === undefined) return false;
  if (rest.length) return leave_out(value[step], rest);
  const [, field] = /^\[(.*)\]$/.exec(step) ?? [];
  if (field === undefined) return step in value && delete value[step];
  const kept = value.filter((element) => !(field in element));
  return value.splice(0, Infinity, ...kept).length > kept.length;
}

// The objects for a server of version 1.`minor`, and the "Kind path" of everything left out.
export function for_server(minor, objects) {
  const left_out = new Set();
  const changed = structuredClone(objects);
  for (const object of changed) {
    for (const { until, kind, to } of RENAMED)
      if (minor <= until && object.kind === kind) object.apiVersion = to;
    for (const { until, kind, path } of LEFT_OUT)
      if (minor <= until && object.kind === kind && leave_out(object, path.split("."))) left_out.add(`${kind} ${path}`);
  }
  return { objects: changed, left_out: [...left_out] };
}

export const read = (text) => parseAllDocuments(text).map((document) => document.toJS()).filter(Boolean);
export const write = (objects) => objects.map((object) => stringify(object)).join("---\n");

const job_of = ({ metadata, spec: { jobTemplate } }) => ({
  apiVersion: "batch/v1", kind: "Job",
  metadata: { ...jobTemplate.metadata, name: metadata.name, namespace: metadata.namespace }, spec: jobTemplate.spec,
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const objects = read(readFileSync(0, "utf8"));
  process.stdout.write(write(process.argv[2] === "--job" ? objects.map(job_of) : for_server(Number(process.argv[2]), objects).objects));
}
