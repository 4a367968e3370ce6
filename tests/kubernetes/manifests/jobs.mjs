import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

// The jobs of an overlay: never started but by k8s/job, of the image that leaves of the CPU have, in agreement with each other.
const JOBS = ["fill", "index", "prune", "publish", "rollback"];

export function check_jobs(build_name, objects, check) {
  const jobs = objects.filter(({ kind }) => kind === "CronJob");
  check(jobs.map(({ metadata }) => metadata.name).sort().join() === JOBS.join(), `${build_name}: other jobs than ${JOBS}`);
  const image = objects.find(({ kind }) => kind === "Deployment").spec.template.spec.containers[0].image;
  for (const { metadata, spec } of jobs) {
    const where = `${build_name}: CronJob ${metadata.name}`;
    check(spec.suspend === true && spec.schedule === "0 0 31 2 *", `${where}: starts by itself`);
    check(metadata.labels["app.kubernetes.io/name"] === "frond-indexer", `${where}: k8s/upgrade takes it for something else`);
    check(spec.jobTemplate.spec.template.spec.containers[0].image === image, `${where}: is of another image than brokers`);
  }

  // The builders and the publisher agree on how many partitions there are.
  const of = (name) => jobs.find(({ metadata }) => metadata.name === name)?.spec.jobTemplate.spec;
  const args = (name) => of(name)?.template.spec.containers[0].args ?? [];
  const partitions = of("index")?.completions;
  check(args("index").includes(`--partition=$(JOB_COMPLETION_INDEX)/${partitions}`), `${build_name}: index's --partition is not of completions`);
  check(args("publish").includes(`--partitions=${partitions}`), `${build_name}: publish's --partitions is not index's completions`);
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
