import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { is_leaf } from "./disruption.mjs";

// The jobs of an overlay: never started but by k8s/job (or, where it says so, by the clock), of the image that leaves of the CPU have, in agreement with each other.
// Those of a second collection have names that end in its name.
const JOBS = ["compact", "fill", "index", "prune", "publish", "rollback"];
const SCHEDULED = { "overlays/serve": ["compact", "prune"], "overlays/write": ["prune"] };  // where the service writes, it merges by itself
const collections_of = ({ args }) => args.filter((arg) => arg.startsWith("--collection=")).map((arg) => arg.split("=")[1]);
const container_of = ({ kind, spec }) => (kind === "CronJob" ? spec.jobTemplate.spec.template : spec.template).spec.containers[0];

// Brokers and leaves have the same collections, and each has its jobs.
export function check_collections(build_name, objects, check) {
  const servers = objects.filter(({ kind }) => kind === "Deployment").concat(objects.filter(is_leaf));
  const [first, ...more] = collections_of(container_of(servers[0]));
  for (const one of servers)
    check(collections_of(container_of(one)).join() === [first, ...more].join(), `${build_name}: ${one.kind} ${one.metadata.name}: other collections than brokers`);
  for (const job of objects.filter(({ kind, metadata }) => kind === "CronJob" && metadata.name !== "fill")) {
    const collection = more.find((name) => job.metadata.name.endsWith(`-${name}`)) ?? first;
    check(collections_of(container_of(job)).join() === collection, `${build_name}: CronJob ${job.metadata.name}: not of ${collection}`);
    const input = container_of(job).args.find((arg) => arg.startsWith("--input="));
    check(!input || more.length === 0 || input === `--input=/input/${collection}`, `${build_name}: CronJob ${job.metadata.name}: ${input}`);
  }
  for (const name of more) check_jobs_of(build_name, objects, `-${name}`, JOBS.filter((job) => job !== "fill"), check);
}

export function check_jobs(build_name, objects, check) {
  check_jobs_of(build_name, objects, "", JOBS, check);
}

function check_jobs_of(build_name, objects, suffix, names, check) {
  const jobs = objects.filter(({ kind, metadata: { name } }) => kind === "CronJob" && (suffix ? name.endsWith(suffix) : !name.includes("-")));
  const wanted = names.map((name) => name + suffix);
  check(jobs.map(({ metadata }) => metadata.name).sort().join() === wanted.join(), `${build_name}: other jobs than ${wanted}`);
  const image = objects.find(({ kind }) => kind === "Deployment").spec.template.spec.containers[0].image;
  for (const { metadata, spec } of jobs) {
    const where = `${build_name}: CronJob ${metadata.name}`;
    if (SCHEDULED[build_name]?.includes(metadata.name))
      check(spec.suspend === false && /^\d+ (\d+|\*) \* \* \*$/.test(spec.schedule) && spec.concurrencyPolicy === "Forbid", `${where}: does not start by itself, or twice at once`);
    else
      check(spec.suspend === true && spec.schedule === "0 0 31 2 *", `${where}: starts by itself`);
    check(metadata.labels["app.kubernetes.io/name"] === "frond-indexer", `${where}: k8s/upgrade takes it for something else`);
    check(spec.jobTemplate.spec.template.spec.containers[0].image === image, `${where}: is of another image than brokers`);
  }

  // The builders and the publisher agree on how many partitions there are.
  const of = (name) => jobs.find(({ metadata }) => metadata.name === name + suffix)?.spec.jobTemplate.spec;
  const args = (name) => of(name)?.template.spec.containers[0].args ?? [];
  const partitions = of("index")?.completions;
  check(args("index").includes(`--partition=$(JOB_COMPLETION_INDEX)/${partitions}`), `${build_name}: index's --partition is not of completions`);
  check(args("publish").includes(`--partitions=${partitions}`), `${build_name}: publish's --partitions is not index's completions`);
  // A build that has ended must not be taken for a service that is down, and does not wait for anybody.
  check(of("index")?.template.metadata.labels["app.kubernetes.io/name"] === "frond-build", `${build_name}: builders have the service's label`);
  check(!args("index").some((arg) => arg.startsWith("--http-linger-seconds")), `${build_name}: builders wait after their end`);
  check(of("rollback")?.backoffLimit === 0, `${build_name}: rollback may go back twice`);
}

const UNITS = { "": 1, m: 0.001, Mi: 2 ** 20, Gi: 2 ** 30 };
const amount = (text) => {
  const [, number, unit] = /^([\d.]+)(m|Mi|Gi|)$/.exec(text);
  return Number(number) * UNITS[unit];
};

// Everything that runs at a time in `dev` has room on a node of 2 CPUs and 4 GiB, of which Kubernetes' own pods take half.
export function check_small(objects, check) {
  const requests = (template, pods) => ["cpu", "memory"].map((what) => pods * amount(template.spec.containers[0].resources.requests[what]));
  const add = (sums) => sums.reduce(([cpu, memory], [c, m]) => [cpu + c, memory + m], [0, 0]);
  const most = (jobs) => jobs.sort(([a], [b]) => b - a)[0];
  const [cpu, memory] = add([
    ...objects.filter(({ kind }) => kind === "StatefulSet").map(({ spec }) => requests(spec.template, spec.replicas)),
    ...objects.filter(({ kind }) => kind === "Deployment").map(({ spec }) => requests(spec.template, 2)),  // while it is replaced
    most(objects.filter(({ kind }) => kind === "CronJob").map(({ spec: { jobTemplate: { spec } } }) => requests(spec.template, spec.parallelism ?? 1))),
  ]);
  check(cpu <= 1 && memory <= 2 * UNITS.Gi, `overlays/dev: requests ${cpu} CPUs and ${memory / UNITS.Mi} MiB`);
}

// An overlay of an overlay, with another image: leaves, brokers and all jobs have it. Its name and tag are such that a node
// that has the image does not ask a registry for it.
export function check_image(k8s, build, images_of, check) {
  const folder = mkdtempSync(path.join(tmpdir(), "frond-overlay-"));
  try {
    writeFileSync(path.join(folder, "kustomization.yaml"),
                  `resources: [${path.relative(folder, path.join(k8s, "overlays/production"))}]\nimages: [{name: frond, newName: registry.example/frond, newTag: "7"}]\n`);
    for (const [where, image, policy] of images_of(build(path.relative(k8s, folder)))) {
      check(image === "registry.example/frond:7", `an overlay's image is not that of ${where}`);
      check(policy === undefined, `${where}: an image that is there may be pulled`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
