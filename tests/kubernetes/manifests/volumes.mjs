// Volumes: who mounts them how, and what the jobs' init container says of those that are no good.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

// Leaves only read the repository. Their pods mount it so that the kubelet may give it to the group, all the same.
function check_mounts(objects, check) {
  for (const { metadata, spec: { template: { spec } } } of objects.filter(({ kind }) => kind === "StatefulSet")) {
    const claim = spec.volumes.find(({ name }) => name === "repository").persistentVolumeClaim;
    check(!claim.readOnly, `${metadata.name}: a volume of the node would never be given to the group`);
    check(spec.containers[0].volumeMounts.find(({ name }) => name === "repository").readOnly, `${metadata.name}: may write the repository`);
  }
}

// What the init container of a job says when its folders are in the state that `prepare` makes of them: {status, stderr}. As the
// pods' user, where that can be had.
function refused(job, prepare) {
  const folder = mkdtempSync(path.join(tmpdir(), "frond-volumes-"));
  const user = process.getuid() === 0 ? { uid: 10001, gid: 10001 } : {};
  try {
    chmodSync(folder, 0o755);
    const at = (name) => path.join(folder, name);
    for (const name of ["repository", "repository/docs", "input", "input/lost+found", "repository/lost+found"]) {
      mkdirSync(at(name));
      chmodSync(at(name), 0o777);
    }
    for (const name of ["input", "repository"]) chmodSync(at(`${name}/lost+found`), 0);
    writeFileSync(at("input/documents.jsonl"), "{}");
    prepare(at);
    const [script] = job.spec.jobTemplate.spec.template.spec.initContainers[0].args;
    return spawnSync("sh", ["-c", script.replace(/\/(repository|input)/g, (_, name) => at(name))], { encoding: "utf8", cwd: "/", ...user });
  } finally {
    spawnSync("chmod", ["-R", "u+rwx", folder]);
    rmSync(folder, { recursive: true });
  }
}

export function check_volumes(objects, check) {
  check_mounts(objects, check);
  const job = (name) => objects.find(({ kind, metadata }) => kind === "CronJob" && metadata.name === name);
  const cases = [
    ["good ones", () => {}, 0, /^$/, /^$/],
    ["a repository that cannot be written", (at) => chmodSync(at("repository"), 0o555), 2, /user \d+ of group \d+ cannot write \S+repository \(dr-xr-xr-x, owner /],
    ["a collection that cannot be written", (at) => chmodSync(at("repository/docs"), 0o555), 2, /cannot write \S+repository\/docs\/ \(dr-xr-xr-x/],
    ["input that cannot be read", (at) => chmodSync(at("input"), 0), 2, /cannot read \S+input \(d-{9}/, /^$/],
    ["no input", (at) => rmSync(at("input/documents.jsonl")), 2, /claim input is empty/, /^$/],
  ];
  for (const [what, prepare, status, index_says, publish_says] of cases)
    for (const [name, says] of [["index", index_says], ["publish", publish_says ?? index_says]]) {
      const done = refused(job(name), prepare);
      check(done.status === (says.source === "^$" ? 0 : status) && says.test(done.stderr), `${name}, ${what}: ${done.status}, ${done.stderr}`);
    }
  for (const { spec } of ["index", "publish"].map(job))
    check(spec.jobTemplate.spec.podFailurePolicy.rules[0].onExitCodes.containerName === undefined, "a volume that is no good is tried again and again");
}
